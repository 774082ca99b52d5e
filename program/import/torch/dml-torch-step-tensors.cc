/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-bucket-match.h"
#include "dml-torch-run.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Most names of tensors that a message lists.
constexpr std::size_t MAX_NAMES = 6;

/// @return the accumulation during which @p message was asked for, else, if the trace does not
/// tell when that was, the last one before it; NONE if it is not about gradients
uint32_t
FindMessagePart(const TorchTrace& trace, const TorchStep& step, const TorchMessage& message)
{
    uint32_t last = TorchEvent::NONE;
    for (uint32_t p = 0; p < step.parts.size(); ++p)
    {
        const TorchPart& part = step.parts[p];
        if (part.event == TorchEvent::NONE || part.asked > message.start)
        {
            continue;
        }
        if (part.work == TorchWork::UPDATE && last != TorchEvent::NONE)
        {
            return TorchEvent::NONE; // an all-reduce after the gradients are used
        }
        if (part.work == TorchWork::ACCUMULATE)
        {
            last = p;
        }
    }
    const bool during =
        last != TorchEvent::NONE && message.start <= trace.events[step.parts[last].event].end;
    return during || !trace.requested ? last : TorchEvent::NONE;
}

/// Tell when the kernels ran that each all-reduce launched.
void
SetRunTimes(const TorchTrace& trace, const TorchStep& step, std::vector<TorchBucket>& buckets)
{
    std::map<uint32_t, std::vector<TorchMessage*>> asked; // by outermost event
    std::vector<const TorchCollective*> unknown;
    for (const TorchCollective& kernel : step.collectives)
    {
        if (kernel.request == TorchEvent::NONE)
        {
            unknown.push_back(&kernel);
            continue;
        }
        asked.emplace(kernel.request, 0);
    }
    for (auto& [event, messages] : asked)
    {
        const TorchEvent& request = trace.events[event];
        for (TorchBucket& bucket : buckets)
        {
            const TorchMessage& message = bucket.message;
            // What starts in the microsecond in which a request ends belongs to the next one.
            const bool isWithin = message.start == request.start ||
                                  (message.start > request.start && message.start < request.end);
            if (message.thread == request.thread && isWithin)
            {
                messages.push_back(&bucket.message);
            }
        }
    }
    // One that is asked for alone lasts as long as all it launched.
    for (const TorchCollective& kernel : step.collectives)
    {
        const auto found = asked.find(kernel.request);
        if (found != asked.end() && found->second.size() == 1)
        {
            TorchMessage& message = *found->second.front();
            message.runStart =
                message.runEnd == 0 ? kernel.start : std::min(message.runStart, kernel.start);
            message.runEnd = std::max(message.runEnd, kernel.end);
        }
    }
    // Where nothing tells what launched kernels, they are in the order of requests, as they follow
    // one another on their stream.
    for (std::size_t b = 0; unknown.size() == buckets.size() && b < buckets.size(); ++b)
    {
        if (buckets[b].message.GetLength() == 0)
        {
            buckets[b].message.runStart = unknown[b]->start;
            buckets[b].message.runEnd = unknown[b]->end;
        }
    }
}

std::vector<TorchBucket>
FindStepBuckets(const TorchTrace& trace, const TorchStep& step)
{
    std::vector<TorchBucket> buckets;
    for (const TorchMessage& message : trace.messages)
    {
        const bool isHere =
            message.start >= step.time.hostStart && message.start < step.time.hostEnd;
        const uint32_t part =
            isHere && !message.isWhole ? FindMessagePart(trace, step, message) : TorchEvent::NONE;
        if (part != TorchEvent::NONE)
        {
            buckets.push_back({message, part});
        }
    }
    SetRunTimes(trace, step, buckets);
    return buckets;
}

/// @param known whether the sizes of all parameters are
/// @return index of the bucket of each parameter's gradient, or NONE
std::vector<uint32_t>
FindBuckets(const TorchTrace& trace,
            const std::vector<TorchBucket>& buckets,
            const TorchStep& step,
            const std::vector<TorchParameter>& parameters,
            bool known)
{
    std::vector<uint32_t> found(parameters.size(), TorchEvent::NONE);
    if (buckets.empty())
    {
        return found;
    }
    std::vector<std::size_t> order(parameters.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&parameters](std::size_t a, std::size_t b) {
        return parameters[a].accumulate < parameters[b].accumulate;
    });
    std::vector<ReadyGradient> gradients;
    for (const std::size_t p : order)
    {
        const int64_t start = trace.events[step.parts[parameters[p].accumulate].event].start;
        const auto first = std::find_if(buckets.begin(), buckets.end(), [start](const auto& known) {
            return start <= known.message.start;
        });
        gradients.push_back(
            {known ? *parameters[p].bytes : 0, static_cast<uint32_t>(first - buckets.begin())});
    }
    std::vector<uint64_t> bytes;
    for (const TorchBucket& bucket : buckets)
    {
        bytes.push_back(bucket.message.bytes);
    }
    const auto matched = MatchGradients(gradients, bytes);
    for (std::size_t g = 0; g < order.size(); ++g)
    {
        found[order[g]] = matched[g] < buckets.size() ? matched[g] : TorchEvent::NONE;
    }
    return found;
}

[[noreturn]] void
FailSizes(const std::vector<TorchParameter>& parameters, const TorchStep& step)
{
    std::string names;
    std::size_t unknown = 0;
    for (const TorchParameter& parameter : parameters)
    {
        if (!parameter.bytes)
        {
            ++unknown;
            names += unknown <= MAX_NAMES ? (unknown > 1 ? ", " : "") + parameter.name : "";
        }
    }
    names += unknown > MAX_NAMES ? ", ..." : "";
    throw InputError(step.time.place + ": the trace tells no size for " + std::to_string(unknown) +
                     " of " + std::to_string(parameters.size()) + " tensors (" + names +
                     "); accepted are a trace recorded with record_shapes=True, or sizes of these "
                     "tensors given by hand (--sizes PROFILE)");
}

/// @return true if all updates could be told apart
bool
SetUpdatesByOp(TorchRun& run, std::vector<TorchTensor>& tensors, const TorchPart& update)
{
    struct Alike
    {
        std::vector<std::size_t> tensors;
        std::vector<std::size_t> ops; // places in `lengths`
    };

    std::map<TorchShape, Alike> shapes;
    for (std::size_t i = 0; i < tensors.size(); ++i)
    {
        if (!tensors[i].shape)
        {
            return false;
        }
        shapes[*tensors[i].shape].tensors.push_back(i);
    }
    std::vector<int64_t> lengths;
    const TorchEvent& around = run.trace.events[update.event];
    int64_t end = update.asked;
    for (uint32_t i = update.event + 1;
         i < run.trace.events.size() && run.trace.events[i].thread == around.thread &&
         run.trace.events[i].start <= around.end;
         ++i)
    {
        const TorchEvent& op = run.trace.events[i];
        const bool isPart = run.outer[i] == update.event && op.parent == update.event;
        const auto shape = isPart ? run.GetShape(op.dims, 0) : std::nullopt;
        const auto alike = shape ? shapes.find(*shape) : shapes.end();
        if (alike != shapes.end())
        {
            alike->second.ops.push_back(lengths.size());
            lengths.push_back(std::max<int64_t>(op.end - end, 0));
            end = std::max(end, op.end);
        }
    }
    for (const auto& [shape, alike] : shapes)
    {
        if (alike.ops.empty() || alike.ops.size() % alike.tensors.size() != 0)
        {
            return false;
        }
    }
    lengths.back() += std::max<int64_t>(around.end - end, 0);
    for (const auto& [shape, alike] : shapes)
    {
        const std::size_t each = alike.ops.size() / alike.tensors.size();
        for (std::size_t i = 0; i < alike.ops.size(); ++i)
        {
            tensors[alike.tensors[i / each]].update += lengths[alike.ops[i]];
        }
    }
    return true;
}

void
SetUpdates(TorchRun& run, std::vector<TorchTensor>& tensors, const TorchStep& step)
{
    int64_t total = 0;
    std::vector<const TorchPart*> updates;
    for (const TorchPart& part : step.parts)
    {
        if (part.work == TorchWork::UPDATE)
        {
            total += part.length;
            updates.push_back(&part);
        }
    }
    if (updates.size() == 1 && run.gpu.empty() && SetUpdatesByOp(run, tensors, *updates.front()))
    {
        run.counts.updatesByOp += tensors.size();
        return;
    }
    uint64_t bytes = 0;
    for (const TorchTensor& tensor : tensors)
    {
        bytes += tensor.tensor.bytes;
    }
    uint64_t before = 0;
    int64_t given = 0;
    for (TorchTensor& tensor : tensors)
    {
        before += tensor.tensor.bytes;
        const double share = bytes == 0 ? 1 : static_cast<double>(before) / bytes;
        const auto end =
            before == bytes ? total : std::min(total, static_cast<int64_t>(share * total));
        tensor.update = end - given;
        given = end;
    }
}

} // namespace

TorchStepTensors
FindTorchTensors(TorchRun& run, const TorchStep& step, const ImportOptions& options)
{
    std::vector<TorchParameter> parameters = FindTorchParameters(run, step);
    bool known = true;
    uint64_t bytes = 0;
    for (TorchParameter& parameter : parameters)
    {
        if (const auto size = options.sizes.find(parameter.name); size != options.sizes.end())
        {
            parameter.bytes = size->second;
            ++run.counts.byHand;
        }
        known &= parameter.bytes.has_value();
        bytes += parameter.bytes.value_or(0);
    }
    const std::vector<TorchBucket> buckets = FindStepBuckets(run.trace, step);
    const bool sized = std::all_of(buckets.begin(), buckets.end(), [](const auto& bucket) {
        return bucket.message.bytes > 0;
    });
    if (!known && (buckets.empty() || !sized))
    {
        FailSizes(parameters, step);
    }
    std::vector<TorchTensor> tensors;
    if (!known)
    {
        for (uint32_t b = 0; b < buckets.size(); ++b)
        {
            const std::string name = "bucket_" + std::to_string(b + 1);
            tensors.push_back(
                {{name, buckets[b].message.bytes}, {}, buckets[b].part, 0, 0, 0, b, {}});
        }
    }
    const auto inBuckets = FindBuckets(run.trace, buckets, step, parameters, known);
    for (std::size_t p = 0; p < parameters.size(); ++p)
    {
        const TorchParameter& parameter = parameters[p];
        const uint32_t bucket = inBuckets[p];
        if (known)
        {
            tensors.push_back(
                {{parameter.name, *parameter.bytes}, {}, 0, 0, 0, 0, bucket, parameter.shape});
        }
        TorchTensor& tensor = known ? tensors.back() : tensors[bucket];
        tensor.ready = std::max(tensor.ready, parameter.accumulate);
        if (parameter.forward != TorchEvent::NONE)
        {
            tensor.readers.push_back(parameter.forward);
        }
    }
    for (TorchTensor& tensor : tensors)
    {
        const TorchPart& ready = step.parts[tensor.ready];
        tensor.pushStart = ready.start + ready.length;
        if (tensor.bucket != TorchEvent::NONE && buckets[tensor.bucket].message.GetLength() > 0)
        {
            tensor.pushStart = buckets[tensor.bucket].message.runStart;
            tensor.pushLength = buckets[tensor.bucket].message.GetLength();
        }
    }
    run.counts.tensors += tensors.size();
    run.counts.messages += buckets.size();
    for (const TorchBucket& bucket : buckets)
    {
        run.counts.messageBytes += bucket.message.bytes;
    }
    run.counts.gradientBytes += buckets.empty() ? 0 : bytes;
    run.counts.buckets += known ? 0 : buckets.size();
    run.counts.bucketGrads += known ? 0 : parameters.size();
    SetUpdates(run, tensors, step);
    return {std::move(tensors), buckets};
}

} // namespace ns3::dml
