/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-profile.h"

#include "ns3/dml-plural.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <unordered_set>

namespace ns3::dml
{

namespace
{

std::string
Quoted(const std::string& name)
{
    return "'" + name + "'";
}

void
CheckTensors(const Profile& profile)
{
    std::unordered_set<std::string> names;
    for (TensorIndex i = 0; i < profile.tensors.size(); ++i)
    {
        if (!names.insert(profile.tensors[i].name).second)
        {
            throw ProfileError("tensor " + Quoted(profile.tensors[i].name) +
                                   " is listed twice; tensor names must be unique",
                               NO_INDEX,
                               i);
        }
    }
}

void
CheckDevices(const Profile& profile)
{
    if (profile.devices.empty())
    {
        throw ProfileError("no device; a profile needs at least one", NO_INDEX);
    }
    std::unordered_set<std::string> names;
    for (const auto& device : profile.devices)
    {
        if (!names.insert(device.name).second)
        {
            throw ProfileError("device " + Quoted(device.name) + " is listed twice", NO_INDEX);
        }
        if (device.slots == 0)
        {
            throw ProfileError("device " + Quoted(device.name) +
                                   " has 0 slots; at least 1 is needed",
                               NO_INDEX);
        }
    }
}

/// @throws ProfileError if the op holds what its kind cannot, or more than is accepted
void
CheckMemory(const Profile& profile, OpIndex index)
{
    const Op& op = profile.graph.Get(index);
    const bool forward = op.kind == OpKind::FORWARD;
    const std::pair<const char*, uint64_t> values[]{{"activation_bytes", op.memory.activation},
                                                    {"output_bytes", op.memory.output},
                                                    {"workspace_bytes", op.memory.workspace}};
    for (const auto& [key, bytes] : values)
    {
        const bool known = forward || (op.kind == OpKind::BACKWARD && &bytes == &values[2].second);
        if (bytes > 0 && (!known || bytes > MAX_OP_MEMORY))
        {
            throw ProfileError(std::string(ToString(op.kind)) + " op " + Quoted(op.name) + " has " +
                                   std::to_string(bytes) + " " + key + "; accepted are 0 to " +
                                   std::to_string(MAX_OP_MEMORY) +
                                   ": of forward ops, and workspace_bytes of backward ops",
                               index);
        }
    }
}

/// One op against its kind: the tensor or device it must have, and no second use of a tensor.
void
CheckOp(const Profile& profile, OpIndex index, std::set<std::pair<OpKind, TensorIndex>>& used)
{
    const Op& op = profile.graph.Get(index);
    const std::string what = std::string(ToString(op.kind)) + " op " + Quoted(op.name);
    if (NeedsTensor(op.kind))
    {
        if (op.tensor >= profile.tensors.size())
        {
            throw ProfileError(what + " has no tensor; pull, push and update ops must name one",
                               index);
        }
        if (!used.insert({op.kind, op.tensor}).second)
        {
            throw ProfileError(what + " is the second " + std::string(ToString(op.kind)) +
                                   " of tensor " + Quoted(profile.tensors[op.tensor].name) +
                                   "; a step has at most one",
                               index);
        }
    }
    else if (op.device >= profile.devices.size())
    {
        throw ProfileError(what + " runs on an unknown device", index);
    }
}

/// @throws ProfileError if one of the durations is none
void
CheckSeconds(const std::vector<double>& durations, const std::string& what, OpIndex index)
{
    for (const double seconds : durations)
    {
        if (!std::isfinite(seconds) || seconds < 0)
        {
            std::ostringstream text;
            text << what << " has a duration of " << seconds
                 << " s; accepted are finite numbers >= 0";
            throw ProfileError(text.str(), index);
        }
    }
}

/// @param count as Profile::GetSampleCount() has it
void
CheckSamples(const Profile& profile, std::size_t count, OpIndex index)
{
    const Op& op = profile.graph.Get(index);
    const auto& samples = profile.samples[index];
    if (IsTransfer(op.kind))
    {
        if (!samples.empty())
        {
            throw ProfileError(std::string(ToString(op.kind)) + " op " + Quoted(op.name) +
                                   " has seconds; the network decides how long a transfer takes",
                               index);
        }
        return;
    }
    const std::string what = "op " + Quoted(op.name);
    if (samples.size() != count)
    {
        throw ProfileError(what + " has " + Plural(samples.size(), "sample") +
                               " where others have " + std::to_string(count) +
                               "; every op needs one per measured step",
                           index);
    }
    CheckSeconds(samples, what, index);
}

/// @throws ProfileError if a bucket's times are none, or those without waiting do not fit the
/// others
void
CheckTimes(const MeasuredBucket& bucket, const std::string& what)
{
    CheckSeconds(bucket.recorded, what, NO_INDEX);
    CheckSeconds(bucket.transfer, what, NO_INDEX);
    if (!bucket.transfer.empty() && bucket.transfer.size() != bucket.recorded.size())
    {
        throw ProfileError(what + " has " + Plural(bucket.transfer.size(), "time") +
                               " without waiting and " + std::to_string(bucket.recorded.size()) +
                               " with it; accepted are as many",
                           NO_INDEX);
    }
    for (std::size_t i = 0; i < bucket.transfer.size(); ++i)
    {
        if (bucket.transfer[i] > bucket.recorded[i])
        {
            std::ostringstream text;
            text << what << " takes " << bucket.transfer[i] << " s without waiting and "
                 << bucket.recorded[i] << " s with it; accepted is at most as long";
            throw ProfileError(text.str(), NO_INDEX);
        }
    }
}

void
CheckBuckets(const Profile& profile, const std::set<std::pair<OpKind, TensorIndex>>& used)
{
    std::set<TensorIndex> seen;
    for (std::size_t b = 0; b < profile.buckets.size(); ++b)
    {
        const MeasuredBucket& bucket = profile.buckets[b];
        const std::string what = "bucket " + std::to_string(b);
        if (bucket.tensors.empty())
        {
            throw ProfileError(what + " has no tensor; at least one is needed", NO_INDEX);
        }
        for (const TensorIndex tensor : bucket.tensors)
        {
            if (tensor >= profile.tensors.size() || used.count({OpKind::PUSH, tensor}) == 0)
            {
                throw ProfileError(what + " has a tensor without a push", NO_INDEX);
            }
            if (!seen.insert(tensor).second)
            {
                throw ProfileError(what + " has tensor " + Quoted(profile.tensors[tensor].name) +
                                       ", which is in a bucket already",
                                   NO_INDEX,
                                   tensor);
            }
        }
        CheckTimes(bucket, what);
    }
}

void
CheckAcyclic(const Profile& profile)
{
    const auto cycle = profile.graph.FindCycle();
    if (cycle.empty())
    {
        return;
    }
    std::string text = "the dependencies form a cycle: ";
    for (const OpIndex op : cycle)
    {
        text += Quoted(profile.graph.Get(op).name) + " -> ";
    }
    throw ProfileError(text + Quoted(profile.graph.Get(cycle.front()).name), cycle.front());
}

} // namespace

uint32_t
Profile::GetSampleCount() const
{
    const auto row = std::find_if(samples.begin(), samples.end(), [](const auto& seconds) {
        return !seconds.empty();
    });
    return row == samples.end() ? 1 : row->size();
}

uint64_t
Profile::GetTotalBytes() const
{
    uint64_t total = 0;
    for (const auto& tensor : tensors)
    {
        total += tensor.bytes;
    }
    return total;
}

uint64_t
Profile::GetBytes(const std::vector<TensorIndex>& listed) const
{
    uint64_t total = 0;
    for (const TensorIndex tensor : listed)
    {
        total += tensors[tensor].bytes;
    }
    return total;
}

bool
Profile::HasMemory() const
{
    if (inputBytes > 0 || residentBytes > 0)
    {
        return true;
    }
    for (OpIndex i = 0; i < graph.GetSize(); ++i)
    {
        const OpMemory& memory = graph.Get(i).memory;
        if (memory.activation > 0 || memory.output > 0 || memory.workspace > 0 || memory.noOutput)
        {
            return true;
        }
    }
    return false;
}

void
Profile::Scale(double factor)
{
    const auto scale = [factor](uint64_t& bytes) {
        bytes = bytes > 0 ? std::max<uint64_t>(1, std::llround(factor * bytes)) : 0;
    };
    for (auto& tensor : tensors)
    {
        scale(tensor.bytes);
    }
    scale(inputBytes);
    scale(residentBytes);
    for (OpIndex i = 0; i < graph.GetSize(); ++i)
    {
        OpMemory memory = graph.Get(i).memory;
        scale(memory.activation);
        scale(memory.output);
        scale(memory.workspace);
        graph.SetMemory(i, memory);
    }
    for (auto& row : samples)
    {
        for (auto& seconds : row)
        {
            seconds *= factor;
        }
    }
    for (auto& bucket : buckets)
    {
        for (auto* times : {&bucket.recorded, &bucket.transfer})
        {
            for (auto& seconds : *times)
            {
                seconds *= factor;
            }
        }
    }
}

void
Profile::Validate() const
{
    if (batchSize == 0)
    {
        throw ProfileError("batch_size is 0; at least 1 is needed", NO_INDEX);
    }
    if (graph.GetSize() == 0)
    {
        throw ProfileError("no ops; a step needs at least one", NO_INDEX);
    }
    CheckTensors(*this);
    CheckDevices(*this);
    if (samples.size() != graph.GetSize())
    {
        throw ProfileError("there must be one row of samples per op", NO_INDEX);
    }
    std::unordered_set<std::string> names;
    std::set<std::pair<OpKind, TensorIndex>> used;
    const std::size_t count = GetSampleCount();
    for (OpIndex i = 0; i < graph.GetSize(); ++i)
    {
        if (!names.insert(graph.Get(i).name).second)
        {
            throw ProfileError("op " + Quoted(graph.Get(i).name) +
                                   " is listed twice; op names must be unique",
                               i);
        }
        CheckOp(*this, i, used);
        CheckMemory(*this, i);
        CheckSamples(*this, count, i);
    }
    CheckAcyclic(*this);
    CheckBuckets(*this, used);
}

} // namespace ns3::dml
