/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-horovod-timeline.h"

#include "ns3/dml-error.h"
#include "ns3/dml-gradient-groups.h"
#include "ns3/dml-importers.h"
#include "ns3/dml-most-common.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-profile-reader.h"
#include "ns3/dml-trace-input.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>

namespace ns3::dml
{

namespace
{

constexpr double HOROVOD_NS_PER_SECOND = 1e9;

/// Reductions of one step.
using HorovodStep = std::vector<const HorovodReduction*>;

/// @param damaged gets the number of steps that are left out as a record of theirs was
/// @return steps whose reductions are complete; a step ends when a tensor is reduced anew
std::vector<HorovodStep>
CutSteps(const HorovodTimeline& timeline, std::size_t& damaged)
{
    std::vector<HorovodStep> steps(1);
    std::set<uint32_t> seen;
    for (const HorovodReduction& reduction : timeline.reductions)
    {
        const bool again = std::any_of(reduction.tensors.begin(),
                                       reduction.tensors.end(),
                                       [&](uint32_t tensor) { return seen.count(tensor) > 0; });
        if (again)
        {
            steps.emplace_back();
            seen.clear();
        }
        steps.back().push_back(&reduction);
        seen.insert(reduction.tensors.begin(), reduction.tensors.end());
    }
    const auto last = std::remove_if(steps.begin(), steps.end(), [](const HorovodStep& step) {
        return std::any_of(step.begin(), step.end(), [](auto* reduction) {
            return reduction->damaged;
        });
    });
    damaged = steps.end() - last;
    steps.erase(last, steps.end());
    steps.erase(
        std::remove_if(steps.begin(),
                       steps.end(),
                       [](const HorovodStep& step) {
                           return step.empty() ||
                                  std::any_of(step.begin(), step.end(), [](auto* reduction) {
                                      return reduction->end == 0;
                                  });
                       }),
        steps.end());
    return steps;
}

/// @return tensors of each reduction
GradientGroups
ListGroups(const HorovodStep& step)
{
    GradientGroups groups;
    for (const HorovodReduction* reduction : step)
    {
        groups.push_back(reduction->tensors);
        std::sort(groups.back().begin(), groups.back().end());
    }
    return groups;
}

/// @return the tensor in @p left with the longest name that is @p name or its end
TensorIndex
FindByName(const Profile& profile, const std::string& name, const std::set<TensorIndex>& left)
{
    TensorIndex best = NO_INDEX;
    for (const TensorIndex tensor : left)
    {
        const std::string& end = profile.tensors[tensor].name;
        const bool fits =
            name == end || (name.size() > end.size() &&
                            name.compare(name.size() - end.size(), end.size(), end) == 0 &&
                            (name[name.size() - end.size() - 1] == '.' ||
                             name[name.size() - end.size() - 1] == '/'));
        if (fits && (best == NO_INDEX || end.size() > profile.tensors[best].name.size()))
        {
            best = tensor;
        }
    }
    return best;
}

/// @param tensors of one size in the timeline @param same how many the profile has of it
/// @throws InputError unless these are as many
void
CheckSize(const std::string& file,
          const HorovodTimeline& timeline,
          const std::vector<uint32_t>& tensors,
          std::size_t same)
{
    if (!tensors.empty() && same != tensors.size())
    {
        const uint32_t first = tensors.front();
        const auto size = timeline.bytes[first];
        throw InputError(file + ": found the tensor '" + timeline.names[first] + "' " +
                         (size ? "of " + std::to_string(*size) + " bytes" : "of unknown size") +
                         ", which is none of the profile's by its name, and " +
                         std::to_string(tensors.size()) + " such where the profile has " +
                         std::to_string(same) +
                         " of that size; accepted: a profile of the same job");
    }
}

/**
 * @param file of the timeline
 * @param used tensors of it that count
 * @param[out] byName how many are found by their names
 * @return which tensor of the profile each tensor of the timeline is
 */
std::vector<TensorIndex>
MatchTensors(const std::string& file,
             const HorovodTimeline& timeline,
             const std::set<uint32_t>& used,
             const Profile& profile,
             uint64_t& byName)
{
    std::vector<TensorIndex> matches(timeline.names.size(), NO_INDEX);
    const std::vector<TensorIndex> order = OrderGradients(profile);
    std::set<TensorIndex> left(order.begin(), order.end());
    for (const uint32_t tensor : used)
    {
        const TensorIndex match = FindByName(profile, timeline.names[tensor], left);
        if (match != NO_INDEX)
        {
            matches[tensor] = match;
            left.erase(match);
            ++byName;
        }
    }
    std::map<uint64_t, std::vector<uint32_t>> wanted; // by size, in the order of reduction
    for (const HorovodReduction& reduction : timeline.reductions)
    {
        for (const uint32_t tensor : reduction.tensors)
        {
            const bool open = used.count(tensor) > 0 && matches[tensor] == NO_INDEX;
            auto& same = wanted[timeline.bytes[tensor].value_or(0)];
            if (open && std::find(same.begin(), same.end(), tensor) == same.end())
            {
                same.push_back(tensor);
            }
        }
    }
    for (const auto& [bytes, tensors] : wanted)
    {
        std::vector<TensorIndex> same;
        std::copy_if(order.begin(),
                     order.end(),
                     std::back_inserter(same),
                     [&, size = bytes](TensorIndex tensor) {
                         return left.count(tensor) > 0 && profile.tensors[tensor].bytes == size;
                     });
        CheckSize(file, timeline, tensors, same.size());
        for (std::size_t i = 0; i < tensors.size(); ++i)
        {
            matches[tensors[i]] = same[i];
        }
    }
    return matches;
}

/// @return the same buckets, in whatever order they were reduced
GradientGroups
Sorted(GradientGroups groups)
{
    std::sort(groups.begin(), groups.end());
    return groups;
}

/// Give @p profile the buckets @p groups, with the times of all steps that have these.
/// @return number of these steps
std::size_t
AddBuckets(const std::vector<HorovodStep>& steps,
           const std::vector<GradientGroups>& groupsOfSteps,
           const GradientGroups& groups,
           const std::vector<TensorIndex>& matches,
           Profile& profile)
{
    profile.buckets.resize(groups.size());
    std::size_t alike = 0;
    for (std::size_t s = 0; s < steps.size(); ++s)
    {
        const GradientGroups& own = groupsOfSteps[s];
        if (Sorted(own) != Sorted(groups))
        {
            continue;
        }
        const bool first = alike++ == 0;
        for (std::size_t g = 0; g < groups.size(); ++g)
        {
            const auto place = std::find(own.begin(), own.end(), groups[g]) - own.begin();
            const HorovodReduction& reduction = *steps[s][place];
            MeasuredBucket& bucket = profile.buckets[g];
            const int64_t begin =
                reduction.ready > 0 ? std::min(reduction.ready, reduction.start) : reduction.start;
            bucket.recorded.push_back((reduction.end - begin) / HOROVOD_NS_PER_SECOND);
            bucket.transfer.push_back((reduction.end - reduction.start) / HOROVOD_NS_PER_SECOND);
            for (std::size_t t = 0; first && t < reduction.tensors.size(); ++t)
            {
                bucket.tensors.push_back(matches[reduction.tensors[t]]);
            }
        }
    }
    return alike;
}

/// @return the buckets of most steps, in the order in which most of these have them
GradientGroups
FindBuckets(const std::vector<GradientGroups>& groupsOfSteps)
{
    std::vector<GradientGroups> sorted;
    for (const GradientGroups& groups : groupsOfSteps)
    {
        sorted.push_back(Sorted(groups));
    }
    const GradientGroups most = FindMostCommon(sorted);
    std::vector<GradientGroups> ordered;
    for (std::size_t s = 0; s < sorted.size(); ++s)
    {
        if (sorted[s] == most)
        {
            ordered.push_back(groupsOfSteps[s]);
        }
    }
    return FindMostCommon(ordered);
}

/// @return how many buckets steps have that do not have the same
std::string
DescribeRange(const std::vector<GradientGroups>& groupsOfSteps)
{
    const auto [fewest, most] = std::minmax_element(
        groupsOfSteps.begin(),
        groupsOfSteps.end(),
        [](const auto& one, const auto& other) { return one.size() < other.size(); });
    return "; all steps: " + std::to_string(fewest->size()) + " to " +
           std::to_string(most->size()) + " buckets";
}

/**
 * Leave out what is reduced beside gradients, as the mean of a metric: a few numbers that are no
 * tensor of the profile by name or size. Where nothing else is reduced, nothing is left out.
 * @return how many tensors are left out
 */
std::size_t
DropMetrics(HorovodTimeline& timeline, const Profile& profile)
{
    constexpr uint64_t MOST_BYTES = 64;
    std::set<uint32_t> metrics;
    std::set<TensorIndex> all;
    for (TensorIndex tensor = 0; tensor < profile.tensors.size(); ++tensor)
    {
        all.insert(tensor);
    }
    for (uint32_t tensor = 0; tensor < timeline.names.size(); ++tensor)
    {
        const auto bytes = timeline.bytes[tensor];
        const bool isKnown =
            !bytes || *bytes > MOST_BYTES ||
            std::any_of(profile.tensors.begin(),
                        profile.tensors.end(),
                        [&](const Tensor& known) { return known.bytes == *bytes; }) ||
            FindByName(profile, timeline.names[tensor], all) != NO_INDEX;
        if (!isKnown)
        {
            metrics.insert(tensor);
        }
    }
    if (metrics.size() == timeline.names.size())
    {
        return 0; // the profile is not of this job, which MatchTensors() says
    }
    auto& reductions = timeline.reductions;
    for (HorovodReduction& reduction : reductions)
    {
        auto& tensors = reduction.tensors;
        tensors.erase(std::remove_if(tensors.begin(),
                                     tensors.end(),
                                     [&](uint32_t tensor) { return metrics.count(tensor) > 0; }),
                      tensors.end());
    }
    reductions.erase(
        std::remove_if(reductions.begin(),
                       reductions.end(),
                       [](const auto& reduction) { return reduction.tensors.empty(); }),
        reductions.end());
    return metrics.size();
}

/// @param steps that reduced gradients @return library that reduced most of their bytes, or empty
std::string
FindBackend(const HorovodTimeline& timeline, const std::vector<HorovodStep>& steps)
{
    std::map<std::string, uint64_t> bytes;
    for (const HorovodStep& step : steps)
    {
        for (const HorovodReduction* reduction : step)
        {
            for (const uint32_t tensor : reduction->tensors)
            {
                bytes[reduction->backend] += timeline.bytes[tensor].value_or(1);
            }
        }
    }
    return std::max_element(bytes.begin(),
                            bytes.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
}

/// @return how the job exchanges gradients, with the times of the buckets of @p profile
FoundProtocol
DescribeProtocol(const HorovodTimeline& timeline,
                 const std::string& backend,
                 const Profile& profile)
{
    FoundProtocol found;
    found.name = "all-reduce";
    found.backend = "Horovod" + (backend.empty() ? "" : ", " + backend);
    found.workers = timeline.workers;
    found.traced = 1;
    for (const MeasuredBucket& bucket : profile.buckets)
    {
        RecordedCollective collective{profile.GetBytes(bucket.tensors),
                                      {},
                                      bucket.recorded,
                                      bucket.transfer};
        for (const TensorIndex tensor : bucket.tensors)
        {
            collective.tensors.push_back(profile.tensors[tensor].name);
        }
        found.collectives.push_back(collective);
    }
    return found;
}

/// @param record of a JSON file @return whether Horovod writes such a one: a negotiation, or the
/// mark of a cycle, of which a file may begin with any number
bool
IsHorovod(const JsonRecord& record)
{
    const std::string_view name = record.GetText("name");
    const std::string_view phase = record.GetText("ph");
    return record.GetList().empty() && ((phase == "B" && name.substr(0, 10) == "NEGOTIATE_") ||
                                        (phase == "i" && name == "CYCLE_START"));
}

} // namespace

ImportResult
ImportHorovod(const std::vector<std::string>& files, const ImportOptions& options)
{
    const std::string& file = files.front();
    if (files.size() > 1)
    {
        throw InputError(files[1] +
                         ": is a second timeline; accepted: one, as Horovod writes it for "
                         "all workers");
    }
    if (!options.profile)
    {
        throw InputError(file + ": a timeline of Horovod has no computation; accepted: it with a "
                                "profile of the same job, which gets its buckets (--profile)");
    }
    TraceInput input(file);
    HorovodTimeline timeline = ReadHorovodTimeline(input);
    ImportResult result;
    result.profile = ReadProfile(*options.profile);
    const std::size_t metrics = DropMetrics(timeline, result.profile);
    std::size_t damaged = 0;
    const std::vector<HorovodStep> steps = CutSteps(timeline, damaged);
    if (steps.empty())
    {
        throw InputError(file +
                         ": found no step with complete ALLREDUCE events; accepted is a "
                         "timeline of training" +
                         timeline.faults.GetReason());
    }
    for (const std::string& fault : timeline.faults.Tell())
    {
        result.warnings.push_back(file + ": " + fault);
    }
    if (damaged > 0)
    {
        result.warnings.push_back(file + ": " + Plural(damaged, "step") +
                                  " with such records left out");
    }
    result.bytesRead = timeline.bytesRead;
    result.profile.model = options.model.value_or(result.profile.model);
    result.profile.batchSize = options.batchSize.value_or(result.profile.batchSize);
    result.profile.buckets.clear();
    std::vector<GradientGroups> groupsOfSteps;
    for (const HorovodStep& step : steps)
    {
        groupsOfSteps.push_back(ListGroups(step));
    }
    const GradientGroups groups = FindBuckets(groupsOfSteps);
    std::set<uint32_t> used;
    for (const auto& group : groups)
    {
        used.insert(group.begin(), group.end());
    }
    uint64_t byName = 0;
    const auto matches = MatchTensors(file, timeline, used, result.profile, byName);
    const std::size_t alike = AddBuckets(steps, groupsOfSteps, groups, matches, result.profile);
    result.protocol = DescribeProtocol(timeline, FindBackend(timeline, steps), result.profile);
    result.rules = {
        "a step: ends when a tensor is reduced anew (" + Plural(steps.size(), "step") + ")",
        "buckets: those of most steps, as Horovod fuses what is ready (" + std::to_string(alike) +
            " of " + std::to_string(steps.size()) +
            (alike < steps.size() ? DescribeRange(groupsOfSteps) : "") + ")",
        "tensors: by the end of their names (" + std::to_string(byName) + " of " +
            std::to_string(used.size()) + "), else by size in the order of gradients",
        "waiting: from the time when the worker had all tensors of a bucket until the exchange "
        "began, "
        "which is negotiation, other buckets and copying, too",
        "computation: all of it is that of " + *options.profile};
    if (metrics > 0)
    {
        result.rules.push_back("left out: " + Plural(metrics, "tensor") +
                               " of a few numbers that the profile lacks, as means of metrics");
    }
    const std::size_t gradients = OrderGradients(result.profile).size();
    if (used.size() < gradients)
    {
        result.warnings.push_back(std::to_string(gradients - used.size()) +
                                  " gradients of the profile are in no bucket, and stay alone");
    }
    result.profile.source.emplace_back("buckets_from",
                                       std::filesystem::path(file).filename().string());
    result.profile.Validate();
    return result;
}

ImportFormat
HorovodFormat()
{
    return {"horovod",
            "a timeline of Horovod (HOROVOD_TIMELINE, JSON)",
            {"profile"},
            ImportHorovod,
            nullptr,
            IsHorovod,
            {}};
}

} // namespace ns3::dml
