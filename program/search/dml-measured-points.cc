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

#include <algorithm>
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

/// Reads the rows of a file.
class PointReader
{
  public:
    explicit PointReader(const std::string& file)
        : m_csv(TraceInput(file).ReadText(MOST_BYTES), file),
          m_header(m_csv.ReadHeader("a header and rows"))
    {
        std::set<std::string> names;
        for (const auto& cell : m_header)
        {
            CheckName(cell, names);
        }
        for (const auto& needed : {WORKERS, THROUGHPUT})
        {
            if (names.count(needed) == 0)
            {
                m_csv.Fail(1,
                           "found no column '" + needed +
                               "'; accepted: columns workers, throughput (samples/s), "
                               "parameter_servers, standard_error, and keys of the scenario");
            }
        }
    }

    std::vector<MeasuredPoint> Read()
    {
        std::vector<MeasuredPoint> points;
        std::vector<CsvCell> row;
        while (m_csv.NextRow(row))
        {
            if (points.size() == MOST_POINTS)
            {
                m_csv.Fail(1, "found more points; accepted: " + std::to_string(MOST_POINTS));
            }
            points.push_back(ReadPoint(row));
            points.back().line = points.size() + 1; // no row is in two lines
        }
        if (points.empty())
        {
            m_csv.Fail(1, "found no points; accepted: a header and rows");
        }
        return points;
    }

  private:
    /// @param cell of the header @param names that came before
    void CheckName(const CsvCell& cell, std::set<std::string>& names) const
    {
        const std::string& name = cell.text;
        const bool ours = name == THROUGHPUT || name == ERROR || name == WORKERS || name == SERVERS;
        if (!ours && name.find('.') == std::string::npos)
        {
            const std::string meant = Suggest(name, {THROUGHPUT, ERROR, WORKERS, SERVERS});
            m_csv.Fail(cell.column,
                       "found column '" + name + "'; " +
                           (meant.empty() ? "" : "did you mean '" + meant + "'? ") +
                           "accepted: workers, throughput, parameter_servers, standard_error, "
                           "or the path of a key, such as job.profile");
        }
        if (const auto known = ELSEWHERE.find(name); known != ELSEWHERE.end())
        {
            m_csv.Fail(cell.column, "found column '" + name + "'; accepted: " + known->second);
        }
        if (!names.insert(name).second)
        {
            m_csv.Fail(cell.column, "found column '" + name + "' twice; accepted: once");
        }
    }

    MeasuredPoint ReadPoint(const std::vector<CsvCell>& row) const
    {
        MeasuredPoint point;
        for (std::size_t i = 0; i < row.size(); ++i)
        {
            const std::string& name = m_header[i].text;
            const CsvCell& cell = row[i];
            if (name == THROUGHPUT)
            {
                point.throughput = ReadAmount(name, cell);
                point.column = cell.column;
            }
            else if (name == ERROR)
            {
                point.error = ReadAmount(name, cell);
            }
            else if (name == WORKERS || name == SERVERS)
            {
                point.settings.push_back("job." + name + "=" + ReadCount(name, cell));
            }
            else if (!cell.text.empty())
            {
                point.settings.push_back(name + "=" + cell.text);
            }
        }
        return point;
    }

    /// @return a number above 0
    double ReadAmount(const std::string& name, const CsvCell& cell) const
    {
        const std::optional<double> value = ParseNumber(cell.text);
        if (!value || !(*value > 0) || !std::isfinite(*value))
        {
            Refuse(name, cell, "a number of samples/s above 0");
        }
        return *value;
    }

    /// @return a number of processes, as a scenario has it
    std::string ReadCount(const std::string& name, const CsvCell& cell) const
    {
        const std::optional<int64_t> value = ParseInteger(cell.text);
        if (!value || *value < 1)
        {
            Refuse(name, cell, "an integer, at least 1");
        }
        return std::to_string(*value);
    }

    [[noreturn]] void Refuse(const std::string& name,
                             const CsvCell& cell,
                             const std::string& accepted) const
    {
        m_csv.Fail(cell.column, name + ": found '" + cell.text + "'; accepted: " + accepted);
    }

    CsvText m_csv;                 //!< the file
    std::vector<CsvCell> m_header; //!< first row
};

} // namespace

std::vector<MeasuredPoint>
ReadMeasuredPoints(const std::string& file)
{
    return PointReader(file).Read();
}

} // namespace ns3::dml
