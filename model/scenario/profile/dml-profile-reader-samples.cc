/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-profile-reader-parts.h"
#include "dml-profile-reader.h"

#include "ns3/dml-csv-text.h"
#include "ns3/dml-suggestion.h"
#include "ns3/dml-yaml-node.h"
#include "ns3/dml-yaml-text.h"

#include <algorithm>
#include <set>

namespace ns3::dml
{

namespace
{

/// Every column is one that is expected, once, and all are there.
void
CheckHeader(const CsvText& csv,
            const std::vector<CsvCell>& header,
            const std::vector<std::string>& expected,
            const std::vector<std::string>& others)
{
    const std::set<std::string> wanted(expected.begin(), expected.end());
    std::set<std::string> seen;
    for (const auto& cell : header)
    {
        const std::string name = QuoteText(cell.text, '\'');
        if (!seen.insert(cell.text).second)
        {
            csv.Fail(cell.column,
                     "found a second column " + name + "; accepted: one column per op");
        }
        if (wanted.count(cell.text) > 0)
        {
            continue;
        }
        if (std::find(others.begin(), others.end(), cell.text) != others.end())
        {
            csv.Fail(cell.column,
                     "found a column for op " + name +
                         ", which is a transfer or has seconds or samples in the profile; "
                         "accepted: columns of the other ops");
        }
        const std::string meant = Suggest(cell.text, expected);
        csv.Fail(cell.column,
                 "found a column " + name +
                     AcceptedText(meant, "names of the profile's ops that have no duration there"));
    }
    for (const auto& name : expected)
    {
        if (seen.count(name) == 0)
        {
            csv.Fail(1,
                     "found no column for op " + QuoteText(name, '\'') +
                         "; accepted: a column for every op without seconds or samples in the "
                         "profile");
        }
    }
}

} // namespace

std::map<std::string, std::vector<double>>
ReadSampleFile(const std::string& path,
               const std::vector<std::string>& expected,
               const std::vector<std::string>& others)
{
    CsvText csv(ReadTextFile(path, "a file of samples (CSV)"), path);
    const auto header = csv.ReadHeader("a header of op names, then rows of seconds");
    CheckHeader(csv, header, expected, others);
    std::vector<std::vector<double>> columns(header.size());
    std::vector<CsvCell> row;
    while (csv.NextRow(row))
    {
        for (std::size_t i = 0; i < row.size(); ++i)
        {
            const auto seconds = ParseSeconds(row[i].text);
            if (!seconds)
            {
                csv.Fail(row[i].column,
                         "op " + QuoteText(header[i].text, '\'') + ": found " +
                             QuoteText(row[i].text, '"') + "; accepted: " + SECONDS_FORM);
            }
            columns[i].push_back(*seconds);
        }
    }
    if (columns.front().empty())
    {
        csv.Fail(1, "found no rows; accepted: one row per measured step below the header");
    }
    std::map<std::string, std::vector<double>> samples;
    for (std::size_t i = 0; i < header.size(); ++i)
    {
        samples.emplace(header[i].text, std::move(columns[i]));
    }
    return samples;
}

} // namespace ns3::dml
