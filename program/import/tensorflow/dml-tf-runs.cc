/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-names.h"
#include "dml-tf-passes.h"
#include "dml-tf-update-types.h"

#include "ns3/dml-error.h"
#include "ns3/dml-plural.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

/// Times of the executions of one node, by start.
using TfExecutions = std::vector<std::pair<int64_t, int64_t>>;

/// @param type type of a node; @return true if it runs once in a session.run, as it is in no loop
bool
RunsOnce(std::string_view type)
{
    return type == "VariableV2" || type == "Variable" || type == "VarHandleOp" ||
           (type.find("Apply") != std::string_view::npos && IsTfUpdate(type));
}

/// Runs of a file.
struct TfRuns
{
    std::string node;            //!< that ran most often of those that run once in each
    std::size_t count{1};        //!< how often
    std::vector<int64_t> starts; //!< of each but the first; fewer if they overlap
};

TfRuns
FindRuns(const TfStep& step)
{
    // A node of the same name on another machine is another one.
    std::map<std::pair<std::string_view, std::string_view>, TfExecutions> executions;
    TfRuns runs;
    for (const TfOp& op : step.ops)
    {
        const TfDevice& device = step.devices[op.device];
        if (IsTfGpuTrace(device.local))
        {
            continue;
        }
        TfExecutions& times = executions[{device.machine, op.node}];
        times.emplace_back(op.start, op.end);
        if (RunsOnce(op.type) && times.size() > runs.count)
        {
            runs.node = op.node;
            runs.count = times.size();
        }
    }
    // What ran as often ran once in each.
    TfExecutions spans(runs.count, {INT64_MAX, INT64_MIN});
    for (auto& [node, times] : executions)
    {
        if (times.size() != runs.count)
        {
            continue;
        }
        std::sort(times.begin(), times.end());
        for (std::size_t r = 0; r < times.size(); ++r)
        {
            spans[r].first = std::min(spans[r].first, times[r].first);
            spans[r].second = std::max(spans[r].second, times[r].second);
        }
    }
    for (std::size_t r = 1; r < spans.size() && spans[r - 1].second <= spans[r].first; ++r)
    {
        runs.starts.push_back(spans[r].first);
    }
    return runs;
}

} // namespace

std::vector<TfStep>
SplitTfRuns(TfStep step)
{
    const TfRuns found = FindRuns(step);
    std::vector<TfStep> runs;
    if (found.count < 2)
    {
        runs.push_back(std::move(step));
        return runs;
    }
    if (found.starts.size() + 1 != found.count)
    {
        throw InputError(step.file + ": '" + found.node + "' ran " + Plural(found.count, "time") +
                         ": several session.run are in one file, and run at the same time; "
                         "accepted: one session.run, or several that follow one another");
    }
    for (std::size_t r = 0; r < found.count; ++r)
    {
        TfStep& run = runs.emplace_back();
        run.file = step.file + ", session.run " + std::to_string(r + 1);
        run.devices = step.devices;
        run.deviceNumbers = step.deviceNumbers;
    }
    runs.front().bytesRead = step.bytesRead;
    const auto find = [&](int64_t start) -> TfStep& {
        const auto after = std::upper_bound(found.starts.begin(), found.starts.end(), start);
        return runs[after - found.starts.begin()];
    };
    for (TfOp& op : step.ops)
    {
        find(op.start).ops.push_back(std::move(op));
    }
    for (TfReceive& receive : step.receives)
    {
        find(receive.start).receives.push_back(std::move(receive));
    }
    for (const TfAllocation& allocation : step.allocations)
    {
        find(allocation.time).allocations.push_back(allocation);
    }
    return runs;
}

} // namespace ns3::dml
