/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RUN_FINDING_H
#define DML_RUN_FINDING_H

#include "dml-run-rows.h"
#include "dml-table-cells.h"

#include <fmt/core.h>
#include <map>
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

/**
 * @brief A table for each variant, with the lines of one configuration and engine together.
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
        std::vector<const T*> found;
        std::size_t runs{0};
        std::size_t unknown{0};
        std::string obstacle;
    };

    std::map<std::tuple<std::string, uint32_t, std::string>, Group> groups;
    for (const auto& run : runs)
    {
        const auto& [variant, workers, engine, replication] = run.run;
        auto& group = groups[{variant, workers, engine}];
        for (const auto& found : run.found)
        {
            group.found.push_back(&found);
        }
        ++group.runs;
        if (!run.obstacle.empty())
        {
            ++group.unknown;
            group.obstacle = group.obstacle.empty() ? run.obstacle : group.obstacle;
        }
    }
    std::string text;
    std::string last;
    for (const auto& [key, group] : groups)
    {
        const auto& [variant, workers, engine] = key;
        if (text.empty() || variant != last)
        {
            text += (text.empty() ? "" : "\n") + (variant.empty() ? "" : variant + "\n") + head;
            last = variant;
        }
        text +=
            group.found.empty()
                ? WrapRemark(
                      fmt::format("{:>4}  {:<10}not known: {}", workers, engine, group.obstacle))
                : format(workers, engine, group.found);
        if (!group.found.empty() && group.unknown > 0)
        {
            text += FormatUnknown(group.unknown, group.runs, group.obstacle);
        }
    }
    return text;
}

} // namespace ns3::dml

#endif /* DML_RUN_FINDING_H */
