/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-fusion-costs.h"

#include "ns3/dml-csv-text.h"
#include "ns3/dml-error.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-suggestion.h"
#include "ns3/dml-unit-parser.h"
#include "ns3/dml-yaml-text.h"

#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

/// @return mean over the workers
double
GetMeanSeconds(const FusionOp& op)
{
    return std::accumulate(op.seconds.begin(), op.seconds.end(), 0.0) / op.seconds.size();
}

/// Reads a table of costs.
class FusionCostReader
{
  public:
    FusionCostReader(const std::string& path, double scale, FusionModel& model)
        : m_csv(ReadTextFile(path, "a CSV file with first, second, seconds; or a time such as 5us"),
                path),
          m_scale(scale),
          m_model(model)
    {
        for (uint32_t op = 0; op < model.ops.size(); ++op)
        {
            m_places[model.ops[op].name] = op;
        }
    }

    /// @return a sentence about what cannot be fused, or nothing
    std::string Read()
    {
        std::vector<CsvCell> header;
        if (!m_csv.NextRow(header) || header.size() != 3 || header[0].text != "first" ||
            header[1].text != "second" || header[2].text != "seconds")
        {
            m_csv.Fail(1, "found another header; accepted: first,second,seconds");
        }
        std::vector<CsvCell> row;
        std::set<uint32_t> seen;
        while (m_csv.NextRow(row))
        {
            const uint32_t first = FindOp(row[0]);
            const uint32_t second = FindOp(row[1]);
            ++m_rows;
            if (second == first + 1 && !seen.insert(first).second)
            {
                m_csv.Fail(1, "found these ops again; accepted: one row for each pair");
            }
            if (second != first + 1 || !CanFuse(m_model, first))
            {
                m_apart += m_apart.empty() ? row[0].text + " and " + row[1].text : "";
                ++m_unused;
                continue;
            }
            m_model.ops[first].saving = GetMeanSeconds(m_model.ops[first]) +
                                        GetMeanSeconds(m_model.ops[second]) -
                                        m_scale * ReadSeconds(row[2]);
        }
        if (m_rows == 0)
        {
            m_csv.Fail(1, "found no row; accepted: at least one pair of ops");
        }
        return m_unused == 0
                   ? ""
                   : "--fused: " + std::to_string(m_unused) + " of " + Plural(m_rows, "row") +
                         " left out, as those ops are not run one behind the other "
                         "on a device, or are of different kinds, such as " +
                         m_apart;
    }

  private:
    uint32_t FindOp(const CsvCell& cell) const
    {
        const auto place = m_places.find(cell.text);
        if (place == m_places.end())
        {
            std::vector<std::string> names;
            for (const auto& [name, op] : m_places)
            {
                names.push_back(name);
            }
            const std::string meant = Suggest(cell.text, names);
            m_csv.Fail(cell.column,
                       "found op '" + cell.text + "', which no worker computes; " +
                           (meant.empty() ? "accepted: ops of the profile"
                                          : "did you mean '" + meant + "'?"));
        }
        return place->second;
    }

    double ReadSeconds(const CsvCell& cell) const
    {
        const auto seconds = ParseNumber(cell.text);
        if (!seconds || !(*seconds >= 0) || !std::isfinite(*seconds))
        {
            m_csv.Fail(cell.column, "found '" + cell.text + "'; accepted: seconds, from 0");
        }
        return *seconds;
    }

    CsvText m_csv;                            //!< the table
    double m_scale;                           //!< of the job
    FusionModel& m_model;                     //!< to be filled
    std::map<std::string, uint32_t> m_places; //!< of ops
    uint64_t m_rows{0};                       //!< read
    uint64_t m_unused{0};                     //!< of ops that cannot be fused
    std::string m_apart;                      //!< the first of these
};

} // namespace

std::string
SetSavings(const std::string& costs, double scale, FusionModel& model)
{
    const auto launch = ParseNanoseconds(costs);
    if (!launch)
    {
        return FusionCostReader(costs, scale, model).Read();
    }
    if (*launch <= 0)
    {
        throw InputError("--fused: found '" + costs + "'; accepted: a time above 0, or a file");
    }
    for (uint32_t op = 0; op < model.ops.size(); ++op)
    {
        model.ops[op].saving = CanFuse(model, op) ? 1e-9 * scale * *launch : 0;
    }
    return "";
}

SearchShortcuts
ReadShortcuts(const std::string& without)
{
    SearchShortcuts shortcuts;
    const std::map<std::string, bool SearchShortcuts::*> known{
        {"coarse", &SearchShortcuts::coarse},
        {"partial", &SearchShortcuts::partial},
        {"symmetry", &SearchShortcuts::symmetry}};
    std::istringstream names(without.empty() ? without : without + ",");
    for (std::string name; std::getline(names, name, ',');)
    {
        const auto shortcut = known.find(name);
        if (shortcut == known.end())
        {
            throw InputError("--without: found '" + name +
                             "'; accepted: coarse, partial, symmetry, with commas between them");
        }
        shortcuts.*shortcut->second = false;
    }
    return shortcuts;
}

} // namespace ns3::dml
