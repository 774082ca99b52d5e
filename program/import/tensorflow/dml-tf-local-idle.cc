/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-step-builder.h"

#include <algorithm>
#include <fmt/core.h>
#include <set>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Op that stands for the time before the first one of a step.
constexpr const char* SESSION = "compute/session";

/// @return start of the first op of a step, ns
int64_t
FindStart(const MeasuredStep& step)
{
    int64_t start = step.end;
    for (const MeasuredOp& op : step.ops)
    {
        start = std::min(start, op.start);
    }
    return start;
}

/// Let variables be read when the step starts.
void
MoveReads(MeasuredStep& step)
{
    for (MeasuredOp& op : step.ops)
    {
        op.start = op.kind == OpKind::PULL ? step.start : op.start;
        op.duration = op.kind == OpKind::PULL ? 0 : op.duration;
    }
    std::stable_partition(step.ops.begin(), step.ops.end(), [](const MeasuredOp& op) {
        return op.kind == OpKind::PULL;
    });
}

/// Add an op without length for which all ops wait that wait for no other one.
/// @param start ns, of what was before it @param device that runs it
void
AddSession(MeasuredStep& step, int64_t start, const std::string& device)
{
    std::set<std::string> computed;
    for (const MeasuredOp& op : step.ops)
    {
        if (RunsOnDevice(op.kind))
        {
            computed.insert(op.name);
        }
    }
    for (MeasuredOp& op : step.ops)
    {
        const bool waits = std::any_of(op.deps.begin(), op.deps.end(), [&](const auto& dep) {
            return computed.count(dep) > 0;
        });
        if (RunsOnDevice(op.kind) && !waits)
        {
            op.deps.emplace_back(SESSION);
        }
    }
    const auto place = std::find_if(step.ops.begin(), step.ops.end(), [](const auto& op) {
        return op.kind != OpKind::PULL;
    });
    step.ops.insert(place, {SESSION, OpKind::COMPUTE, device, "", {}, start, 0});
}

} // namespace

void
PlaceTfLocalIdle(std::vector<TfBuiltStep>& steps, std::vector<std::string>& rules)
{
    std::vector<std::pair<MeasuredStep*, int64_t>> locals; // and when they do something first, ns
    int64_t longest = 0;                                   // time before that, ns
    bool isTaken = false;
    for (TfBuiltStep& built : steps)
    {
        if (!built.local)
        {
            continue;
        }
        MeasuredStep& step = built.measured;
        locals.emplace_back(&step, FindStart(step));
        longest = std::max(longest, locals.back().second - step.start);
        isTaken |= std::any_of(step.ops.begin(), step.ops.end(), [](const MeasuredOp& op) {
            return op.name == SESSION;
        });
        MoveReads(step);
    }
    if (longest == 0 || isTaken)
    {
        return;
    }
    // All steps have it, on one device, whichever their first op runs on.
    const auto& ops = locals.front().first->ops;
    const std::string device = std::find_if(ops.begin(), ops.end(), [](const MeasuredOp& op) {
                                   return RunsOnDevice(op.kind);
                               })->device;
    for (const auto& [step, start] : locals)
    {
        AddSession(*step, start, device);
    }
    rules.push_back(fmt::format("time of session.run before its first op ({:.3f} ms at most): "
                                "{}, for which all others wait",
                                static_cast<double>(longest) / 1e6,
                                SESSION));
}

} // namespace ns3::dml
