/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-graph.h"
#include "dml-tf-names.h"
#include "dml-tf-passes.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

constexpr std::string_view ALL_STREAMS = "/stream:all";
constexpr std::string_view STREAM = "/stream:";

/// Start and end of a kernel, ns.
using Interval = std::pair<int64_t, int64_t>;

/// @return for each device whether the kernels recorded on it count
std::vector<bool>
FindKernelDevices(const TfStep& step)
{
    std::map<std::string, bool> hasAll; // GPU with its machine -> has it a device stream:all
    const auto getGpu = [](const TfDevice& device) {
        return device.machine + " " + device.local.substr(0, device.local.find(STREAM));
    };
    for (const TfDevice& device : step.devices)
    {
        if (device.local.find(ALL_STREAMS) != std::string::npos)
        {
            hasAll[getGpu(device)] = true;
        }
    }
    std::vector<bool> counts;
    for (const TfDevice& device : step.devices)
    {
        const bool isStream = device.local.find(STREAM) != std::string::npos;
        const bool isAll = device.local.find(ALL_STREAMS) != std::string::npos;
        counts.push_back(isStream && (isAll || hasAll.count(getGpu(device)) == 0));
    }
    return counts;
}

/// @return start of the first interval, and the time during which at least one lasts
std::pair<int64_t, int64_t>
Unite(std::vector<Interval>& intervals)
{
    std::sort(intervals.begin(), intervals.end());
    int64_t busy = 0;
    int64_t end = intervals.front().first;
    for (const Interval& interval : intervals)
    {
        busy += std::max<int64_t>(0, interval.second - std::max(end, interval.first));
        end = std::max(end, interval.second);
    }
    return {intervals.front().first, busy};
}

/// @return true if ops of @p device launch kernels
bool
IsGpu(const TfDevice& device)
{
    return device.local.rfind("gpu:", 0) == 0;
}

/**
 * Let ops on GPUs without kernels start when what they read has ended, as kernels do.
 * @param step without pseudo-devices, changed
 * @param hasKernels by op
 * @return number of ops that start later now
 */
std::size_t
MoveOthers(TfStep& step, const std::vector<bool>& hasKernels)
{
    const TfGraph graph(step);
    std::vector<uint32_t> others;
    for (uint32_t i = 0; i < step.ops.size(); ++i)
    {
        if (!hasKernels[i] && IsGpu(step.devices[step.ops[i].device]))
        {
            others.push_back(i);
        }
    }
    // In this order what an op reads is moved before it.
    std::stable_sort(others.begin(), others.end(), [&](uint32_t a, uint32_t b) {
        return std::tie(step.ops[a].launch, step.ops[a].end) <
               std::tie(step.ops[b].launch, step.ops[b].end);
    });
    std::size_t moved = 0;
    for (const uint32_t i : others)
    {
        TfOp& op = step.ops[i];
        int64_t start = op.start;
        for (const std::string& input : op.inputs)
        {
            const uint32_t producer = graph.FindProducer(input, i);
            if (producer != TfGraph::NONE && producer != i &&
                step.ops[producer].launch <= op.launch)
            {
                start = std::max(start, step.ops[producer].end);
            }
        }
        moved += start > op.start ? 1 : 0;
        // One that had not ended waited for what it reads, as an all-reduce does: it takes the
        // rest.
        op.end = start < op.end ? op.end : start + (op.end - op.start);
        op.start = start;
    }
    return moved;
}

} // namespace

std::string
ApplyTfGpuKernels(TfStep& step)
{
    const std::vector<bool> counts = FindKernelDevices(step);
    // A pseudo-device may lack its machine: then its nodes are looked for on all of them.
    std::unordered_map<std::string, std::vector<Interval>> kernels;
    std::size_t records = 0;
    for (const TfOp& op : step.ops)
    {
        if (counts[op.device])
        {
            kernels[step.GetMachine(op) + " " + op.node].emplace_back(op.start, op.end);
            ++records;
        }
    }
    step.ops.erase(
        std::remove_if(step.ops.begin(),
                       step.ops.end(),
                       [&](const TfOp& op) { return IsTfGpuTrace(step.devices[op.device].local); }),
        step.ops.end());
    if (records == 0)
    {
        return "";
    }
    std::size_t replaced = 0;
    std::vector<bool> hasKernels(step.ops.size(), false);
    for (std::size_t i = 0; i < step.ops.size(); ++i)
    {
        TfOp& op = step.ops[i];
        if (!IsGpu(step.devices[op.device]))
        {
            continue;
        }
        auto found = kernels.find(step.GetMachine(op) + " " + op.node);
        found = found != kernels.end() ? found : kernels.find(" " + op.node);
        if (found != kernels.end())
        {
            const auto [start, busy] = Unite(found->second);
            op.start = start;
            op.end = start + busy;
            hasKernels[i] = true;
            ++replaced;
        }
    }
    const std::size_t moved = MoveOthers(step, hasKernels);
    return "GPU: an op's time is that of its kernels on stream:all, not that of their launch (" +
           std::to_string(replaced) + " ops, " + std::to_string(records) +
           " kernels and copies); ops without kernels keep their own times, but not before the "
           "ends of what they "
           "read (" +
           std::to_string(moved) + " moved)";
}

} // namespace ns3::dml
