/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-et-run.h"

#include "ns3/dml-plural.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

/// When the ops of a step ran, in ns.
struct Extent
{
    int64_t workEnd;              //!< of the worker's ops
    int64_t end;                  //!< of all ops
    std::optional<int64_t> start; //!< of the first update that takes time
};

Extent
FindExtent(const MeasuredStep& step)
{
    Extent extent{step.start, step.start, std::nullopt};
    for (const MeasuredOp& op : step.ops)
    {
        const int64_t end = op.start + op.duration;
        if (op.kind != OpKind::UPDATE)
        {
            extent.workEnd = std::max(extent.workEnd, end);
        }
        else if (op.duration > 0)
        {
            extent.start = std::min(extent.start.value_or(op.start), op.start);
        }
        extent.end = std::max(extent.end, end);
    }
    return extent;
}

/// Add an op without length behind the worker's ops of @p step. @param start ns
void
AddOp(MeasuredStep& step, const std::string& name, int64_t start)
{
    const auto last = std::find_if(step.ops.rbegin(), step.ops.rend(), [](const MeasuredOp& op) {
        return RunsOnDevice(op.kind);
    });
    if (last == step.ops.rend())
    {
        return;
    }
    MeasuredOp op;
    op.name = name;
    op.kind = OpKind::COMPUTE;
    op.device = last->device;
    op.deps = {last->name};
    op.start = start;
    step.ops.insert(last.base(), op);
}

} // namespace

std::string
AddTorchEtIdleOps(std::vector<MeasuredStep>& steps)
{
    std::vector<Extent> extents;
    uint64_t before = 0;
    uint64_t after = 0;
    for (const MeasuredStep& step : steps)
    {
        extents.push_back(FindExtent(step));
        const Extent& extent = extents.back();
        before += extent.start && *extent.start > extent.workEnd ? 1 : 0;
        after += extent.start && extent.end < step.end ? 1 : 0;
    }
    for (std::size_t s = 0; s < steps.size(); ++s)
    {
        if (before > 0)
        {
            AddOp(steps[s], "compute/before-update", extents[s].start.value_or(steps[s].start));
        }
        if (after > 0)
        {
            AddOp(steps[s], "compute/after-update", std::max(extents[s].end, steps[s].end));
        }
    }
    return before + after == 0
               ? std::string()
               : "idle time before the updates (" + std::to_string(before) + " of " +
                     Plural(steps.size(), "step") + ") and after them (" + std::to_string(after) +
                     "): the worker's, compute/before-update and compute/after-update";
}

} // namespace ns3::dml
