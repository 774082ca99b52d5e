/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-et-collectives.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace ns3::dml
{

namespace
{

constexpr std::string_view DESCRIPTION = "record_param_comms";

/// @return the name of a collective alone: "broadcast" of c10d::broadcast_ and nccl:broadcast
std::string
GetTorchEtCollectiveName(std::string_view name)
{
    name.remove_prefix(std::min(name.rfind(':') + 1, name.size()));
    return std::string(name.substr(0, name.find_last_not_of('_') + 1));
}

uint64_t
SumTorchEtInputs(const TorchEtNode& node)
{
    uint64_t bytes = 0;
    for (const TorchEtTensor& input : node.inputs)
    {
        bytes += input.bytes;
    }
    return bytes;
}

} // namespace

TorchEtCollectives::TorchEtCollectives(const std::vector<TorchEtNode>& nodes,
                                       const TorchEtTimes& times,
                                       const TorchEtJoin& join,
                                       const TorchEtGraph& graph)
    : m_nodes(nodes),
      m_graph(graph)
{
    FindRoots();
    SetLengths(times, join);
}

void
TorchEtCollectives::FindRoots()
{
    constexpr uint32_t NONE = TorchEtOp::NONE;
    std::unordered_map<uint64_t, uint32_t> byId;
    std::vector<uint32_t> roots(m_nodes.size(), NONE); // outermost node of the same collective
    std::map<uint32_t, TorchEtReduction> found;        // by root
    std::map<uint32_t, bool> isReduction;
    std::map<std::string, uint64_t> annotated; // other collectives
    for (uint32_t i = 0; i < m_nodes.size(); ++i)
    {
        const TorchEtNode& node = m_nodes[i];
        const auto caller = byId.find(node.parent);
        byId.emplace(node.id, i);
        roots[i] = caller == byId.end() ? NONE : roots[caller->second];
        if (!IsTorchEtCollective(node))
        {
            continue;
        }
        roots[i] = roots[i] == NONE ? i : roots[i];
        TorchEtReduction& reduction = found[roots[i]];
        reduction.node = roots[i];
        reduction.bytes = std::max(reduction.bytes, SumTorchEtInputs(node));
        isReduction[roots[i]] |= node.isAllReduce;
        m_backend = GetTorchEtBackend(node.name).empty() ? m_backend : GetTorchEtBackend(node.name);
    }
    for (auto& [root, reduction] : found)
    {
        const std::string& name = m_nodes[root].name;
        reduction.last = FindLastOp(root);
        const bool isAnnotation = !GetTorchEtBackend(name).empty();
        if (isReduction[root])
        {
            (isAnnotation ? m_annotations : m_reductions).push_back(reduction);
        }
        else if (name != DESCRIPTION) // which also tells of waiting
        {
            ++(isAnnotation ? annotated : m_others)[GetTorchEtCollectiveName(name)];
        }
    }
    for (const auto& [name, count] : annotated)
    {
        m_others[name] = std::max(m_others[name], count);
    }
}

uint32_t
TorchEtCollectives::FindLastOp(uint32_t node) const
{
    const auto& ops = m_graph.GetOps();
    const auto behind =
        std::upper_bound(ops.begin(), ops.end(), node, [](uint32_t of, const TorchEtOp& op) {
            return of < op.nodes.front();
        });
    const uint32_t own = m_graph.GetOp(node);
    return own != TorchEtOp::NONE || behind == ops.begin() ? own : behind - ops.begin() - 1;
}

void
TorchEtCollectives::SetLengths(const TorchEtTimes& times, const TorchEtJoin& join)
{
    if (m_reductions.empty())
    {
        m_reductions = m_annotations; // before PyTorch 1.13
    }
    for (std::size_t r = 0; r < m_reductions.size(); ++r)
    {
        TorchEtReduction& reduction = m_reductions[r];
        const bool isOfCpu = m_backend == "gloo" || m_backend == "mpi";
        const bool isPaired = isOfCpu && m_annotations.size() == m_reductions.size();
        const uint32_t event = join.events[isPaired ? m_annotations[r].node : reduction.node];
        if (event == TorchEtJoin::NONE)
        {
            continue;
        }
        const TorchEtEvent& host = times.GetEvents()[event];
        reduction.length = isPaired ? host.end - host.start : times.GetKernelTime(host);
    }
}

TorchStepTensors
TorchEtCollectives::Find(uint32_t step, const TorchEtParameters& parameters) const
{
    const auto& ops = m_graph.GetOps();
    std::map<TensorIndex, uint32_t> ready; // op that completes a gradient
    uint32_t first = TorchEtOp::NONE;      // that completes one
    uint32_t update = TorchEtOp::NONE;     // first op of the optimizer
    for (uint32_t op = 0; op < ops.size(); ++op)
    {
        const auto gradient = parameters.gradients.find(op);
        if (ops[op].step == step && gradient != parameters.gradients.end())
        {
            ready[gradient->second] = op;
            first = std::min(first, op);
        }
        update = ops[op].step == step && ops[op].isOptimizer ? std::min(update, op) : update;
    }
    TorchStepTensors found;
    std::vector<uint32_t> lasts;
    for (const TorchEtReduction& reduction : m_reductions)
    {
        if (reduction.last != TorchEtOp::NONE && ops[reduction.last].step == step &&
            reduction.last >= first && reduction.last < update)
        {
            found.buckets.emplace_back();
            found.buckets.back().bytes = reduction.bytes;
            found.buckets.back().length = reduction.length;
            lasts.push_back(reduction.last);
        }
    }
    for (const auto& [index, op] : ready)
    {
        TorchTensor tensor;
        tensor.tensor = parameters.tensors[index];
        tensor.ready = op;
        const auto bucket = std::lower_bound(lasts.begin(), lasts.end(), op);
        tensor.bucket = bucket == lasts.end() ? lasts.size() - 1 : bucket - lasts.begin();
        found.tensors.push_back(tensor);
    }
    return lasts.empty() ? TorchStepTensors() : found;
}

} // namespace ns3::dml
