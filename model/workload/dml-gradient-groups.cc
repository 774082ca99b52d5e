/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-gradient-groups.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace ns3::dml
{

namespace
{

/// @return the push of each tensor, or NO_INDEX
std::vector<OpIndex>
FindPushes(const Profile& profile)
{
    std::vector<OpIndex> pushes(profile.tensors.size(), NO_INDEX);
    for (OpIndex i = 0; i < profile.graph.GetSize(); ++i)
    {
        const Op& op = profile.graph.Get(i);
        if (op.kind == OpKind::PUSH)
        {
            pushes[op.tensor] = i;
        }
    }
    return pushes;
}

/**
 * @param profile a valid profile
 * @param order of the tensors to be grouped
 * @param isFull whether the group of that number, from 1, that ends with a tensor, of so many
 * tensors and bytes, is closed
 * @return groups of successive tensors
 */
GradientGroups
GroupSuccessive(const Profile& profile,
                const std::vector<TensorIndex>& order,
                const std::function<bool(std::size_t, uint32_t, uint64_t)>& isFull)
{
    GradientGroups groups;
    bool open = false;
    uint64_t bytes = 0;
    for (const TensorIndex tensor : order)
    {
        if (!open)
        {
            groups.emplace_back();
            bytes = 0;
        }
        groups.back().push_back(tensor);
        bytes += profile.tensors[tensor].bytes;
        open = !isFull(groups.size(), groups.back().size(), bytes);
    }
    return groups;
}

/// @return what closes a group that has so many bytes, the first one another number unless it is 0
auto
CloseBySize(uint64_t bytes, uint64_t first)
{
    return [bytes, first](std::size_t number, uint32_t, uint64_t size) {
        return size >= (number == 1 && first > 0 ? first : bytes);
    };
}

} // namespace

std::vector<TensorIndex>
OrderGradients(const Profile& profile)
{
    const std::vector<uint32_t> places = FindPlaces(profile.graph);
    // one more than the place of the op that generates it: 0 if nothing does
    std::vector<std::pair<uint32_t, TensorIndex>> gradients;
    for (OpIndex i = 0; i < profile.graph.GetSize(); ++i)
    {
        const Op& op = profile.graph.Get(i);
        if (op.kind == OpKind::PUSH)
        {
            uint32_t generated = 0;
            for (const OpIndex before : profile.graph.GetDependencies(i))
            {
                generated = std::max(generated, places[before] + 1);
            }
            gradients.emplace_back(generated, op.tensor);
        }
    }
    std::stable_sort(gradients.begin(), gradients.end(), [](const auto& a, const auto& b) {
        return a.first < b.first;
    });
    std::vector<TensorIndex> order;
    for (const auto& gradient : gradients)
    {
        order.push_back(gradient.second);
    }
    return order;
}

GradientGroups
GroupGradientsByBytes(const Profile& profile, uint64_t bytes, uint64_t first)
{
    return GroupSuccessive(profile, OrderGradients(profile), CloseBySize(bytes, first));
}

Profile
AddUnusedGradients(Profile profile)
{
    const auto pushes = FindPushes(profile);
    const auto order = OrderGradients(profile);
    const auto before = order.empty() ? std::vector<OpIndex>()
                                      : profile.graph.GetDependencies(pushes[order.front()]);
    for (TensorIndex tensor = 0; tensor < pushes.size(); ++tensor)
    {
        if (pushes[tensor] == NO_INDEX)
        {
            const std::string name = "push of unused " + profile.tensors[tensor].name;
            const OpIndex push = profile.graph.Add({name, OpKind::PUSH, 0, tensor});
            for (const OpIndex op : before)
            {
                profile.graph.AddDependency(op, push);
            }
            profile.samples.emplace_back();
        }
    }
    return profile;
}

GradientGroups
GroupTensorsInReverse(const Profile& profile, uint64_t bytes, uint64_t first)
{
    std::vector<TensorIndex> listed(profile.tensors.size());
    std::iota(listed.begin(), listed.end(), 0);
    GradientGroups groups = GroupSuccessive(profile, listed, CloseBySize(bytes, first));
    std::reverse(groups.begin(), groups.end());
    return groups;
}

GradientGroups
GroupGradientsByCount(const Profile& profile, uint32_t count)
{
    return GroupSuccessive(
        profile,
        OrderGradients(profile),
        [count](std::size_t, uint32_t number, uint64_t) { return number >= count; });
}

GradientGroups
GroupGradientsByLayers(const Profile& profile, uint32_t layers)
{
    const auto places = FindPlaces(profile.graph);
    std::vector<OpIndex> layerOf(profile.tensors.size(), NO_INDEX); // op that uses a tensor first
    for (OpIndex i = 0; i < profile.graph.GetSize(); ++i)
    {
        const Op& op = profile.graph.Get(i);
        for (const OpIndex use :
             op.kind == OpKind::PULL ? profile.graph.GetDependents(i) : std::vector<OpIndex>())
        {
            OpIndex& layer = layerOf[op.tensor];
            layer = layer == NO_INDEX || places[use] < places[layer] ? use : layer;
        }
    }
    GradientGroups groups;
    uint32_t count = 0; // layers of the last group
    OpIndex last = NO_INDEX;
    for (const TensorIndex tensor : OrderGradients(profile))
    {
        const bool same = layerOf[tensor] != NO_INDEX && layerOf[tensor] == last;
        last = layerOf[tensor];
        count += same ? 0 : 1;
        if (groups.empty() || count > layers)
        {
            groups.emplace_back();
            count = 1;
        }
        groups.back().push_back(tensor);
    }
    return groups;
}

GradientGroups
GroupGradientsByName(const Profile& profile, const std::vector<std::vector<std::string>>& names)
{
    const std::vector<OpIndex> pushes = FindPushes(profile);
    std::map<std::string, TensorIndex> gradients;
    for (TensorIndex i = 0; i < profile.tensors.size(); ++i)
    {
        if (pushes[i] != NO_INDEX)
        {
            gradients.emplace(profile.tensors[i].name, i);
        }
    }
    GradientGroups groups;
    std::set<TensorIndex> grouped;
    for (const auto& list : names)
    {
        groups.emplace_back();
        for (const auto& name : list)
        {
            const auto gradient = gradients.find(name);
            if (gradient == gradients.end())
            {
                throw InputError("'" + name + "' is no tensor whose gradient the profile pushes");
            }
            if (!grouped.insert(gradient->second).second)
            {
                throw InputError("tensor '" + name + "' is in a group already");
            }
            groups.back().push_back(gradient->second);
        }
    }
    return groups;
}

GradientGroups
GroupGradientsBySizes(const Profile& profile, const std::vector<uint64_t>& sizes)
{
    const std::vector<TensorIndex> order = OrderGradients(profile);
    GradientGroups groups;
    auto next = order.begin();
    for (const uint64_t size : sizes)
    {
        groups.emplace_back();
        uint64_t bytes = 0;
        uint64_t less = 0;
        while (next != order.end() && (bytes < size || groups.back().empty()))
        {
            groups.back().push_back(*next);
            less = bytes;
            bytes += profile.tensors[*next++].bytes;
        }
        if (bytes != size || groups.back().empty())
        {
            throw GroupSizeError(
                groups.back().empty()
                    ? "no gradient is left for it"
                    : "the gradients from '" + profile.tensors[groups.back().front()].name +
                          "' on have " +
                          (bytes < size || less == 0 ? "" : std::to_string(less) + " or ") +
                          std::to_string(bytes) + " bytes",
                groups.size() - 1);
        }
    }
    for (; next != order.end(); ++next)
    {
        if (groups.empty() || profile.tensors[*next].bytes > 0)
        {
            throw GroupSizeError("gradient '" + profile.tensors[*next].name + "' is in none",
                                 groups.size());
        }
        groups.back().push_back(*next);
    }
    return groups;
}

GradientGroups
ListMeasuredGroups(const Profile& profile)
{
    GradientGroups groups;
    for (const auto& bucket : profile.buckets)
    {
        groups.push_back(bucket.tensors);
    }
    return groups;
}

std::string
NameGroup(const Profile& profile, const GradientGroups& groups, uint32_t group)
{
    const std::string& first = profile.tensors[groups[group].front()].name;
    return groups[group].size() > 1 ? "bucket" + std::to_string(group) + " of " + first : first;
}

Profile
FuseGradients(const Profile& profile, const GradientGroups& groups)
{
    Profile fused = profile;
    fused.buckets.clear();
    fused.tensors.clear();
    fused.graph = OpGraph();
    fused.samples.clear();
    std::vector<uint32_t> groupOf(profile.tensors.size(), NO_INDEX);
    for (uint32_t group = 0; group < groups.size(); ++group)
    {
        for (const TensorIndex tensor : groups[group])
        {
            groupOf[tensor] = groups[group].size() > 1 ? group : NO_INDEX;
        }
    }
    std::vector<TensorIndex> bucketOf(groups.size(), NO_INDEX); // tensor that a group becomes
    std::vector<TensorIndex> tensorOf;                          // what a tensor becomes
    for (TensorIndex i = 0; i < profile.tensors.size(); ++i)
    {
        const uint32_t group = groupOf[i];
        if (group != NO_INDEX && bucketOf[group] != NO_INDEX)
        {
            tensorOf.push_back(bucketOf[group]);
            fused.tensors[bucketOf[group]].bytes += profile.tensors[i].bytes;
            continue;
        }
        tensorOf.push_back(fused.tensors.size());
        fused.tensors.push_back(profile.tensors[i]);
        if (group != NO_INDEX)
        {
            bucketOf[group] = tensorOf[i];
            fused.tensors.back().name = NameGroup(profile, groups, group);
        }
    }
    std::map<std::pair<OpKind, TensorIndex>, OpIndex> known; // ops of buckets
    std::vector<OpIndex> opOf;                               // what an op becomes
    for (OpIndex i = 0; i < profile.graph.GetSize(); ++i)
    {
        Op op = profile.graph.Get(i);
        const bool bucket = op.tensor != NO_INDEX && groupOf[op.tensor] != NO_INDEX;
        if (op.tensor != NO_INDEX)
        {
            op.tensor = tensorOf[op.tensor];
        }
        const auto twin = bucket ? known.find({op.kind, op.tensor}) : known.end();
        if (twin != known.end())
        {
            opOf.push_back(twin->second);
            auto& row = fused.samples[twin->second];
            for (std::size_t step = 0; step < row.size(); ++step)
            {
                row[step] += profile.samples[i][step];
            }
            continue;
        }
        if (bucket)
        {
            op.name = std::string(ToString(op.kind)) + " of " + fused.tensors[op.tensor].name;
        }
        opOf.push_back(fused.graph.Add(op));
        fused.samples.push_back(profile.samples[i]);
        if (bucket)
        {
            known.emplace(std::pair(op.kind, op.tensor), opOf.back());
        }
    }
    fused.graph.AddDependencies(profile.graph, opOf);
    fused.Validate();
    return fused;
}

Profile
AggregateGradients(Profile profile, const GradientGroups& groups)
{
    const std::vector<OpIndex> pushes = FindPushes(profile);
    for (const auto& group : groups)
    {
        std::set<OpIndex> awaited;
        for (const TensorIndex tensor : group)
        {
            const auto before = profile.graph.GetDependencies(pushes[tensor]);
            awaited.insert(before.begin(), before.end());
        }
        for (const TensorIndex tensor : group)
        {
            for (const OpIndex before : awaited)
            {
                profile.graph.AddDependency(before, pushes[tensor]);
            }
        }
    }
    profile.Validate();
    return profile;
}

} // namespace ns3::dml
