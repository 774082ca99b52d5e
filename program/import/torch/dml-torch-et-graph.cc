/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-et-graph.h"

#include "dml-torch-trace.h"

#include <algorithm>
#include <string_view>

namespace ns3::dml
{

int64_t
TorchEtOp::GetStart() const
{
    return kernels.empty() ? start : kernels.front().first;
}

int64_t
TorchEtOp::GetLength() const
{
    if (kernels.empty())
    {
        return end - start;
    }
    int64_t length = 0;
    int64_t busy = INT64_MIN;
    for (const auto& [first, last] : kernels)
    {
        length += std::max(last, busy) - std::max(first, busy);
        busy = std::max(last, busy);
    }
    return length;
}

TorchEtGraph::TorchEtGraph(std::vector<TorchEtNode>& nodes,
                           const TorchEtTimes& times,
                           const TorchEtJoin& join,
                           const std::vector<TorchEtStep>& steps)
    : m_nodes(nodes),
      m_times(times),
      m_op(nodes.size(), TorchEtOp::NONE)
{
    FindOps();
    for (TorchEtOp& op : m_ops)
    {
        const uint32_t event = join.events[op.nodes.front()];
        if (event == TorchEtJoin::NONE)
        {
            ++m_counts.untimed;
            continue;
        }
        const TorchEtEvent& host = times.GetEvents()[event];
        op.start = host.start;
        op.end = host.end;
        op.thread = host.thread;
        SetStep(op, steps);
    }
    for (uint32_t node = 0; node < nodes.size(); ++node)
    {
        if (m_op[node] != TorchEtOp::NONE)
        {
            AddDataFlow(node);
        }
    }
    PairSequences();
    AssignKernels(join);
}

void
TorchEtGraph::FindOps()
{
    std::unordered_map<uint64_t, uint32_t> byId;
    std::vector<bool> isOptimizer(m_nodes.size(), false);
    for (uint32_t i = 0; i < m_nodes.size(); ++i)
    {
        const TorchEtNode& node = m_nodes[i];
        // a caller starts, and gets its id, before what it calls
        const auto caller = byId.find(node.parent);
        const bool isCalled = caller != byId.end();
        byId.emplace(node.id, i);
        isOptimizer[i] =
            StartsWith(node.name, "Optimizer.step") || (isCalled && isOptimizer[caller->second]);
        m_op[i] = isCalled ? m_op[caller->second] : TorchEtOp::NONE;
        if (m_op[i] == TorchEtOp::NONE && !node.isAnnotation)
        {
            m_op[i] = m_ops.size();
            m_ops.emplace_back();
            m_ops.back().isOptimizer = isOptimizer[i];
            m_ops.back().isAccumulation =
                node.name.find("torch::autograd::AccumulateGrad") != std::string::npos;
        }
        if (m_op[i] != TorchEtOp::NONE)
        {
            TorchEtOp& op = m_ops[m_op[i]];
            op.nodes.push_back(i);
            op.isBackward |= op.nodes.size() == 1 &&
                             (node.isBackward || StartsWith(node.name, "autograd::engine::"));
        }
    }
}

void
TorchEtGraph::SetStep(TorchEtOp& op, const std::vector<TorchEtStep>& steps)
{
    const auto behind =
        std::upper_bound(steps.begin(),
                         steps.end(),
                         op.start,
                         [](int64_t start, const TorchEtStep& step) { return start < step.start; });
    if (behind == steps.begin() || op.start >= (behind - 1)->end)
    {
        ++m_counts.outside;
        return;
    }
    op.step = behind - 1 - steps.begin();
}

void
TorchEtGraph::AddDependency(uint32_t op, uint32_t before)
{
    if (before == TorchEtOp::NONE || before == op || m_ops[op].step == TorchEtOp::NONE ||
        m_ops[before].step != m_ops[op].step)
    {
        return;
    }
    if (before > op)
    {
        ++m_counts.crossing;
        return;
    }
    m_ops[op].deps.insert(before);
}

void
TorchEtGraph::AddDataFlow(uint32_t node)
{
    const uint32_t op = m_op[node];
    std::set<uint64_t> read;
    for (TorchEtTensor& input : m_nodes[node].inputs)
    {
        if (input.elements == 0)
        {
            continue; // all empty tensors have one storage
        }
        const auto returned = m_makers.find({input.id, input.storage});
        uint32_t maker = returned == m_makers.end() ? TorchEtOp::NONE : returned->second;
        AddDependency(op, maker);
        if (input.storage != 0)
        {
            Memory& memory = m_memory[input.storage];
            read.insert(input.storage);
            AddDependency(op, memory.writer);
            input.isOutside =
                memory.owner == TorchEtOp::NONE || m_ops[memory.owner].step != m_ops[op].step;
            if (memory.writer != TorchEtOp::NONE &&
                (maker == TorchEtOp::NONE || memory.writer > maker))
            {
                maker = memory.writer;
            }
            if (input.isWritten)
            {
                for (const uint32_t reader : memory.readers)
                {
                    AddDependency(op, reader);
                }
                memory.readers.clear();
                memory.writer = op;
            }
            else if (memory.readers.empty() || memory.readers.back() != op)
            {
                memory.readers.push_back(op);
            }
        }
        const bool isOfStep = maker != TorchEtOp::NONE && m_ops[maker].step == m_ops[op].step;
        input.maker = isOfStep ? maker : TorchEtOp::NONE;
    }
    for (const TorchEtTensor& output : m_nodes[node].outputs)
    {
        if (output.elements == 0)
        {
            continue;
        }
        m_makers[{output.id, output.storage}] = op;
        if (output.storage != 0 && read.count(output.storage) == 0)
        {
            m_memory[output.storage] = {op, op, {}};
        }
    }
}

void
TorchEtGraph::PairSequences()
{
    for (uint32_t node = 0; node < m_nodes.size(); ++node)
    {
        if (m_op[node] != TorchEtOp::NONE && !m_ops[m_op[node]].isBackward &&
            m_nodes[node].sequence >= 0)
        {
            m_owners[m_nodes[node].sequence].push_back(node);
        }
    }
    for (uint32_t op = 0; op < m_ops.size(); ++op)
    {
        if (!m_ops[op].isBackward || m_ops[op].isAccumulation || m_ops[op].step == TorchEtOp::NONE)
        {
            continue;
        }
        ++m_counts.backward;
        const auto owners = GetOwners(GetSequence(op));
        if (!owners.empty() && m_ops[m_op[owners.front()]].step == m_ops[op].step)
        {
            ++m_counts.paired;
            AddDependency(op, m_op[owners.front()]);
        }
    }
}

std::map<uint32_t, std::vector<const TorchEtEvent*>>
TorchEtGraph::FindExchanges(const TorchEtJoin& join) const
{
    std::map<uint32_t, std::vector<const TorchEtEvent*>> exchanges;
    for (uint32_t op = 0; op < m_ops.size(); ++op)
    {
        // not the first one: an op that is a collective itself has kernels, and takes no time
        for (std::size_t n = 1; n < m_ops[op].nodes.size(); ++n)
        {
            const uint32_t node = m_ops[op].nodes[n];
            if (IsTorchEtCollective(m_nodes[node]) && join.events[node] != TorchEtJoin::NONE)
            {
                exchanges[op].push_back(&m_times.GetEvents()[join.events[node]]);
            }
        }
    }
    return exchanges;
}

void
TorchEtGraph::AssignKernels(const TorchEtJoin& join)
{
    std::unordered_map<uint32_t, std::vector<uint32_t>> byThread;
    for (uint32_t op = 0; op < m_ops.size(); ++op)
    {
        if (m_ops[op].step != TorchEtOp::NONE)
        {
            byThread[m_ops[op].thread].push_back(op);
        }
    }
    for (auto& [thread, ops] : byThread)
    {
        std::stable_sort(ops.begin(), ops.end(), [this](uint32_t a, uint32_t b) {
            return m_ops[a].start < m_ops[b].start;
        });
    }
    const auto exchanges = FindExchanges(join);
    std::unordered_map<uint64_t, uint32_t> byExternal;
    for (uint32_t node = 0; node < m_nodes.size(); ++node)
    {
        if (join.events[node] != TorchEtJoin::NONE)
        {
            byExternal.emplace(m_times.GetEvents()[join.events[node]].external, m_op[node]);
        }
    }
    for (const TorchEtLaunch& kernel : m_times.GetKernels())
    {
        uint32_t op = TorchEtOp::NONE;
        const TorchEtLaunch* const call = m_times.FindCall(kernel.correlation);
        if (call)
        {
            const auto& ops = byThread[call->place];
            const auto behind = std::upper_bound(
                ops.begin(),
                ops.end(),
                call->start,
                [this](int64_t start, uint32_t other) { return start < m_ops[other].start; });
            op = behind != ops.begin() && call->start < m_ops[*(behind - 1)].end ? *(behind - 1)
                                                                                 : TorchEtOp::NONE;
        }
        const auto known = byExternal.find(kernel.external);
        if (op == TorchEtOp::NONE && kernel.external != 0 && known != byExternal.end())
        {
            op = known->second;
        }
        if (op == TorchEtOp::NONE || m_ops[op].step == TorchEtOp::NONE)
        {
            ++m_counts.strays;
            continue;
        }
        const auto own = exchanges.find(op);
        if (own != exchanges.end() &&
            std::any_of(own->second.begin(), own->second.end(), [&](const TorchEtEvent* event) {
                return call ? event->start <= call->start && call->start < event->end
                            : event->external == kernel.external;
            }))
        {
            ++m_counts.exchanges;
            continue;
        }
        ++m_counts.kernels;
        m_ops[op].kernels.emplace_back(kernel.start, kernel.end);
        m_ops[op].gpu = kernel.place;
    }
    for (TorchEtOp& op : m_ops)
    {
        std::sort(op.kernels.begin(), op.kernels.end());
    }
}

std::vector<uint32_t>
TorchEtGraph::GetOwners(int64_t sequence) const
{
    const auto owners = m_owners.find(sequence);
    return owners == m_owners.end()
               ? std::vector<uint32_t>()
               : std::vector<uint32_t>(owners->second.rbegin(), owners->second.rend());
}

int64_t
TorchEtGraph::GetSequence(uint32_t op) const
{
    for (const uint32_t node : m_ops[op].nodes)
    {
        if (m_nodes[node].isBackward && m_nodes[node].sequence >= 0)
        {
            return m_nodes[node].sequence;
        }
    }
    return -1;
}

} // namespace ns3::dml
