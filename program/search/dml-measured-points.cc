/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-measured-points.h"

#include "ns3/dml-csv-text.h"
#include "ns3/dml-error.h"
#include "ns3/dml-suggestion.h"
#include "ns3/dml-trace-input.h"
#include "ns3/dml-unit-parser.h"

#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace ns3::dml
{

namespace
{

constexpr std::size_t MOST_BYTES = std::size_t{1} << 20; // of a file
constexpr std::size_t MOST_POINTS = 1000;                // each is many runs
const std::string THROUGHPUT = "throughput";
const std::string ERROR = "standard_error";
const std::string WORKERS = "workers";
const std::string SERVERS = "parameter_servers";

/// Columns that would be something else: what tells it instead.
const std::map<std::string, std::string> ELSEWHERE{
    {"job.workers", "column 'workers'"},
    {"job.parameter_servers", "column 'parameter_servers'"},
    {"fair_share.ps_cores", "the same cores for all points, by --cores or in the scenario"},
    {"overhead.server", "no cost of the servers, which is fitted"},
    {"overhead.server.alpha", "no cost of the servers, which is fitted"},
    {"overhead.server.beta", "no cost of the servers, which is fitted"},
};

[[noreturn]] void
Refuse(const CsvText& csv,
       const std::string& name,
       const CsvCell& cell,
       const std::string& accepted)
{
    csv.Fail(cell.column, name + ": found '" + cell.text + "'; accepted: " + accepted);
}

/// @return a number above 0
double
ReadAmount(const CsvText& csv, const std::string& name, const CsvCell& cell)
{
    const std::optional<double> value = ParseNumber(cell.text);
    if (!value || !(*value > 0) || !std::isfinite(*value))
    {
        Refuse(csv, name, cell, "a number of samples/s above 0");
    }
    return *value;
}

/// @return a number of processes, as a scenario has it
std::string
ReadCount(const CsvText& csv, const std::string& name, const CsvCell& cell)
{
    const std::optional<int64_t> value = ParseInteger(cell.text);
    if (!value || *value < 1)
    {
        Refuse(csv, name, cell, "an integer, at least 1");
    }
    return std::to_string(*value);
}

/// @param cell of the header @param names that came before
void
CheckName(const CsvText& csv, const CsvCell& cell, std::set<std::string>& names)
{
    const std::string& name = cell.text;
    const bool ours = name == THROUGHPUT || name == ERROR || name == WORKERS || name == SERVERS;
    if (!ours && name.find('.') == std::string::npos)
    {
        const std::string meant = Suggest(name, {THROUGHPUT, ERROR, WORKERS, SERVERS});
        csv.Fail(cell.column,
                 "found column '" + name + "'" +
                     AcceptedText(meant,
                                  "workers, throughput, parameter_servers, standard_error, "
                                  "or the path of a key, such as job.profile"));
    }
    if (const auto known = ELSEWHERE.find(name); known != ELSEWHERE.end())
    {
        csv.Fail(cell.column, "found column '" + name + "'; accepted: " + known->second);
    }
    if (!names.insert(name).second)
    {
        csv.Fail(cell.column, "found column '" + name + "' twice; accepted: once");
    }
}

MeasuredPoint
ReadPoint(const CsvText& csv, const std::vector<CsvCell>& header, const std::vector<CsvCell>& row)
{
    MeasuredPoint point;
    point.line = csv.GetLine();
    for (std::size_t i = 0; i < row.size(); ++i)
    {
        const std::string& name = header[i].text;
        const CsvCell& cell = row[i];
        if (name == THROUGHPUT)
        {
            point.throughput = ReadAmount(csv, name, cell);
            point.column = cell.column;
        }
        else if (name == ERROR)
        {
            point.error = ReadAmount(csv, name, cell);
        }
        else if (name == WORKERS || name == SERVERS)
        {
            point.settings.push_back("job." + name + "=" + ReadCount(csv, name, cell));
        }
        else if (!cell.text.empty())
        {
            point.settings.push_back(name + "=" + cell.text);
        }
    }
    return point;
}

} // namespace

std::vector<MeasuredPoint>
ReadMeasuredPoints(const std::string& file)
{
    CsvText csv(TraceInput(file).ReadText(MOST_BYTES), file);
    const auto header = csv.ReadHeader("a header and rows");
    std::set<std::string> names;
    for (const auto& cell : header)
    {
        CheckName(csv, cell, names);
    }
    for (const auto& needed : {WORKERS, THROUGHPUT})
    {
        if (names.count(needed) == 0)
        {
            csv.Fail(1,
                     "found no column '" + needed +
                         "'; accepted: columns workers, throughput (samples/s), "
                         "parameter_servers, standard_error, and keys of the scenario");
        }
    }
    std::vector<MeasuredPoint> points;
    std::vector<CsvCell> row;
    while (csv.NextRow(row))
    {
        if (points.size() == MOST_POINTS)
        {
            csv.Fail(1, "found more points; accepted: " + std::to_string(MOST_POINTS));
        }
        points.push_back(ReadPoint(csv, header, row));
    }
    if (points.empty())
    {
        csv.Fail(1, "found no points; accepted: a header and rows");
    }
    return points;
}

} // namespace ns3::dml
