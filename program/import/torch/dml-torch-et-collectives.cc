/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-bucket-match.h"
#include "dml-torch-buckets.h"
#include "dml-torch-et-run.h"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace ns3::dml
{

namespace
{

/// A collective of an Execution Trace.
struct TorchEtReduction
{
    uint32_t node{0};      //!< index of the outermost node that is about it
    uint32_t last{0};      //!< operator during which it was asked for, or the last one before
    uint64_t bytes{0};     //!< of its tensors
    uint32_t workers{0};   //!< size of the group that takes part, or 0 if unknown
    std::string backend{}; //!< library that does it, or empty if unknown
    int64_t length{0}; //!< ns, how long it ran, waiting for other workers included; 0 if unknown
    bool isAllReduce{false}; //!< else another collective
    bool isTyped{false};     //!< some node about it reads a tensor
    bool isFloat{false};     //!< such a tensor has numbers that are no whole ones
};

constexpr std::string_view DESCRIPTION = "record_param_comms";

/// @return the name of a collective alone: "broadcast" of c10d::broadcast_ and nccl:broadcast
std::string
GetTorchEtCollectiveName(std::string_view name)
{
    name.remove_prefix(std::min(name.rfind(':') + 1, name.size()));
    return std::string(name.substr(0, name.find_last_not_of('_') + 1));
}

/// Finds the collectives of a trace.
class TorchEtCollectives
{
  public:
    explicit TorchEtCollectives(const TorchEtRun& run)
        : m_run(run)
    {
        FindRoots();
        SetLengths();
    }

    /// @return tensors of a step with their buckets, and these; none if no gradient was reduced
    TorchStepTensors Find(uint32_t step) const
    {
        const auto& ops = m_run.ops;
        std::map<TensorIndex, uint32_t> ready; // op that completes a gradient
        uint32_t first = TorchEtOp::NONE;      // that completes one
        uint32_t update = TorchEtOp::NONE;     // first op of the optimizer
        for (uint32_t op = 0; op < ops.size(); ++op)
        {
            const auto gradient = m_run.gradients.find(op);
            if (ops[op].step == step && gradient != m_run.gradients.end())
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
                TorchMessage message{0, 0, reduction.bytes, 0, reduction.length};
                message.workers = reduction.workers;
                message.backend = reduction.backend;
                found.buckets.push_back({message, 0});
                lasts.push_back(reduction.last);
            }
        }
        if (lasts.empty())
        {
            return {};
        }
        std::map<uint32_t, TensorIndex> order; // by the op that completes the gradient
        for (const auto& [index, op] : ready)
        {
            order.emplace(op, index);
        }
        std::vector<ReadyGradient> gradients;
        for (const auto& [op, index] : order)
        {
            const auto first = std::lower_bound(lasts.begin(), lasts.end(), op) - lasts.begin();
            gradients.push_back({m_run.tensors[index].bytes, static_cast<uint32_t>(first)});
        }
        std::vector<uint64_t> bytes;
        for (const TorchBucket& bucket : found.buckets)
        {
            bytes.push_back(bucket.message.bytes);
        }
        const auto matched = MatchGradients(gradients, bytes);
        auto bucket = matched.begin();
        for (const auto& [op, index] : order)
        {
            const bool isIn = *bucket < bytes.size();
            found.tensors.push_back(
                {m_run.tensors[index], {}, op, 0, 0, 0, isIn ? *bucket : TorchEvent::NONE, {}});
            ++bucket;
        }
        return found;
    }

    /// Tell the trace who did the collectives, and of others than all-reduces.
    void Describe(TorchTrace& trace) const
    {
        trace.backend = trace.backend.empty() ? m_backend : trace.backend;
        trace.otherCollectives = {m_others.begin(), m_others.end()};
    }

  private:
    void FindRoots()
    {
        constexpr uint32_t NONE = TorchEtOp::NONE;
        // outermost node of the same collective
        std::vector<uint32_t> roots(m_run.nodes.size(), NONE);
        std::map<uint32_t, TorchEtReduction> found; // by root
        std::map<std::string, uint64_t> annotated;  // other collectives
        for (uint32_t i = 0; i < m_run.nodes.size(); ++i)
        {
            const TorchEtNode& node = m_run.nodes[i];
            roots[i] = node.caller == NONE ? NONE : roots[node.caller];
            if (!IsTorchEtCollective(node))
            {
                continue;
            }
            roots[i] = roots[i] == NONE ? i : roots[i];
            TorchEtReduction& reduction = found[roots[i]];
            reduction.node = roots[i];
            const uint64_t bytes =
                std::accumulate(node.inputs.begin(),
                                node.inputs.end(),
                                uint64_t{0},
                                [](uint64_t sum, const auto& input) { return sum + input.bytes; });
            reduction.bytes = std::max(reduction.bytes, bytes);
            for (const TorchEtTensor& input : node.inputs)
            {
                reduction.isTyped = true;
                reduction.isFloat |= input.isFloat;
            }
            reduction.isAllReduce |= node.isAllReduce;
            reduction.workers =
                std::max(reduction.workers, node.event ? node.event->workers : uint32_t{0});
            if (const auto backend = GetTorchEtBackend(node.name); !backend.empty())
            {
                reduction.backend = backend;
                m_backend = backend;
            }
        }
        for (auto& [root, reduction] : found)
        {
            const std::string& name = m_run.nodes[root].name;
            reduction.last = FindLastOp(root);
            const bool isAnnotation = !GetTorchEtBackend(name).empty();
            if (reduction.isAllReduce && reduction.isTyped && !reduction.isFloat)
            {
                // as DistributedDataParallel's map of unused parameters
                ++(isAnnotation ? annotated : m_others)["all_reduce of whole numbers"];
            }
            else if (reduction.isAllReduce)
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

    uint32_t FindLastOp(uint32_t node) const
    {
        const auto& ops = m_run.ops;
        const auto behind =
            std::upper_bound(ops.begin(), ops.end(), node, [](uint32_t of, const TorchEtOp& op) {
                return of < op.nodes.front();
            });
        const uint32_t own = m_run.nodes[node].op;
        return own != TorchEtOp::NONE || behind == ops.begin() ? own : behind - ops.begin() - 1;
    }

    /// @return ns that the kernels ran that were launched during @p host on its thread
    int64_t GetKernelTime(const TorchEtEvent& host) const
    {
        int64_t time = 0;
        for (const TorchEtLaunch& kernel : m_run.times.kernels)
        {
            const TorchEtLaunch* call = m_run.times.FindCall(kernel.correlation);
            const bool isLaunched = call && call->place == host.thread &&
                                    call->start >= host.start && call->start < host.end;
            time += isLaunched ? kernel.end - kernel.start : 0;
        }
        return time;
    }

    void SetLengths()
    {
        if (m_reductions.empty())
        {
            m_reductions = m_annotations; // before PyTorch 1.13
        }
        for (std::size_t r = 0; r < m_reductions.size(); ++r)
        {
            TorchEtReduction& reduction = m_reductions[r];
            const bool isOfCpu = IsTorchCpuBackend(m_backend);
            const bool isPaired = isOfCpu && m_annotations.size() == m_reductions.size();
            const TorchEtEvent* const host =
                m_run.nodes[isPaired ? m_annotations[r].node : reduction.node].event;
            if (host)
            {
                reduction.length = isPaired ? host->end - host->start : GetKernelTime(*host);
            }
        }
    }

    const TorchEtRun& m_run;                     //!< the traces
    std::vector<TorchEtReduction> m_reductions;  //!< those that were asked for, by node
    std::vector<TorchEtReduction> m_annotations; //!< of a backend's own threads, by node
    std::map<std::string, uint64_t> m_others;    //!< other collectives
    std::string m_backend;                       //!< of annotations
};

} // namespace

void
AddTorchEtBuckets(const TorchEtRun& run, ImportResult& result)
{
    const TorchEtCollectives collectives(run);
    TorchTrace trace = run.distribution;
    trace.file = run.traceFile;
    collectives.Describe(trace);
    TorchBucketFinder finder;
    finder.AddTrace(trace);
    for (uint32_t step = 0; step < run.steps.size(); ++step)
    {
        finder.AddStep(0, run.steps[step].place, collectives.Find(step));
    }
    finder.Finish(result);
}

} // namespace ns3::dml
