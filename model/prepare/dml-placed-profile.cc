/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-placed-profile.h"

#include "dml-inference-profile.h"

#include "ns3/dml-error.h"
#include "ns3/dml-gradient-groups.h"
#include "ns3/dml-job-plugins.h"
#include "ns3/dml-paragraph.h"
#include "ns3/dml-profile-reader.h"
#include "ns3/dml-scenario-check.h"
#include "ns3/dml-tensor-partition.h"
#include "ns3/dml-transfer-order.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Tensors that a partition makes at most: more would take hours to no purpose.
constexpr uint64_t MAX_SLICES = 20000;

/// `auto` made one of the other rules.
GradientGroupSpec
ResolveAuto(const JobSpec& job, bool hasServers, const Profile& profile)
{
    GradientGroupSpec spec = job.gradientGroups;
    if (spec.rule == "auto")
    {
        spec.rule = hasServers ? "off" : profile.buckets.empty() ? "ddp" : "profile";
        spec.size = GradientGroupSpec::DDP_BYTES;
        // units of sharded jobs are alike; DDP has a small bucket that ends the step before
        spec.first = IsSharded(job) ? spec.size : GradientGroupSpec::DDP_FIRST;
    }
    return spec;
}

GradientGroups
FindGroups(const GradientGroupSpec& spec, double scale, const Profile& profile)
{
    // a smaller job of the same shape has as many buckets
    const auto scaled = [scale](uint64_t bytes) {
        return std::max<uint64_t>(1, std::llround(scale * static_cast<double>(bytes)));
    };
    return spec.rule == "bytes" ? GroupGradientsByBytes(profile, spec.size)
           : spec.rule == "ddp" && spec.findUnused
               ? GroupTensorsInReverse(profile, scaled(spec.size), scaled(spec.first))
           : spec.rule == "ddp"
               ? GroupGradientsByBytes(profile, scaled(spec.size), scaled(spec.first))
           : spec.rule == "count"   ? GroupGradientsByCount(profile, spec.size)
           : spec.rule == "layers"  ? GroupGradientsByLayers(profile, spec.size)
           : spec.rule == "profile" ? ListMeasuredGroups(profile)
                                    : GroupGradientsByName(profile, spec.names);
}

/// @return place of each tensor of a profile whose gradients were fused, by the place of its group
std::vector<uint32_t>
RankGroups(const Profile& fused, const Profile& profile, const GradientGroups& groups)
{
    std::vector<uint32_t> ranks(fused.tensors.size(), NO_INDEX);
    for (uint32_t group = 0; group < groups.size(); ++group)
    {
        const std::string name = NameGroup(profile, groups, group);
        for (TensorIndex tensor = 0; tensor < fused.tensors.size(); ++tensor)
        {
            ranks[tensor] = fused.tensors[tensor].name == name ? group : ranks[tensor];
        }
    }
    return ranks;
}

/// @param order gets the order in which groups are reduced, where it is fixed
Profile
GroupGradients(const Scenario& scenario,
               uint32_t index,
               Profile profile,
               std::vector<uint32_t>& order)
{
    const JobSpec& job = GetJob(scenario, index);
    const bool hasServers = MakeProtocol(job)->HasServers();
    const GradientGroupSpec spec = ResolveAuto(job, hasServers, profile);
    if (spec.rule == "off" || spec.rule == "horovod") // which makes buckets while it runs
    {
        return profile;
    }
    if (spec.rule == "profile" && profile.buckets.empty())
    {
        throw ScenarioError(scenario,
                            JobKey(index) + ".gradient_groups",
                            "profile with " + job.profile + ", which has no buckets",
                            "a profile with buckets, auto, or another rule");
    }
    const bool all = spec.rule == "ddp" && spec.findUnused && !hasServers;
    if (all)
    {
        profile = AddUnusedGradients(std::move(profile));
    }
    const GradientGroups groups = FindGroups(spec, job.scale, profile);
    try
    {
        if (hasServers)
        {
            return AggregateGradients(std::move(profile), groups);
        }
        Profile fused = FuseGradients(profile, groups);
        if (all)
        {
            order = RankGroups(fused, profile, groups);
        }
        return fused;
    }
    catch (const ProfileError& error)
    {
        throw ScenarioError(scenario,
                            JobKey(index) + ".gradient_groups",
                            std::string("groups with which ") + error.what(),
                            "groups of gradients that do not wait for each other's transfer");
    }
}

/// @return whether workers tell a server when a step of inference is done
InferenceReport
GetReport(const JobSpec& job)
{
    return job.workload == "inference" && job.sync.rule != "async" ? InferenceReport::SENT
                                                                   : InferenceReport::NONE;
}

/// The part of a profile that inference has.
Profile
LeaveInference(const Scenario& scenario, uint32_t index, const Profile& profile)
{
    const JobSpec& job = GetJob(scenario, index);
    try
    {
        return MakeInferenceProfile(profile, GetReport(job));
    }
    catch (const ProfileError& error)
    {
        throw ScenarioError(scenario,
                            JobKey(index) + ".workload",
                            "inference with " + job.profile + ", which " + error.what(),
                            "a profile with forward ops, or training");
    }
}

/// The profile cut into slices, or as it is.
PartitionedProfile
Partition(const Scenario& scenario, uint32_t index, const Profile& profile)
{
    const uint64_t bytes = scenario.transfer.partition;
    const uint64_t size = bytes > 0 ? bytes : profile.GetTotalBytes() + 1; // which cuts nothing
    const uint64_t slices = CountSlices(profile, size);
    if (slices > MAX_SLICES && slices > profile.tensors.size())
    {
        throw ScenarioError(
            scenario,
            "transfer.partition",
            QuoteNumber(bytes) + " B, which cuts " + GetJob(scenario, index).profile + " into " +
                Plural(slices, "tensor"),
            "a size that gives " + Plural(MAX_SLICES, "tensor") + " at most, or off");
    }
    try
    {
        return PartitionTensors(profile, size);
    }
    catch (const ProfileError& error)
    {
        throw ScenarioError(scenario,
                            "transfer.partition",
                            std::string("slices with which ") + error.what(),
                            "a profile without tensors of such names, or off");
    }
}

Placement
PlaceTensors(const JobSpec& job, const Profile& whole, const PartitionedProfile& cut)
{
    const uint32_t servers = std::max(1U, job.parameterServers);
    if (job.placement.rule == "greedy")
    {
        return PlaceGreedy(cut.profile.tensors, servers);
    }
    if (job.placement.rule == "round-robin")
    {
        return PlaceRoundRobin(cut.profile.tensors, servers);
    }
    auto table = job.placement.table;
    if (GetReport(job) == InferenceReport::SENT)
    {
        table.emplace(INFERENCE_REPORT, 0);
    }
    const Placement tensors = PlaceExplicit(whole.tensors, servers, table);
    Placement slices;
    for (const TensorIndex tensor : cut.origin)
    {
        slices.push_back(tensors[tensor]);
    }
    return slices;
}

/// Names of the slices of the tensors that `transfer.order` names, in its order.
std::vector<std::string>
SliceNames(const std::vector<std::string>& order,
           const Profile& whole,
           const PartitionedProfile& cut)
{
    std::vector<std::string> names;
    for (const auto& name : order)
    {
        for (TensorIndex slice = 0; slice < cut.origin.size(); ++slice)
        {
            if (whole.tensors[cut.origin[slice]].name == name)
            {
                names.push_back(cut.profile.tensors[slice].name);
            }
        }
    }
    return names;
}

/// @throws InputError if an order that is shuffled at run time could contradict the dependencies
void
CheckShuffled(const Scenario& scenario, const Profile& profile)
{
    for (OpIndex i = 0; i < profile.graph.GetSize(); ++i)
    {
        const Op& op = profile.graph.Get(i);
        if (op.kind == OpKind::PULL && !profile.graph.GetDependencies(i).empty())
        {
            throw ScenarioError(scenario,
                                "transfer.policy",
                                "'shuffled' and pull op '" + op.name + "', which waits for others",
                                "another policy, or a profile whose pulls wait for nothing");
        }
    }
}

std::vector<OpIndex>
OrderPulls(const Scenario& scenario,
           const Profile& whole,
           const PartitionedProfile& cut,
           double goodput)
{
    const TransferSpec& transfer = scenario.transfer;
    const bool slices = IsSlicePolicy(transfer.policy) || IsOwnPolicy(transfer.policy);
    if (!slices && !IsOrderPolicy(transfer.policy))
    {
        return {};
    }
    if (transfer.policy == "shuffled")
    {
        CheckShuffled(scenario, cut.profile);
    }
    TransferOrderOptions options;
    // what is shuffled needs any order
    options.rule = slices || transfer.policy == "shuffled" ? "forward" : transfer.policy;
    options.bytesPerSecond = goodput;
    options.seed = scenario.seed;
    options.tensors = SliceNames(transfer.order, whole, cut);
    try
    {
        return MakeTransferOrder(cut.profile, options);
    }
    catch (const InputError& error)
    {
        const auto place = scenario.locations.find("transfer.order");
        throw InputError((place == scenario.locations.end() ? "" : place->second + ": ") +
                         "transfer.order: " + error.what());
    }
}

} // namespace

PlacedProfile
MakePlacedProfile(const Scenario& scenario, uint32_t index, double goodput, ProfileCache* profiles)
{
    const JobSpec& job = GetJob(scenario, index);
    Profile profile = profiles ? *profiles->Read(job.profile) : ReadProfile(job.profile);
    profile.Scale(job.scale);
    CheckAgainstProfile(scenario, index, profile);
    PlacedProfile trained;
    if (job.workload == "inference")
    {
        profile = LeaveInference(scenario, index, profile);
    }
    std::vector<uint32_t> order; // of whole tensors
    profile = GroupGradients(scenario, index, std::move(profile), order);
    PartitionedProfile cut = Partition(scenario, index, profile);
    for (std::size_t slice = 0; slice < cut.origin.size() && !order.empty(); ++slice)
    {
        trained.order.push_back(order[cut.origin[slice]]);
    }
    trained.placement = PlaceTensors(job, profile, cut);
    trained.pulls = OrderPulls(scenario, profile, cut, goodput);
    trained.profile = std::move(cut.profile);
    return trained;
}

} // namespace ns3::dml
