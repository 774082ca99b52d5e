/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-gpu-times.h"

#include "ns3/dml-device-steps.h"
#include "ns3/dml-error.h"

#include <fmt/core.h>
#include <unordered_set>

namespace ns3::dml
{

namespace
{

/// Share of the autograd nodes that launch something if a GPU computes: of a GPU's job nearly all
/// do, of a CPU's that copies something, none or a few.
constexpr double COMPUTES = 0.25;

/// @return the outermost autograd node around an event, or NONE if it is in none
uint32_t
FindNodeAround(const TorchTrace& trace, uint32_t event)
{
    uint32_t node = TorchEvent::NONE;
    for (; event != TorchEvent::NONE; event = trace.events[event].parent)
    {
        node = trace.events[event].backward ? event : node;
    }
    return node;
}

/// Tell which steps complete gradients.
void
MarkTraining(const TorchTrace& trace, std::vector<DeviceStep>& steps)
{
    for (DeviceStep& step : steps)
    {
        step.trains = false;
    }
    for (const TorchEvent& event : trace.events)
    {
        if (GetTorchNode(trace.GetName(event)) == torchnames::ACCUMULATE)
        {
            MarkTrainingAt(steps, event.start);
        }
    }
}

} // namespace

TorchComputing
FindTorchComputing(const TorchTrace& trace)
{
    std::unordered_set<uint32_t> launching; // outermost autograd nodes
    for (const TorchKernel& kernel : trace.kernels)
    {
        launching.insert(FindNodeAround(trace, kernel.event));
    }
    for (const TorchLaunch& launch : trace.launches)
    {
        launching.insert(FindNodeAround(trace, launch.event));
    }
    launching.erase(TorchEvent::NONE);
    uint64_t nodes = 0;
    for (uint32_t event = 0; event < trace.events.size(); ++event)
    {
        const std::string& name = trace.GetName(trace.events[event]);
        nodes +=
            FindNodeAround(trace, event) == event && GetTorchNode(name) != torchnames::ACCUMULATE
                ? 1
                : 0;
    }
    if (trace.gpuRanges > 0 && trace.gpuRanges >= COMPUTES * nodes)
    {
        throw InputError(fmt::format(
            "{}: has times of {} ops on a GPU ('CUDA functions'), which do not tell kernels, and "
            "the "
            "host's times would be those of launching them; accepted are legacy traces of a CPU, "
            "and those of torch.profiler (PyTorch 1.8 and later) of a GPU",
            trace.file,
            trace.gpuRanges));
    }
    if (launching.empty() || launching.size() < COMPUTES * nodes)
    {
        return nodes == 0 && !trace.kernels.empty() ? TorchComputing::GPU : TorchComputing::CPU;
    }
    if (trace.kernels.empty())
    {
        throw InputError(fmt::format(
            "{}: {} calls launch work on a GPU, and none of that is in the trace, so that times "
            "would be those of launching it; accepted is a trace with the GPU's kernels "
            "(ProfilerActivity.CUDA, and permission to trace the GPU)",
            trace.file,
            trace.launches.size()));
    }
    return TorchComputing::GPU;
}

std::vector<bool>
FindTorchGpuTimes(const TorchRun& run, std::vector<TorchStepTime>& times)
{
    const TorchTrace& trace = run.trace;
    std::vector<DeviceStep> steps;
    for (const TorchStepTime& time : times)
    {
        DeviceStep step;
        step.place = time.place;
        step.hostStart = time.hostStart;
        step.hostEnd = time.hostEnd;
        steps.push_back(step);
    }
    MarkTraining(trace, steps);
    std::vector<DeviceWork> works;
    std::unordered_set<const TorchLaunch*> answered;
    for (const TorchKernel& kernel : trace.kernels)
    {
        const TorchLaunch* const call =
            kernel.call == TorchEvent::NONE ? nullptr : &trace.launches[kernel.call];
        if (call)
        {
            answered.insert(call);
        }
        if (trace.texts[kernel.device] != run.gpu)
        {
            continue;
        }
        DeviceWork work{kernel.start,
                        kernel.end,
                        INT64_MIN,
                        INT64_MIN,
                        kernel.stream,
                        !kernel.copies && !kernel.collective};
        const uint32_t event = kernel.event;
        if (call)
        {
            work.call = call->start;
            work.queued = call->end;
        }
        else if (event != TorchEvent::NONE)
        {
            work.call = work.queued = trace.events[event].start;
        }
        works.push_back(work);
    }
    std::vector<DeviceCall> calls;
    for (const TorchLaunch& call : trace.launches)
    {
        calls.push_back({call.start, answered.count(&call) > 0});
    }
    FindDeviceSteps(steps, works, calls);
    std::vector<bool> complete;
    for (std::size_t s = 0; s < steps.size(); ++s)
    {
        times[s].start = steps[s].start;
        times[s].end = steps[s].end;
        complete.push_back(steps[s].complete);
    }
    return complete;
}

} // namespace ns3::dml
