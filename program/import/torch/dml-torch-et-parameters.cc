/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-et-run.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

/// Storage in the key of a parameter that is known by its gradient only.
constexpr uint64_t UNKNOWN = UINT64_MAX;

/// @return whether an operator may take @p input as the parameter whose gradient is @p gradient
bool
IsCandidate(const TorchEtTensor& input, const TorchEtTensor& gradient)
{
    return input.isOutside && input.isFloat && input.elements == gradient.elements &&
           input.shape == gradient.shape;
}

/// Finds the parameters of a trace.
class TorchEtParameterFinder
{
  public:
    explicit TorchEtParameterFinder(TorchEtRun& run)
        : m_run(run)
    {
    }

    void Find()
    {
        FindReads();
        const auto& ops = m_run.ops;
        for (uint32_t op = 0; op < ops.size(); ++op)
        {
            if (!ops[op].isAccumulation || ops[op].step == TorchEtOp::NONE)
            {
                continue;
            }
            const TorchEtTensor* tensor = nullptr;
            for (const uint32_t node : ops[op].nodes)
            {
                const auto& inputs = m_run.nodes[node].inputs;
                const auto found =
                    std::find_if(inputs.begin(), inputs.end(), [](const auto& input) {
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
                ++m_run.counts.empty;
                continue;
            }
            const TorchEtKey key = Choose(*tensor, op);
            m_taken[ops[op].step].insert(key);
            m_chosen.emplace(op, key);
            m_sizes.emplace(key, std::make_pair(tensor->bytes, tensor->shape));
        }
        Number();
    }

  private:
    /// What optimizers change, and what forward operators read from outside their step.
    void FindReads()
    {
        for (const TorchEtOp& op : m_run.ops)
        {
            const bool reads = op.step != TorchEtOp::NONE && !op.isBackward && !op.isOptimizer;
            for (const uint32_t node : op.nodes)
            {
                for (const TorchEtTensor& input : m_run.nodes[node].inputs)
                {
                    if (op.isOptimizer && input.isWritten)
                    {
                        m_updated.insert(GetTorchEtKey(input));
                    }
                    if (reads && input.isOutside && input.isFloat && input.elements > 0)
                    {
                        m_reads.emplace(GetTorchEtKey(input), node);
                        m_outside[op.step].push_back(&input);
                    }
                }
            }
        }
    }

    /// @return parameters that the gradient may be of by the sequence number of what made it
    std::vector<TorchEtKey> FindCandidates(const TorchEtTensor& gradient, uint32_t op) const
    {
        const auto& ops = m_run.ops;
        const uint32_t maker = gradient.maker;
        if (maker == TorchEtOp::NONE || maker == op || !ops[maker].isBackward)
        {
            return {};
        }
        const auto owners = m_run.owners.find(m_run.GetSequence(maker));
        if (owners == m_run.owners.end())
        {
            return {};
        }
        for (auto owner = owners->second.rbegin(); owner != owners->second.rend(); ++owner)
        {
            const TorchEtNode& node = m_run.nodes[*owner];
            std::vector<TorchEtKey> candidates;
            bool isUpdated = false;
            for (const TorchEtTensor& input : node.inputs)
            {
                const TorchEtKey key = GetTorchEtKey(input);
                const bool isNew =
                    std::find(candidates.begin(), candidates.end(), key) == candidates.end();
                if (isNew && IsCandidate(input, gradient) && ops[node.op].step == ops[op].step)
                {
                    candidates.push_back(key);
                    isUpdated |= m_updated.count(key) > 0;
                }
            }
            if (isUpdated)
            {
                candidates.erase(std::remove_if(candidates.begin(),
                                                candidates.end(),
                                                [this](const TorchEtKey& key) {
                                                    return m_updated.count(key) == 0;
                                                }),
                                 candidates.end());
            }
            if (!candidates.empty())
            {
                return candidates;
            }
        }
        return {};
    }

    /// @return how many gradients of this shape the node that made it returned before it
    std::size_t FindRank(const TorchEtTensor& gradient) const
    {
        const auto& makers = m_run.ops[gradient.maker].nodes;
        for (auto node = makers.rbegin(); node != makers.rend(); ++node)
        {
            std::size_t rank = 0;
            for (const TorchEtTensor& output : m_run.nodes[*node].outputs)
            {
                if (output.id == gradient.id && output.storage == gradient.storage)
                {
                    return rank;
                }
                rank += output.shape == gradient.shape ? 1 : 0;
            }
        }
        return 0;
    }

    TorchEtKey Choose(const TorchEtTensor& gradient, uint32_t op)
    {
        const uint32_t step = m_run.ops[op].step;
        const auto& taken = m_taken[step];
        const std::vector<TorchEtKey> candidates = FindCandidates(gradient, op);
        if (!candidates.empty())
        {
            ++m_run.counts.bySequence;
            const TorchEtKey& first =
                candidates[std::min(FindRank(gradient), candidates.size() - 1)];
            if (taken.count(first) == 0)
            {
                return first;
            }
            const auto other = std::find_if(candidates.begin(),
                                            candidates.end(),
                                            [&](const auto& key) { return taken.count(key) == 0; });
            return other == candidates.end() ? first : *other;
        }
        const auto& outside = m_outside[step];
        const auto last = std::find_if(outside.rbegin(), outside.rend(), [&](const auto* input) {
            return IsCandidate(*input, gradient) && taken.count(GetTorchEtKey(*input)) == 0;
        });
        if (last != outside.rend())
        {
            ++m_run.counts.byShape;
            return GetTorchEtKey(**last);
        }
        ++m_run.counts.unknown;
        return {UNKNOWN, m_unknown[step]++, gradient.elements};
    }

    void Number()
    {
        std::vector<std::pair<uint32_t, TorchEtKey>>
            order; // by first forward node, the unknown last
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
                const auto& inputs = m_run.nodes[entry.first].inputs;
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
            const TensorIndex index = m_run.tensors.size();
            m_run.tensors.push_back({"parameter_" + std::to_string(index + 1) + "_" +
                                         (shape.empty() ? "scalar" : shape),
                                     bytes});
            m_run.byKey.emplace(key, index);
        }
        for (const auto& [op, key] : m_chosen)
        {
            m_run.gradients.emplace(op, m_run.byKey.at(key));
        }
    }

    TorchEtRun& m_run;                      //!< the traces
    std::set<TorchEtKey> m_updated;         //!< what optimizers change
    std::map<TorchEtKey, uint32_t> m_reads; //!< first forward node that reads a tensor
    /// Tensors from outside the step that forward operators read, in order, by step.
    std::map<uint32_t, std::vector<const TorchEtTensor*>> m_outside;
    std::map<uint32_t, std::set<TorchEtKey>> m_taken; //!< parameters with a gradient, by step
    std::map<uint32_t, uint64_t> m_unknown;           //!< gradients of no parameter, by step
    std::map<uint32_t, TorchEtKey> m_chosen;          //!< parameter by op that accumulates
    std::map<TorchEtKey, std::pair<uint64_t, std::string>> m_sizes; //!< bytes and shape
};

} // namespace

void
FindTorchEtParameters(TorchEtRun& run)
{
    TorchEtParameterFinder(run).Find();
}

} // namespace ns3::dml
