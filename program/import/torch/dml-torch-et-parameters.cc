/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-et-parameters.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Storage in the key of a parameter that is known by its gradient only.
constexpr uint64_t UNKNOWN = UINT64_MAX;

} // namespace

TorchEtKey
GetTorchEtKey(const TorchEtTensor& tensor)
{
    return {tensor.storage, tensor.offset, tensor.elements};
}

TorchEtParameterFinder::TorchEtParameterFinder(const std::vector<TorchEtNode>& nodes,
                                               const TorchEtGraph& graph)
    : m_nodes(nodes),
      m_graph(graph)
{
}

void
TorchEtParameterFinder::FindUpdated()
{
    for (const TorchEtOp& op : m_graph.GetOps())
    {
        for (const uint32_t node : op.nodes)
        {
            for (const TorchEtTensor& input : m_nodes[node].inputs)
            {
                if (op.isOptimizer && input.isWritten)
                {
                    m_updated.insert(GetTorchEtKey(input));
                }
            }
        }
    }
}

void
TorchEtParameterFinder::FindReads()
{
    for (const TorchEtOp& op : m_graph.GetOps())
    {
        if (op.step == TorchEtOp::NONE || op.isBackward || op.isOptimizer)
        {
            continue;
        }
        for (const uint32_t node : op.nodes)
        {
            for (const TorchEtTensor& input : m_nodes[node].inputs)
            {
                if (input.isOutside && input.isFloat && input.elements > 0)
                {
                    m_reads.emplace(GetTorchEtKey(input), node);
                    m_outside[op.step].push_back(&input);
                }
            }
        }
    }
}

TorchEtParameters
TorchEtParameterFinder::Find()
{
    FindUpdated();
    FindReads();
    const auto& ops = m_graph.GetOps();
    for (uint32_t op = 0; op < ops.size(); ++op)
    {
        if (!ops[op].isAccumulation || ops[op].step == TorchEtOp::NONE)
        {
            continue;
        }
        const TorchEtTensor* tensor = nullptr;
        for (const uint32_t node : ops[op].nodes)
        {
            const auto& inputs = m_nodes[node].inputs;
            const auto found = std::find_if(inputs.begin(), inputs.end(), [](const auto& input) {
                return input.elements > 0;
            });
            if (found != inputs.end())
            {
                tensor = &*found;
                break;
            }
        }
        if (!tensor)
        {
            ++m_found.empty;
            continue;
        }
        const TorchEtKey key = Choose({tensor, op});
        m_taken[ops[op].step].insert(key);
        m_chosen.emplace(op, key);
        m_sizes.emplace(key, std::make_pair(tensor->bytes, tensor->shape));
    }
    Number();
    return std::move(m_found);
}

bool
TorchEtParameterFinder::IsCandidate(const TorchEtTensor& input, const TorchEtTensor& gradient) const
{
    return input.isOutside && input.isFloat && input.elements == gradient.elements &&
           input.shape == gradient.shape;
}

std::vector<TorchEtKey>
TorchEtParameterFinder::FindCandidates(const Gradient& gradient) const
{
    const auto& ops = m_graph.GetOps();
    const uint32_t maker = gradient.tensor->maker;
    if (maker == TorchEtOp::NONE || maker == gradient.op || !ops[maker].isBackward)
    {
        return {};
    }
    for (const uint32_t owner : m_graph.GetOwners(m_graph.GetSequence(maker)))
    {
        std::vector<TorchEtKey> candidates;
        bool isUpdated = false;
        for (const TorchEtTensor& input : m_nodes[owner].inputs)
        {
            const TorchEtKey key = GetTorchEtKey(input);
            const bool isNew =
                std::find(candidates.begin(), candidates.end(), key) == candidates.end();
            if (isNew && IsCandidate(input, *gradient.tensor) &&
                ops[m_graph.GetOp(owner)].step == ops[gradient.op].step)
            {
                candidates.push_back(key);
                isUpdated |= m_updated.count(key) > 0;
            }
        }
        if (isUpdated)
        {
            candidates.erase(
                std::remove_if(candidates.begin(),
                               candidates.end(),
                               [this](const TorchEtKey& key) { return m_updated.count(key) == 0; }),
                candidates.end());
        }
        if (!candidates.empty())
        {
            return candidates;
        }
    }
    return {};
}

std::size_t
TorchEtParameterFinder::FindRank(const Gradient& gradient) const
{
    const auto& makers = m_graph.GetOps()[gradient.tensor->maker].nodes;
    for (auto node = makers.rbegin(); node != makers.rend(); ++node)
    {
        std::size_t rank = 0;
        for (const TorchEtTensor& output : m_nodes[*node].outputs)
        {
            if (output.id == gradient.tensor->id && output.storage == gradient.tensor->storage)
            {
                return rank;
            }
            rank += output.shape == gradient.tensor->shape ? 1 : 0;
        }
    }
    return 0;
}

TorchEtKey
TorchEtParameterFinder::Choose(const Gradient& gradient)
{
    const uint32_t step = m_graph.GetOps()[gradient.op].step;
    const auto& taken = m_taken[step];
    const std::vector<TorchEtKey> candidates = FindCandidates(gradient);
    if (!candidates.empty())
    {
        ++m_found.bySequence;
        const TorchEtKey& first = candidates[std::min(FindRank(gradient), candidates.size() - 1)];
        if (taken.count(first) == 0)
        {
            return first;
        }
        const auto other = std::find_if(candidates.begin(), candidates.end(), [&](const auto& key) {
            return taken.count(key) == 0;
        });
        return other == candidates.end() ? first : *other;
    }
    const auto& outside = m_outside[step];
    const auto last = std::find_if(outside.rbegin(), outside.rend(), [&](const auto* input) {
        return IsCandidate(*input, *gradient.tensor) && taken.count(GetTorchEtKey(*input)) == 0;
    });
    if (last != outside.rend())
    {
        ++m_found.byShape;
        return GetTorchEtKey(**last);
    }
    ++m_found.unknown;
    return {UNKNOWN, m_unknown[step]++, gradient.tensor->elements};
}

void
TorchEtParameterFinder::Number()
{
    std::vector<std::pair<uint32_t, TorchEtKey>> order; // by first forward node, the unknown last
    for (const auto& [key, size] : m_sizes)
    {
        const auto read = m_reads.find(key);
        order.emplace_back(read == m_reads.end() ? TorchEtOp::NONE : read->second, key);
    }
    // two parameters that one node reads: in the order in which it does
    const auto place = [this](const std::pair<uint32_t, TorchEtKey>& entry) {
        std::size_t place = 0;
        if (entry.first != TorchEtOp::NONE)
        {
            const auto& inputs = m_nodes[entry.first].inputs;
            place = std::find_if(inputs.begin(),
                                 inputs.end(),
                                 [&](const TorchEtTensor& input) {
                                     return GetTorchEtKey(input) == entry.second;
                                 }) -
                    inputs.begin();
        }
        return place;
    };
    std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
        return std::make_tuple(a.first, place(a), a.second) <
               std::make_tuple(b.first, place(b), b.second);
    });
    for (const auto& [node, key] : order)
    {
        const auto& [bytes, shape] = m_sizes.at(key);
        const TensorIndex index = m_found.tensors.size();
        m_found.tensors.push_back(
            {"parameter_" + std::to_string(index + 1) + "_" + (shape.empty() ? "scalar" : shape),
             bytes});
        m_found.keys.push_back(key);
        m_found.byKey.emplace(key, index);
    }
    for (const auto& [op, key] : m_chosen)
    {
        m_found.gradients.emplace(op, m_found.byKey.at(key));
    }
}

} // namespace ns3::dml
