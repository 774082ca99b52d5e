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
#include <map>
#include <set>

namespace ns3::dml
{

namespace
{

constexpr double HOROVOD_NS_PER_SECOND = 1e9;

/// Reductions of one step.
using HorovodStep = std::vector<const HorovodReduction*>;

/// @return steps whose reductions are complete; a step ends when a tensor is reduced anew
std::vector<HorovodStep>
CutSteps(const HorovodTimeline& timeline)
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

/// Tells which tensor of a profile a tensor of a timeline is.
class TensorMatcher
{
  public:
    TensorMatcher(const HorovodTimeline& timeline, const Profile& profile)
        : m_timeline(timeline),
          m_profile(profile),
          m_matches(timeline.names.size(), NO_INDEX)
    {
    }

    /// @param file of the timeline; @param used tensors of it that count
    void Match(const std::string& file, const std::set<uint32_t>& used)
    {
        const std::vector<TensorIndex> order = OrderGradients(m_profile);
        std::set<TensorIndex> left(order.begin(), order.end());
        for (const uint32_t tensor : used)
        {
            const TensorIndex match = FindByName(m_timeline.names[tensor], left);
            if (match != NO_INDEX)
            {
                m_matches[tensor] = match;
                left.erase(match);
                ++m_byName;
            }
        }
        std::map<uint64_t, std::vector<uint32_t>> wanted; // by size, in the order of reduction
        for (const HorovodReduction& reduction : m_timeline.reductions)
        {
            for (const uint32_t tensor : reduction.tensors)
            {
                const bool open = used.count(tensor) > 0 && m_matches[tensor] == NO_INDEX;
                auto& same = wanted[m_timeline.bytes[tensor].value_or(0)];
                if (open && std::find(same.begin(), same.end(), tensor) == same.end())
                {
                    same.push_back(tensor);
                }
            }
        }
        for (const auto& [bytes, tensors] : wanted)
        {
            MatchSize(file, bytes, tensors, order, left);
        }
    }

    TensorIndex Get(uint32_t tensor) const
    {
        return m_matches[tensor];
    }

    /// @return tensors matched by name
    uint64_t GetByName() const
    {
        return m_byName;
    }

  private:
    /// @return the tensor in @p left with the longest name that is @p name or its end
    TensorIndex FindByName(const std::string& name, const std::set<TensorIndex>& left) const
    {
        TensorIndex best = NO_INDEX;
        for (const TensorIndex tensor : left)
        {
            const std::string& end = m_profile.tensors[tensor].name;
            const bool fits =
                name == end || (name.size() > end.size() &&
                                name.compare(name.size() - end.size(), end.size(), end) == 0 &&
                                (name[name.size() - end.size() - 1] == '.' ||
                                 name[name.size() - end.size() - 1] == '/'));
            if (fits && (best == NO_INDEX || end.size() > m_profile.tensors[best].name.size()))
            {
                best = tensor;
            }
        }
        return best;
    }

    void MatchSize(const std::string& file,
                   uint64_t bytes,
                   const std::vector<uint32_t>& tensors,
                   const std::vector<TensorIndex>& order,
                   const std::set<TensorIndex>& left)
    {
        std::vector<TensorIndex> same;
        for (const TensorIndex tensor : order)
        {
            if (left.count(tensor) > 0 && m_profile.tensors[tensor].bytes == bytes)
            {
                same.push_back(tensor);
            }
        }
        if (!tensors.empty() && same.size() != tensors.size())
        {
            const uint32_t first = tensors.front();
            const auto size = m_timeline.bytes[first];
            throw InputError(file + ": found the tensor '" + m_timeline.names[first] + "' " +
                             (size ? "of " + std::to_string(*size) + " bytes" : "of unknown size") +
                             ", which is none of the profile's by its name, and " +
                             std::to_string(tensors.size()) + " such where the profile has " +
                             std::to_string(same.size()) +
                             " of that size; accepted: a profile of the same job");
        }
        for (std::size_t i = 0; i < tensors.size(); ++i)
        {
            m_matches[tensors[i]] = same[i];
        }
    }

    const HorovodTimeline& m_timeline;  //!< the timeline
    const Profile& m_profile;           //!< the profile
    std::vector<TensorIndex> m_matches; //!< of each tensor of the timeline
    uint64_t m_byName{0};               //!< matched by name
};

/// Give @p profile the buckets @p groups, with the times of all steps that have these.
/// @return number of these steps
std::size_t
AddBuckets(const std::vector<HorovodStep>& steps,
           const std::vector<GradientGroups>& groupsOfSteps,
           const GradientGroups& groups,
           const TensorMatcher& matcher,
           Profile& profile)
{
    profile.buckets.resize(groups.size());
    std::size_t alike = 0;
    for (std::size_t s = 0; s < steps.size(); ++s)
    {
        if (groupsOfSteps[s] != groups)
        {
            continue;
        }
        const bool first = alike++ == 0;
        for (std::size_t g = 0; g < groups.size(); ++g)
        {
            const HorovodReduction& reduction = *steps[s][g];
            MeasuredBucket& bucket = profile.buckets[g];
            const int64_t begin =
                reduction.ready > 0 ? std::min(reduction.ready, reduction.start) : reduction.start;
            bucket.recorded.push_back((reduction.end - begin) / HOROVOD_NS_PER_SECOND);
            bucket.transfer.push_back((reduction.end - reduction.start) / HOROVOD_NS_PER_SECOND);
            for (std::size_t t = 0; first && t < reduction.tensors.size(); ++t)
            {
                bucket.tensors.push_back(matcher.Get(reduction.tensors[t]));
            }
        }
    }
    return alike;
}

/// @return how the job exchanges gradients, with the times of the buckets of @p profile
FoundProtocol
DescribeProtocol(const HorovodTimeline& timeline, const Profile& profile)
{
    FoundProtocol found;
    found.name = "all-reduce";
    found.backend = "Horovod" + (timeline.backend.empty() ? "" : ", " + timeline.backend);
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
    const HorovodTimeline timeline = ReadHorovodTimeline(input);
    const std::vector<HorovodStep> steps = CutSteps(timeline);
    if (steps.empty())
    {
        throw InputError(file + ": found no step with complete ALLREDUCE events; accepted is a "
                                "timeline of training");
    }
    ImportResult result;
    result.bytesRead = timeline.bytesRead;
    result.profile = ReadProfile(*options.profile);
    result.profile.model = options.model.value_or(result.profile.model);
    result.profile.batchSize = options.batchSize.value_or(result.profile.batchSize);
    result.profile.buckets.clear();
    std::vector<GradientGroups> groupsOfSteps;
    for (const HorovodStep& step : steps)
    {
        groupsOfSteps.push_back(ListGroups(step));
    }
    const GradientGroups groups = FindMostCommon(groupsOfSteps); // in most steps
    std::set<uint32_t> used;
    for (const auto& group : groups)
    {
        used.insert(group.begin(), group.end());
    }
    TensorMatcher matcher(timeline, result.profile);
    matcher.Match(file, used);
    const std::size_t alike = AddBuckets(steps, groupsOfSteps, groups, matcher, result.profile);
    result.protocol = DescribeProtocol(timeline, result.profile);
    result.rules = {
        "a step: ends when a tensor is reduced anew (" + Plural(steps.size(), "step") + ")",
        "buckets: those of most steps, as Horovod fuses what is ready (" + std::to_string(alike) +
            " of " + std::to_string(steps.size()) + ")",
        "tensors: by the end of their names (" + std::to_string(matcher.GetByName()) + " of " +
            std::to_string(used.size()) + "), else by size in the order of gradients",
        "waiting: from the time when the worker had all tensors of a bucket until the exchange "
        "began, "
        "which is negotiation, other buckets and copying, too",
        "computation: all of it is that of " + *options.profile};
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

namespace
{

/// @param record of a JSON file @return whether Horovod writes such a one
bool
IsHorovod(const JsonRecord& record)
{
    return record.GetList().empty() && record.GetText("ph") == "B" &&
           record.GetText("name").substr(0, 10) == "NEGOTIATE_";
}

} // namespace

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
