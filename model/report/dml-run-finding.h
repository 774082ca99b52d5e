/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RUN_FINDING_H
#define DML_RUN_FINDING_H

#include "dml-csv-name.h"
#include "dml-result-file.h"
#include "dml-run-rows.h"
#include "dml-table-cells.h"

#include <algorithm>
#include <fmt/core.h>
#include <string>
#include <tuple>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief What was found about a run of another engine.
 * @tparam T something of which there may be several
 */
template <typename T>
struct RunFinding
{
    RunKey run;           //!< which
    std::vector<T> found; //!< none: see obstacle
    std::string obstacle; //!< why nothing is known, or empty
};

/// @param what a table is about @param columns its header @return both, as lines above a table of
/// the matched comparison
inline std::string
MakeMatchHead(const std::string& what, const std::string& columns)
{
    return "fair-share, " + what + " (doc/matched-comparison.rst):\n" + columns;
}

/// @param workers of a configuration @param engine of its runs @param why it has no numbers
/// @return its line
inline std::string
FormatNotKnown(uint32_t workers, const std::string& engine, const std::string& why)
{
    return WrapRemark(fmt::format("{:>4}  {:<10}not known: {}", workers, engine, why));
}

/// @param table of the matched comparison @return the line below it that says what a missing
/// interval means; nothing where all are there
inline std::string
ExplainMissing(const std::string& table)
{
    return table.find(" +- -") == std::string::npos
               ? ""
               : fmt::format(
                     "  +- -: no interval, of fewer than {} runs with fewer than {} blocks of "
                     "2 W steps\n",
                     LEAST_FOR_INTERVAL,
                     LEAST_FOR_INTERVAL);
}

/**
 * @brief A table for each variant, with the lines of one configuration and engine together, in the
 * order of the runs.
 * @param runs of all variants
 * @param head lines above each table
 * @param format gives the lines of a configuration: (workers, engine, what its runs found)
 * @return the tables
 */
template <typename T, typename Format>
std::string
FormatFindings(const std::vector<RunFinding<T>>& runs, const std::string& head, Format format)
{
    struct Group
    {
        std::string variant;
        uint32_t workers;
        std::string engine;
        std::vector<const T*> found;
        std::size_t runs{0};
        std::size_t unknown{0};
        std::string obstacle;
    };

    std::vector<Group> groups;
    for (const auto& run : runs)
    {
        const auto& [variant, workers, engine, replication] = run.run;
        auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& one) {
            return one.variant == std::get<0>(run.run) && one.workers == std::get<1>(run.run) &&
                   one.engine == std::get<2>(run.run);
        });
        if (group == groups.end())
        {
            group = groups.insert(group, Group{variant, workers, engine, {}, 0, 0, ""});
        }
        ++group->runs;
        group->unknown += run.found.empty() ? 1 : 0;
        for (const auto& found : run.found)
        {
            group->found.push_back(&found);
        }
        group->obstacle = group->obstacle.empty() ? run.obstacle : group->obstacle;
    }
    std::string text;
    const Group* last = nullptr;
    for (const auto& group : groups)
    {
        if (!last || group.variant != last->variant)
        {
            text += (last ? "\n" : "") + (group.variant.empty() ? "" : group.variant + "\n") + head;
        }
        last = &group;
        text += group.found.empty() ? FormatNotKnown(group.workers, group.engine, group.obstacle)
                                    : format(group.workers, group.engine, group.found);
        if (!group.found.empty() && group.unknown > 0)
        {
            text += FormatUnknown(group.unknown, group.runs, group.obstacle);
        }
    }
    return text + ExplainMissing(text);
}

/**
 * @brief Write a row for all that was found about each run, and one with the reason for a run about
 * which nothing is known.
 * @param file to write to
 * @param runs of all variants
 * @param columns names of those between the run's and `undefined_because`, with commas
 * @param format gives the fields of these and of `undefined_because`, with commas
 */
template <typename T, typename Format>
void
WriteFindings(ResultFile& file,
              const std::vector<RunFinding<T>>& runs,
              const std::string& columns,
              Format format)
{
    file.GetBuffer() += "variant,workers,engine,replication," + columns + ",undefined_because\n";
    const auto commas = std::count(columns.begin(), columns.end(), ',') + 2;
    for (const auto& one : runs)
    {
        const std::string run = WriteRunKey(one.run);
        if (one.found.empty())
        {
            file.GetBuffer() += run + std::string(commas, ',') + WriteCsvName(one.obstacle) + "\n";
        }
        for (const auto& found : one.found)
        {
            file.GetBuffer() += run + "," + format(found) + "\n";
        }
        file.Commit();
    }
}

} // namespace ns3::dml

#endif /* DML_RUN_FINDING_H */
