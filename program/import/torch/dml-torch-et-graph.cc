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

/// Makes the graph of a trace.
class TorchEtGraph
{
  public:
    explicit TorchEtGraph(TorchEtRun& run)
        : m_run(run)
    {
    }

    void Make()
    {
        FindOps();
        for (TorchEtOp& op : m_run.ops)
        {
            const TorchEtEvent* const host = m_run.nodes[op.nodes.front()].event;
            if (!host)
            {
                ++m_run.counts.untimed;
                continue;
            }
            op.start = host->start;
            op.end = host->end;
            op.thread = host->thread;
            op.step = m_run.FindStep(op.start);
            m_run.counts.outside += op.step == TorchEtOp::NONE ? 1 : 0;
        }
        for (TorchEtNode& node : m_run.nodes)
        {
            if (node.op != TorchEtOp::NONE)
            {
                AddDataFlow(node);
            }
        }
        PairSequences();
        AssignKernels();
    }

  private:
    /// What is known about a piece of memory.
    struct Memory
    {
        uint32_t owner{TorchEtOp::NONE};  //!< op that allocated it
        uint32_t writer{TorchEtOp::NONE}; //!< op that last changed it
        std::vector<uint32_t> readers;    //!< ops that read it since
    };

    void FindOps()
    {
        std::unordered_map<uint64_t, uint32_t> byId;
        std::vector<bool> isOptimizer(m_run.nodes.size(), false);
        for (uint32_t i = 0; i < m_run.nodes.size(); ++i)
        {
            TorchEtNode& node = m_run.nodes[i];
            // a caller starts, and gets its id, before what it calls
            const auto caller = byId.find(node.parent);
            const bool isCalled = caller != byId.end();
            node.caller = isCalled ? caller->second : TorchEtOp::NONE;
            byId.emplace(node.id, i);
            isOptimizer[i] =
                StartsWith(node.name, "Optimizer.step") || (isCalled && isOptimizer[node.caller]);
            node.op = isCalled ? m_run.nodes[node.caller].op : TorchEtOp::NONE;
            const bool isAccumulation = node.name.find(torchnames::ACCUMULATE) != std::string::npos;
            // A checkpoint runs its part of the backward pass within its own autograd node.
            const bool isInner = node.op != TorchEtOp::NONE && isAccumulation &&
                                 m_run.ops[node.op].isBackward &&
                                 !m_run.ops[node.op].isAccumulation;
            if (isInner && node.event)
            {
                m_run.ops[node.op].inner += node.event->end - node.event->start;
            }
            if (isInner || (node.op == TorchEtOp::NONE && !node.isAnnotation))
            {
                node.op = m_run.ops.size();
                m_run.ops.emplace_back();
                m_run.ops.back().isOptimizer = isOptimizer[i];
                m_run.ops.back().isAccumulation = isAccumulation;
            }
            if (node.op != TorchEtOp::NONE)
            {
                TorchEtOp& op = m_run.ops[node.op];
                if (!op.nodes.empty() && node.event && IsTorchEtCollective(node))
                {
                    op.exchanges.push_back(node.event);
                }
                op.nodes.push_back(i);
                op.isBackward |= op.nodes.size() == 1 &&
                                 (node.isBackward || StartsWith(node.name, "autograd::engine::"));
            }
        }
    }

    void AddDependency(uint32_t op, uint32_t before)
    {
        if (before == TorchEtOp::NONE || before == op || m_run.ops[op].step == TorchEtOp::NONE ||
            m_run.ops[before].step != m_run.ops[op].step)
        {
            return;
        }
        if (before > op)
        {
            ++m_run.counts.crossing;
            return;
        }
        m_run.ops[op].deps.insert(before);
    }

    void AddDataFlow(TorchEtNode& node)
    {
        const uint32_t op = node.op;
        std::set<uint64_t> read;
        for (TorchEtTensor& input : node.inputs)
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
                input.isOutside = memory.owner == TorchEtOp::NONE ||
                                  m_run.ops[memory.owner].step != m_run.ops[op].step;
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
            const bool isOfStep =
                maker != TorchEtOp::NONE && m_run.ops[maker].step == m_run.ops[op].step;
            input.maker = isOfStep ? maker : TorchEtOp::NONE;
        }
        for (const TorchEtTensor& output : node.outputs)
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

    void PairSequences()
    {
        for (uint32_t i = 0; i < m_run.nodes.size(); ++i)
        {
            const TorchEtNode& node = m_run.nodes[i];
            if (node.op != TorchEtOp::NONE && !m_run.ops[node.op].isBackward && node.sequence >= 0)
            {
                m_run.owners[node.sequence].push_back(i);
            }
        }
        for (uint32_t op = 0; op < m_run.ops.size(); ++op)
        {
            if (!m_run.ops[op].isBackward || m_run.ops[op].isAccumulation ||
                m_run.ops[op].step == TorchEtOp::NONE)
            {
                continue;
            }
            ++m_run.counts.backward;
            const auto owners = m_run.owners.find(m_run.GetSequence(op));
            if (owners == m_run.owners.end())
            {
                continue;
            }
            const uint32_t forward = m_run.nodes[owners->second.back()].op;
            if (m_run.ops[forward].step == m_run.ops[op].step)
            {
                ++m_run.counts.paired;
                AddDependency(op, forward);
            }
        }
    }

    void AssignKernels()
    {
        std::unordered_map<uint32_t, std::vector<uint32_t>> byThread;
        for (uint32_t op = 0; op < m_run.ops.size(); ++op)
        {
            if (m_run.ops[op].step != TorchEtOp::NONE)
            {
                byThread[m_run.ops[op].thread].push_back(op);
            }
        }
        for (auto& [thread, ops] : byThread)
        {
            std::stable_sort(ops.begin(), ops.end(), [this](uint32_t a, uint32_t b) {
                return m_run.ops[a].start < m_run.ops[b].start;
            });
        }
        std::unordered_map<uint64_t, uint32_t> byExternal;
        for (const TorchEtNode& node : m_run.nodes)
        {
            if (node.event)
            {
                byExternal.emplace(node.event->external, node.op);
            }
        }
        for (const TorchEtLaunch& kernel : m_run.times.kernels)
        {
            uint32_t op = TorchEtOp::NONE;
            const TorchEtLaunch* const call = m_run.times.FindCall(kernel.correlation);
            if (call)
            {
                const auto& ops = byThread[call->place];
                const auto behind = std::upper_bound(ops.begin(),
                                                     ops.end(),
                                                     call->start,
                                                     [this](int64_t start, uint32_t other) {
                                                         return start < m_run.ops[other].start;
                                                     });
                op = behind != ops.begin() && call->start < m_run.ops[*(behind - 1)].end
                         ? *(behind - 1)
                         : TorchEtOp::NONE;
            }
            const auto known = byExternal.find(kernel.external);
            if (op == TorchEtOp::NONE && kernel.external != 0 && known != byExternal.end())
            {
                op = known->second;
            }
            if (op == TorchEtOp::NONE || m_run.ops[op].step == TorchEtOp::NONE)
            {
                ++m_run.counts.strays;
                continue;
            }
            const auto& exchanges = m_run.ops[op].exchanges;
            if (std::any_of(exchanges.begin(), exchanges.end(), [&](const TorchEtEvent* event) {
                    return call ? event->start <= call->start && call->start < event->end
                                : event->external == kernel.external;
                }))
            {
                ++m_run.counts.exchanges;
                continue;
            }
            ++m_run.counts.kernels;
            m_run.ops[op].kernels.emplace_back(kernel.start, kernel.end);
            m_run.ops[op].gpu = kernel.place;
        }
        for (TorchEtOp& op : m_run.ops)
        {
            std::sort(op.kernels.begin(), op.kernels.end());
        }
    }

    TorchEtRun& m_run;                                          //!< the traces
    std::unordered_map<uint64_t, Memory> m_memory;              //!< by storage id
    std::map<std::pair<uint64_t, uint64_t>, uint32_t> m_makers; //!< op by tensor and storage
};

} // namespace

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
        return std::max<int64_t>(0, end - start - inner);
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

int64_t
TorchEtRun::GetSequence(uint32_t op) const
{
    for (const uint32_t node : ops[op].nodes)
    {
        if (nodes[node].isBackward && nodes[node].sequence >= 0)
        {
            return nodes[node].sequence;
        }
    }
    return -1;
}

void
MakeTorchEtGraph(TorchEtRun& run)
{
    TorchEtGraph(run).Make();
}

} // namespace ns3::dml
