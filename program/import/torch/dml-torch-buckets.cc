/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-buckets.h"

#include "ns3/dml-most-common.h"
#include "ns3/dml-plural.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

namespace ns3::dml
{

namespace
{

constexpr double NS_PER_SECOND = 1e9;

} // namespace

std::optional<uint32_t>
FindTorchRank(const TorchTrace& trace)
{
    if (trace.rank)
    {
        return trace.rank;
    }
    static const std::regex RANK("rank[-_.]?([0-9]{1,6})");
    const std::string name = std::filesystem::path(trace.file).filename().string();
    std::smatch match;
    return std::regex_search(name, match, RANK)
               ? std::optional<uint32_t>(std::stoul(match[1].str()))
               : std::nullopt;
}

void
TorchBucketFinder::AddTrace(const TorchTrace& trace)
{
    m_ranks.push_back(FindTorchRank(trace));
    m_backend = m_backend.empty() ? trace.backend : m_backend;
    m_workers = std::max(m_workers, trace.workers);
    m_others.insert(m_others.end(), trace.otherCollectives.begin(), trace.otherCollectives.end());
    for (const auto& [type, count] : trace.untyped)
    {
        m_untyped[type] += count;
    }
}

void
TorchBucketFinder::AddStep(std::size_t trace,
                           const std::string& place,
                           const TorchStepTensors& found)
{
    if (found.buckets.empty())
    {
        return;
    }
    Step step;
    step.trace = trace;
    step.place = place;
    step.name = place.substr(place.rfind(": ") + 2);
    for (const TorchBucket& bucket : found.buckets)
    {
        step.sizes.push_back(bucket.message.bytes);
        step.lengths.push_back(bucket.message.GetLength());
        m_groups[bucket.message.workers] += bucket.message.bytes;
        m_backends[bucket.message.backend] += bucket.message.bytes;
    }
    std::multimap<uint32_t, const TorchTensor*> order;
    for (const TorchTensor& tensor : found.tensors)
    {
        order.emplace(tensor.ready, &tensor);
    }
    step.gradients.resize(step.sizes.size());
    step.bytes.resize(step.sizes.size());
    for (const auto& [ready, tensor] : order)
    {
        if (tensor->bucket == TorchEvent::NONE)
        {
            step.alone.push_back(tensor->tensor.name);
            continue;
        }
        step.gradients[tensor->bucket].push_back(tensor->tensor.name);
        step.bytes[tensor->bucket] += tensor->tensor.bytes;
    }
    // Sizes given by hand come with messages whose sizes nothing tells: then nothing contradicts.
    step.exact =
        step.bytes == step.sizes || (step.sizes == std::vector<uint64_t>(step.bytes.size()) &&
                                     std::count(step.bytes.begin(), step.bytes.end(), 0) == 0);
    m_steps.push_back(std::move(step));
}

void
TorchBucketFinder::KeepCommonSteps(ImportResult& result)
{
    std::vector<std::vector<uint64_t>> sizes;
    for (const Step& step : m_steps)
    {
        sizes.push_back(step.sizes);
    }
    const std::vector<uint64_t> common = FindMostCommon(sizes);
    std::vector<Step> kept;
    for (std::size_t s = 0; s < m_steps.size(); ++s)
    {
        if (sizes[s] == common)
        {
            kept.push_back(std::move(m_steps[s]));
            continue;
        }
        result.warnings.push_back(
            m_steps[s].place + ": reduces " + Plural(sizes[s].size(), "bucket") +
            " of other sizes than most steps, which have " + std::to_string(common.size()) +
            "; DistributedDataParallel makes its buckets anew after the "
            "first step");
    }
    m_steps = std::move(kept);
}

std::vector<std::vector<std::string>>
TorchBucketFinder::FindTensors(ImportResult& result) const
{
    std::vector<std::vector<std::vector<std::string>>> exact;
    std::vector<std::vector<std::string>> alone;
    for (const Step& step : m_steps)
    {
        if (step.exact)
        {
            exact.push_back(step.gradients);
            alone.push_back(step.alone);
        }
    }
    if (!exact.empty())
    {
        result.rules.push_back("gradients of a bucket: those complete when it is reduced, which "
                               "have exactly its bytes (" +
                               std::to_string(exact.size()) + " of " +
                               Plural(m_steps.size(), "step") + ")");
        const std::vector<std::string> none = FindMostCommon(alone);
        if (!none.empty())
        {
            result.warnings.push_back(Plural(none.size(), "gradient") + " of " +
                                      std::to_string(result.profile.tensors.size()) +
                                      " in no recorded all-reduce ('" + none.front() + "'" +
                                      (none.size() > 1 ? ", ..." : "") +
                                      "), which a scenario with all-reduce reduces alone");
        }
        return FindMostCommon(exact);
    }
    const Step& step = m_steps.front();
    const auto [mine, asked] =
        std::mismatch(step.bytes.begin(), step.bytes.end(), step.sizes.begin(), step.sizes.end());
    result.warnings.push_back(
        "the profile has no buckets, as no gradients have their bytes: bucket " +
        std::to_string(mine - step.bytes.begin() + 1) + " of " + std::to_string(step.sizes.size()) +
        " has " + std::to_string(*asked) +
        " bytes, and the gradients that are complete when it is " + "reduced " +
        std::to_string(*mine) + "; a scenario with all-reduce makes its own (job.gradient_groups)");
    return {};
}

void
TorchBucketFinder::SetTimes(FoundProtocol& found, ImportResult& result) const
{
    const bool timed = std::all_of(m_steps.begin(), m_steps.end(), [](const Step& step) {
        return std::count(step.lengths.begin(), step.lengths.end(), 0) == 0;
    });
    if (!timed)
    {
        result.rules.emplace_back("length of an all-reduce: not told by the trace");
        return;
    }
    std::map<std::string, std::vector<const Step*>> byName;
    for (const Step& step : m_steps)
    {
        byName[step.name].push_back(&step);
    }
    // traces of several workers, each of another one
    const std::set<std::optional<uint32_t>> ranks(m_ranks.begin(), m_ranks.end());
    const bool several =
        ranks.size() > 1 && ranks.size() == m_ranks.size() && ranks.count(std::nullopt) == 0;
    std::size_t common = 0;
    for (auto& [name, steps] : byName)
    {
        std::set<std::size_t> traces;
        for (const Step* step : steps)
        {
            traces.insert(step->trace);
        }
        const bool all = traces.size() == m_ranks.size() && steps.size() == m_ranks.size();
        common += all ? 1 : 0;
        steps = all ? steps : std::vector<const Step*>();
    }
    const bool separable = several && common > 0;
    for (const Step& step : m_steps)
    {
        const auto& same = byName.at(step.name);
        if (separable && same.empty())
        {
            continue;
        }
        for (std::size_t b = 0; b < step.lengths.size(); ++b)
        {
            int64_t shortest = step.lengths[b];
            for (const Step* other : same)
            {
                shortest = std::min(shortest, other->lengths[b]);
            }
            auto& collective = found.collectives[b];
            collective.recorded.push_back(step.lengths[b] / NS_PER_SECOND);
            if (separable)
            {
                collective.transfer.push_back(shortest / NS_PER_SECOND);
            }
        }
    }
    if (separable)
    {
        result.rules.push_back(
            "transfer of a bucket: the shortest that any of " + Plural(m_ranks.size(), "worker") +
            (m_workers > m_ranks.size() ? " of " + std::to_string(m_workers) : "") +
            " recorded of it in the same step; what others took longer is waiting (" +
            Plural(common, "step") + ")");
        return;
    }
    if (several)
    {
        result.warnings.emplace_back("the workers' traces have no step in common, by its number: "
                                     "waiting cannot be told from transfer");
        return;
    }
    result.rules.push_back(
        "length of an all-reduce: with waiting for the slowest worker, which " +
        std::string(m_ranks.size() == 1 ? "one trace does"
                                        : "traces of unknown or equal ranks do") +
        " not tell from its transfer (give the traces of several workers of the same run)");
}

void
TorchBucketFinder::SetGroup(FoundProtocol& found, ImportResult& result) const
{
    const auto most = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto backend = std::max_element(m_backends.begin(), m_backends.end(), most);
    found.backend =
        backend == m_backends.end() || backend->first.empty() ? m_backend : backend->first;
    const auto group = std::max_element(m_groups.begin(), m_groups.end(), most);
    found.workers = group == m_groups.end() || group->first == 0 ? m_workers : group->first;
    std::string sizes;
    for (const auto& [size, bytes] : m_groups)
    {
        sizes += (sizes.empty() ? "" : ", ") + std::to_string(bytes) + " bytes by " +
                 (size == 0 ? "a group of unknown size" : Plural(size, "worker"));
    }
    if (m_groups.size() > 1)
    {
        result.warnings.push_back("gradients were reduced in groups of different sizes: " + sizes +
                                  "; a job here has one group, of " +
                                  Plural(found.workers, "worker"));
    }
}

void
TorchBucketFinder::Finish(ImportResult& result)
{
    std::string others;
    for (const auto& [name, count] : m_others)
    {
        others += (others.empty() ? "" : ", ") + std::to_string(count) + " " + name;
    }
    result.protocol.hasOthers = !others.empty();
    if (!others.empty())
    {
        result.rules.push_back("other collectives: left out (" + others + ")");
    }
    for (const auto& [type, count] : m_untyped)
    {
        result.warnings.push_back("the element type '" + type + "' of " +
                                  Plural(count, "all-reduce") +
                                  " is unknown, so that its bytes are, too");
    }
    if (m_steps.empty())
    {
        return;
    }
    KeepCommonSteps(result);
    FoundProtocol& found = result.protocol;
    found.name = "all-reduce";
    SetGroup(found, result);
    found.traced = m_ranks.size();
    for (const uint64_t bytes : m_steps.front().sizes)
    {
        found.collectives.push_back({bytes, {}, {}, {}});
    }
    SetTimes(found, result);
    const auto tensors = FindTensors(result);
    std::map<std::string, TensorIndex> indices;
    for (TensorIndex t = 0; t < result.profile.tensors.size(); ++t)
    {
        indices.emplace(result.profile.tensors[t].name, t);
    }
    for (std::size_t b = 0; b < tensors.size(); ++b)
    {
        RecordedCollective& collective = found.collectives[b];
        collective.tensors = tensors[b];
        MeasuredBucket bucket{{}, collective.recorded, collective.transfer};
        for (const std::string& name : tensors[b])
        {
            bucket.tensors.push_back(indices.at(name));
        }
        collective.bytes = result.profile.GetBytes(bucket.tensors);
        result.profile.buckets.push_back(std::move(bucket));
    }
    result.profile.Validate();
}

} // namespace ns3::dml
