/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tensor-partition.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ns3::dml
{

namespace
{

uint64_t
CountSlices(const Tensor& tensor, uint64_t bytes)
{
    // a tensor of zero bytes is transferred, too
    return std::max<uint64_t>(1, tensor.bytes / bytes + (tensor.bytes % bytes > 0 ? 1 : 0));
}

/// @return bytes of slice @p slice when @p tensor is cut into @p slices
uint64_t
SliceBytes(const Tensor& tensor, uint64_t slices, uint64_t slice)
{
    return tensor.bytes / slices + (slice < tensor.bytes % slices ? 1 : 0);
}

std::string
SliceName(const std::string& whole, uint64_t slices, uint64_t slice)
{
    return slices == 1 ? whole : whole + "/" + std::to_string(slice);
}

/// The seconds of a slice of an op that took @p whole.
std::vector<double>
SliceSeconds(const std::vector<double>& whole, double share)
{
    std::vector<double> seconds(whole);
    for (auto& value : seconds)
    {
        value *= share;
    }
    return seconds;
}

/// A range of indices: where the slices of a tensor or an op are.
struct Range
{
    uint32_t first; //!< first one
    uint32_t count; //!< number of them, at least 1
};

/// Tensors of @p profile cut into @p result; @return where those of each tensor are
std::vector<Range>
CutTensors(const Profile& profile, uint64_t bytes, PartitionedProfile& result)
{
    std::vector<Range> ranges;
    for (TensorIndex i = 0; i < profile.tensors.size(); ++i)
    {
        const Tensor& tensor = profile.tensors[i];
        const auto slices = static_cast<uint32_t>(CountSlices(tensor, bytes));
        ranges.push_back({static_cast<uint32_t>(result.origin.size()), slices});
        for (uint32_t slice = 0; slice < slices; ++slice)
        {
            result.profile.tensors.push_back(
                {SliceName(tensor.name, slices, slice), SliceBytes(tensor, slices, slice)});
            result.origin.push_back(i);
        }
    }
    return ranges;
}

/// Ops of @p profile cut into @p cut, with their seconds; @return where those of each op are
std::vector<Range>
CutOps(const Profile& profile, const std::vector<Range>& tensors, Profile& cut)
{
    std::vector<Range> ranges;
    for (OpIndex i = 0; i < profile.graph.GetSize(); ++i)
    {
        const Op& whole = profile.graph.Get(i);
        const Range slices = whole.tensor == NO_INDEX ? Range{0, 1} : tensors[whole.tensor];
        ranges.push_back({cut.graph.GetSize(), slices.count});
        for (uint32_t slice = 0; slice < slices.count; ++slice)
        {
            Op op = whole;
            double share = 1;
            op.name = SliceName(whole.name, slices.count, slice);
            if (slices.count > 1)
            {
                share = static_cast<double>(cut.tensors[slices.first + slice].bytes) /
                        static_cast<double>(profile.tensors[whole.tensor].bytes);
            }
            if (whole.tensor != NO_INDEX)
            {
                op.tensor = slices.first + slice;
            }
            cut.graph.Add(std::move(op));
            cut.samples.push_back(SliceSeconds(profile.samples[i], share));
        }
    }
    return ranges;
}

/// Dependencies of @p profile between the slices of its ops.
void
CutDependencies(const Profile& profile, const std::vector<Range>& ops, OpGraph& graph)
{
    for (OpIndex after = 0; after < profile.graph.GetSize(); ++after)
    {
        const TensorIndex tensor = profile.graph.Get(after).tensor;
        for (const OpIndex before : profile.graph.GetDependencies(after))
        {
            const bool sameTensor =
                tensor != NO_INDEX && profile.graph.Get(before).tensor == tensor;
            for (uint32_t slice = 0; slice < ops[after].count; ++slice)
            {
                const uint32_t first = sameTensor ? slice : 0;
                const uint32_t end = sameTensor ? slice + 1 : ops[before].count;
                for (uint32_t other = first; other < end; ++other)
                {
                    graph.AddDependency(ops[before].first + other, ops[after].first + slice);
                }
            }
        }
    }
}

} // namespace

uint64_t
CountSlices(const Profile& profile, uint64_t bytes)
{
    uint64_t slices = 0;
    for (const auto& tensor : profile.tensors)
    {
        slices += CountSlices(tensor, bytes);
    }
    return slices;
}

PartitionedProfile
PartitionTensors(const Profile& profile, uint64_t bytes)
{
    PartitionedProfile result;
    Profile& cut = result.profile;
    cut.model = profile.model;
    cut.batchSize = profile.batchSize;
    cut.inputBytes = profile.inputBytes;
    cut.residentBytes = profile.residentBytes;
    cut.source = profile.source;
    cut.devices = profile.devices;
    const std::vector<Range> tensors = CutTensors(profile, bytes, result);
    const std::vector<Range> ops = CutOps(profile, tensors, cut);
    CutDependencies(profile, ops, cut.graph);
    cut.Validate();
    return result;
}

} // namespace ns3::dml
