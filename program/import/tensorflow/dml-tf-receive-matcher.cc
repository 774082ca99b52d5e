/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-graph.h"
#include "dml-tf-names.h"
#include "dml-tf-passes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>

namespace ns3::dml
{

namespace
{

/// A tensor that a machine's ops read from elsewhere.
struct Wanted
{
    std::string tensor;   //!< node that made it
    int64_t used{0};      //!< start of its first reader, ns
    uint64_t edge{0};     //!< the partitioner's number
    std::size_t input{0}; //!< place of the input in the file, the last resort

    bool operator<(const Wanted& other) const
    {
        return std::tie(used, edge, input) < std::tie(other.used, other.edge, other.input);
    }
};

/// What was done.
struct Matches
{
    uint32_t matched{0};   //!< receives that got their tensor
    uint32_t unique{0};    //!< of these, those that no other tensor could have come with
    uint32_t unmatched{0}; //!< receives that no recorded op reads
    uint32_t missing{0};   //!< tensors from other machines without a receive
};

/// Indices of receives by machine, each list in order of their ends.
using Arrivals = std::map<std::string, std::vector<uint32_t>>;

template <typename Filter>
Arrivals
FindArrivals(const TfStep& step, const Filter& filter)
{
    Arrivals arrivals;
    for (uint32_t i = 0; i < step.receives.size(); ++i)
    {
        if (filter(step.receives[i]))
        {
            arrivals[step.GetMachine(step.receives[i])].push_back(i);
        }
    }
    for (auto& [machine, list] : arrivals)
    {
        std::stable_sort(list.begin(), list.end(), [&](uint32_t a, uint32_t b) {
            return std::tie(step.receives[a].end, step.receives[a].start) <
                   std::tie(step.receives[b].end, step.receives[b].start);
        });
    }
    return arrivals;
}

/// @return by machine, what its ops read from elsewhere and no labelled receive brought; ascending
std::map<std::string, std::vector<Wanted>>
FindWanted(const TfStep& step, const TfGraph& graph)
{
    std::set<std::pair<std::string, std::string>> labelled; // machine, tensor
    for (const TfReceive& receive : step.receives)
    {
        labelled.emplace(step.GetMachine(receive), receive.tensor);
    }
    std::map<std::string, std::map<std::string, Wanted>> wanted; // machine -> tensor
    std::size_t count = 0;
    for (uint32_t i = 0; i < step.ops.size(); ++i)
    {
        const TfOp& op = step.ops[i];
        const std::string& machine = step.GetMachine(op);
        for (const std::string& input : op.inputs)
        {
            ++count;
            const std::string_view node = GetTfNode(input);
            const std::string tensor(StripTfPartition(node));
            if (tensor == node || graph.FindProducer(input, i) != TfGraph::NONE ||
                labelled.count({machine, tensor}) > 0)
            {
                continue;
            }
            const Wanted next{tensor, op.start, GetTfPartitionNumber(node), count};
            const auto [known, isNew] = wanted[machine].emplace(tensor, next);
            known->second = isNew ? next : std::min(known->second, next);
        }
    }
    std::map<std::string, std::vector<Wanted>> lists;
    for (const auto& [machine, tensors] : wanted)
    {
        for (const auto& [tensor, item] : tensors)
        {
            lists[machine].push_back(item);
        }
        std::sort(lists[machine].begin(), lists[machine].end());
    }
    return lists;
}

/// Give one machine's receives, in order of their ends, to what it wants, ascending.
void
Match(TfStep& step,
      const std::vector<uint32_t>& arrivals,
      const std::vector<Wanted>& wanted,
      Matches& matches)
{
    std::vector<std::pair<const Wanted*, TfReceive*>> pairs; // from the last to the first
    std::size_t left = arrivals.size();
    for (auto tensor = wanted.rbegin(); tensor != wanted.rend(); ++tensor)
    {
        while (left > 0 && step.receives[arrivals[left - 1]].end > tensor->used)
        {
            --left;
            ++matches.unmatched;
        }
        if (left == 0)
        {
            ++matches.missing;
            continue;
        }
        TfReceive& receive = step.receives[arrivals[--left]];
        receive.tensor = tensor->tensor;
        pairs.emplace_back(&*tensor, &receive);
    }
    matches.unmatched += left;
    matches.matched += pairs.size();
    for (std::size_t i = 0; i < pairs.size(); ++i)
    {
        // Two pairs can be swapped if the later end is not after the earlier use.
        const bool swapsLater = i > 0 && pairs[i - 1].second->end <= pairs[i].first->used;
        const bool swapsEarlier =
            i + 1 < pairs.size() && pairs[i].second->end <= pairs[i + 1].first->used;
        pairs[i].second->guessed = swapsLater || swapsEarlier;
        matches.unique += pairs[i].second->guessed ? 0 : 1;
    }
}

void
FindSenders(TfStep& step, const TfGraph& graph)
{
    std::set<std::string> servers;
    std::set<std::string> others;
    for (const TfDevice& device : step.devices)
    {
        if (!device.machine.empty())
        {
            (device.IsServer() ? servers : others).insert(device.machine);
        }
    }
    for (TfReceive& receive : step.receives)
    {
        if (!receive.sender.empty() || receive.tensor.empty())
        {
            continue;
        }
        const std::string& machine = step.GetMachine(receive);
        receive.sender = graph.FindElsewhere(receive.tensor, machine);
        const std::set<std::string>& peers =
            step.devices[receive.device].IsServer() ? others : servers;
        if (receive.sender.empty() && peers.size() == 1)
        {
            receive.sender = *peers.begin();
        }
    }
}

} // namespace

std::string
MatchTfReceives(TfStep& step, std::vector<std::string>& warnings)
{
    Matches matches;
    const TfGraph graph(step);
    const Arrivals arrivals =
        FindArrivals(step, [](const TfReceive& receive) { return receive.tensor.empty(); });
    if (!arrivals.empty())
    {
        auto wanted = FindWanted(step, graph);
        for (const auto& [machine, list] : arrivals)
        {
            Match(step, list, wanted[machine], matches);
        }
    }
    FindSenders(step, graph);
    step.Warn(warnings,
              matches.unmatched,
              "RecvTensor are left out: no recorded op reads what they brought");
    step.Warn(warnings,
              matches.missing,
              "tensors from other machines have no RecvTensor: their readers do not wait for them");
    return matches.matched == 0
               ? ""
               : "RecvTensor: on each machine, the first tensor to be read is the first to arrive, "
                 "and arrives before it is read (" +
                     std::to_string(matches.matched) + " matched, " +
                     std::to_string(matches.unique) +
                     " of them in the only possible way; only these tell of clocks)";
}

std::vector<uint64_t>
EstimateTfBytes(const TfStep& step, uint64_t rate)
{
    static constexpr double BITS_TIMES_NS = 8e9;
    static constexpr double WORD = 4; // bytes of a float
    std::vector<uint64_t> bytes(step.receives.size(), 0);
    for (const auto& [machine, list] : FindArrivals(step, [](const TfReceive&) { return true; }))
    {
        const TfReceive* before = nullptr;
        for (const uint32_t i : list)
        {
            const TfReceive& receive = step.receives[i];
            const int64_t start =
                before != nullptr ? std::max(before->end, receive.start) : receive.start;
            const double words =
                std::max<double>(0, receive.end - start) * rate / BITS_TIMES_NS / WORD;
            // A guard against nonsense: no tensor is larger than 1 PB.
            bytes[i] = static_cast<uint64_t>(WORD * std::clamp(std::round(words), 1.0, 2.5e14));
            before = &receive;
        }
    }
    return bytes;
}

} // namespace ns3::dml
