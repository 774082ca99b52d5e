/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-fusion-model.h"

#include "ns3/dml-csv-text.h"
#include "ns3/dml-error.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-suggestion.h"
#include "ns3/dml-unit-parser.h"
#include "ns3/dml-yaml-text.h"

#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace ns3::dml
{

namespace
{

/// @param places of the ops of the model @return that of the op that a cell names
uint32_t
FindOp(const CsvText& csv, const CsvCell& cell, const std::map<std::string, uint32_t>& places)
{
    const auto place = places.find(cell.text);
    if (place == places.end())
    {
        std::vector<std::string> names;
        for (const auto& [name, op] : places)
        {
            names.push_back(name);
        }
        const std::string meant = Suggest(cell.text, names);
        csv.Fail(
            cell.column,
            "found op '" + cell.text + "', which no worker computes; " +
                (meant.empty() ? "accepted: ops of the profile" : "did you mean '" + meant + "'?"));
    }
    return place->second;
}

double
ReadFusedSeconds(const CsvText& csv, const CsvCell& cell)
{
    const auto seconds = ParseNumber(cell.text);
    if (!seconds || !(*seconds >= 0) || !std::isfinite(*seconds))
    {
        csv.Fail(cell.column, "found '" + cell.text + "'; accepted: seconds, from 0");
    }
    return *seconds;
}

/// Read a table of costs. @return a sentence about what cannot be fused, or nothing
std::string
ReadSavings(const std::string& path, double scale, FusionModel& model)
{
    CsvText csv(ReadTextFile(path, "a CSV file with first, second, seconds; or a time such as 5us"),
                path);
    std::map<std::string, uint32_t> places;
    for (uint32_t op = 0; op < model.ops.size(); ++op)
    {
        places[model.ops[op].name] = op;
    }
    std::vector<CsvCell> row;
    if (!csv.NextRow(row) || row.size() != 3 || row[0].text != "first" || row[1].text != "second" ||
        row[2].text != "seconds")
    {
        csv.Fail(1, "found another header; accepted: first,second,seconds");
    }
    uint64_t rows = 0;
    uint64_t unused = 0; // of ops that cannot be fused
    std::string apart;   // the first of these
    std::set<uint32_t> seen;
    for (; csv.NextRow(row); ++rows)
    {
        const uint32_t first = FindOp(csv, row[0], places);
        const uint32_t second = FindOp(csv, row[1], places);
        if (second == first + 1 && !seen.insert(first).second)
        {
            csv.Fail(1, "found these ops again; accepted: one row for each pair");
        }
        if (second != first + 1 || !CanFuse(model, first))
        {
            apart = unused++ == 0 ? row[0].text + " and " + row[1].text : apart;
            continue;
        }
        model.ops[first].saving = GetMeanSeconds(model.ops[first]) +
                                  GetMeanSeconds(model.ops[second]) -
                                  scale * ReadFusedSeconds(csv, row[2]);
    }
    if (rows == 0)
    {
        csv.Fail(1, "found no row; accepted: at least one pair of ops");
    }
    return unused == 0 ? ""
                       : "--fused: " + std::to_string(unused) + " of " + Plural(rows, "row") +
                             " left out, as those ops are not run one behind the other "
                             "on a device, or are of different kinds, such as " +
                             apart;
}

} // namespace

double
GetMeanSeconds(const FusionOp& op)
{
    return std::accumulate(op.seconds.begin(), op.seconds.end(), 0.0) / op.seconds.size();
}

std::string
SetSavings(const std::string& costs, double scale, FusionModel& model)
{
    const auto launch = ParseNanoseconds(costs);
    if (!launch)
    {
        return ReadSavings(costs, scale, model);
    }
    if (*launch <= 0)
    {
        throw InputError("--fused: found '" + costs + "'; accepted: a time above 0, or a file");
    }
    uint64_t pairs = 0;  // of ops that can be fused
    uint64_t capped = 0; // of them, with an op that is shorter than a launch
    for (uint32_t op = 0; op < model.ops.size(); ++op)
    {
        if (!CanFuse(model, op))
        {
            model.ops[op].saving = 0;
            continue;
        }
        const double most =
            std::min(GetMeanSeconds(model.ops[op]), GetMeanSeconds(model.ops[op + 1]));
        const double saved = 1e-9 * scale * *launch;
        model.ops[op].saving = std::min(saved, most);
        pairs += 1;
        capped += saved > most ? 1 : 0;
    }
    return capped == 0
               ? ""
               : "--fused: " + std::to_string(capped) + " of " + Plural(pairs, "pair") + " of ops" +
                     " save less than " + costs + ", as one of them takes no longer";
}

} // namespace ns3::dml
