/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-profile.h"

#include "ns3/dml-plural.h"

#include <cmath>
#include <set>
#include <sstream>
#include <unordered_set>

namespace ns3
{
namespace dml
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

void
CheckSamples(const Profile& profile, OpIndex index)
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
    if (samples.size() != profile.GetSampleCount())
    {
        std::ostringstream text;
        text << "op " << Quoted(op.name) << " has " << Plural(samples.size(), "sample")
             << " where others have " << profile.GetSampleCount()
             << "; every op needs one per measured step";
        throw ProfileError(text.str(), index);
    }
    for (const double seconds : samples)
    {
        if (!std::isfinite(seconds) || seconds < 0)
        {
            std::ostringstream text;
            text << "op " << Quoted(op.name) << " has a duration of " << seconds
                 << " s; accepted are finite numbers >= 0";
            throw ProfileError(text.str(), index);
        }
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
    for (const auto& row : samples)
    {
        if (!row.empty())
        {
            return row.size();
        }
    }
    return 1;
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

void
Profile::Scale(double factor)
{
    for (auto& tensor : tensors)
    {
        const auto bytes = static_cast<uint64_t>(std::llround(factor * tensor.bytes));
        tensor.bytes = tensor.bytes > 0 ? std::max<uint64_t>(1, bytes) : 0;
    }
    for (auto& row : samples)
    {
        for (auto& seconds : row)
        {
            seconds *= factor;
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
    for (OpIndex i = 0; i < graph.GetSize(); ++i)
    {
        if (!names.insert(graph.Get(i).name).second)
        {
            throw ProfileError("op " + Quoted(graph.Get(i).name) +
                                   " is listed twice; op names must be unique",
                               i);
        }
        CheckOp(*this, i, used);
        CheckSamples(*this, i);
    }
    CheckAcyclic(*this);
}

} // namespace dml
} // namespace ns3
