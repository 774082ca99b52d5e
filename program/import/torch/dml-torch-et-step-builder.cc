/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-et-run.h"
#include "dml-torch-run.h"

#include "ns3/dml-error.h"
#include "ns3/dml-import-limits.h"

#include <algorithm>
#include <string_view>

namespace ns3::dml
{

namespace
{

/// @return indices of the parameters that an operator changes in place
std::set<TensorIndex>
FindTorchEtChanges(const TorchEtRun& run, const TorchEtOp& op)
{
    std::set<TensorIndex> changed;
    for (const uint32_t node : op.nodes)
    {
        for (const TorchEtTensor& input : run.nodes[node].inputs)
        {
            const auto parameter = run.byKey.find(GetTorchEtKey(input));
            if (input.isWritten && parameter != run.byKey.end())
            {
                changed.insert(parameter->second);
            }
        }
    }
    return changed;
}

/// Makes the ops of one step.
class TorchEtStepMaker
{
  public:
    TorchEtStepMaker(TorchEtRun& run, const TorchEtStep& step, const std::string& cpu)
        : m_run(run),
          m_cpu(cpu)
    {
        m_step.place = step.place;
        m_step.start = step.deviceStart;
        m_step.end = step.deviceEnd;
    }

    /// @param all operators of the step; @param order what decides the order of compute ops
    MeasuredStep Make(const std::vector<uint32_t>& all, ComputeOrder order)
    {
        FindOptimizer(all);
        for (const Tensor& tensor : m_run.tensors)
        {
            m_step.ops.push_back(
                {"pull/" + tensor.name, OpKind::PULL, "", tensor.name, {}, m_step.start, 0});
        }
        for (const uint32_t op : m_ops)
        {
            AddOp(op);
        }
        if (order == ComputeOrder::MEASURED)
        {
            ChainOps(m_run.tensors.size());
        }
        AddPushesAndUpdates();
        return std::move(m_step);
    }

  private:
    void FindOptimizer(const std::vector<uint32_t>& all)
    {
        const auto& ops = m_run.ops;
        uint32_t lastBackward = TorchEtOp::NONE;
        bool isAnnotated = false;
        for (const uint32_t op : all)
        {
            isAnnotated |= ops[op].isOptimizer;
            if (ops[op].isBackward)
            {
                m_firstBackward = std::min(m_firstBackward, op);
                lastBackward = op;
            }
        }
        const bool isBehind =
            !isAnnotated && lastBackward != TorchEtOp::NONE &&
            std::any_of(all.begin(), all.end(), [&](uint32_t op) {
                return op > lastBackward && !FindTorchEtChanges(m_run, ops[op]).empty();
            });
        for (const uint32_t op : all)
        {
            const bool isOptimizer = isBehind ? op > lastBackward : ops[op].isOptimizer;
            // without a parameter there is nothing to update
            (isOptimizer && !m_run.tensors.empty() ? m_optimizer : m_ops).push_back(op);
        }
        m_run.counts.optimizer += m_optimizer.size();
        m_run.counts.annotated += isAnnotated ? m_optimizer.size() : 0;
    }

    std::string MakeName(uint32_t op, OpKind opKind)
    {
        const auto gradient = m_run.gradients.find(op);
        if (gradient != m_run.gradients.end())
        {
            const std::string name = "accumulate/" + m_run.tensors[gradient->second].name;
            const uint32_t use = ++m_uses[name];
            return use == 1 ? name : name + "_" + std::to_string(use);
        }
        const std::string& full = m_run.nodes[m_run.ops[op].nodes.front()].name;
        const std::string_view node = GetTorchNode(full);
        const std::string name =
            (opKind == OpKind::BACKWARD  ? "backward/"
             : opKind == OpKind::FORWARD ? "forward/"
                                         : "compute/") +
            (node.size() < full.size() ? std::string(node) : GetTorchBaseName(full));
        return name + "_" + std::to_string(++m_uses[name]);
    }

    void SetTime(const TorchEtOp& op, MeasuredOp& measured)
    {
        measured.device = m_cpu;
        measured.start = op.GetStart();
        measured.duration = op.GetLength();
        ++m_run.counts.ops;
        if (!op.kernels.empty())
        {
            measured.device = "gpu:" + m_run.times.texts[op.gpu];
            ++m_run.counts.gpuOps;
        }
        if (IsTorchEtCollective(m_run.nodes[op.nodes.front()]))
        {
            measured.duration = 0;
            ++m_run.counts.collectives;
        }
    }

    void AddOp(uint32_t op)
    {
        const TorchEtOp& all = m_run.ops[op];
        MeasuredOp measured;
        measured.kind = all.isBackward ? OpKind::BACKWARD
                        : op < m_firstBackward && m_firstBackward != TorchEtOp::NONE
                            ? OpKind::FORWARD
                            : OpKind::COMPUTE;
        measured.name = MakeName(op, measured.kind);
        SetTime(all, measured);
        std::set<TensorIndex> read;
        for (const uint32_t node : all.nodes)
        {
            for (const TorchEtTensor& input : m_run.nodes[node].inputs)
            {
                const auto parameter = m_run.byKey.find(GetTorchEtKey(input));
                if (parameter != m_run.byKey.end() && !all.isBackward && input.isOutside)
                {
                    read.insert(parameter->second);
                }
            }
        }
        for (const TensorIndex tensor : read)
        {
            measured.deps.push_back("pull/" + m_run.tensors[tensor].name);
        }
        for (const uint32_t before : all.deps)
        {
            const auto name = m_names.find(before);
            if (name != m_names.end()) // else it belongs to the optimizer
            {
                measured.deps.push_back(name->second);
            }
        }
        const auto gradient = m_run.gradients.find(op);
        if (gradient != m_run.gradients.end())
        {
            if (m_accumulations.count(gradient->second) > 0)
            {
                m_ready.erase(std::find(m_ready.begin(), m_ready.end(), gradient->second));
            }
            m_ready.push_back(gradient->second);
            m_accumulations[gradient->second] = measured.name;
        }
        m_names.emplace(op, measured.name);
        m_step.ops.push_back(std::move(measured));
    }

    /// Let each op from @p first on wait for the one that ended last before it, too.
    void ChainOps(std::size_t first)
    {
        std::map<int64_t, std::size_t> byEnd; // ops so far; the latest of those that end together
        for (std::size_t i = first; i < m_step.ops.size(); ++i)
        {
            MeasuredOp& op = m_step.ops[i];
            const auto behind = byEnd.upper_bound(op.start);
            if (behind != byEnd.begin())
            {
                const std::string& before = m_step.ops[std::prev(behind)->second].name;
                if (std::find(op.deps.begin(), op.deps.end(), before) == op.deps.end())
                {
                    op.deps.push_back(before);
                }
            }
            byEnd[op.start + op.duration] = i;
        }
    }

    /// @return ns of the optimizer for each parameter, 0 for those without a gradient; if any has
    /// one, their sum is that of the operators
    std::vector<int64_t> ShareOptimizer() const
    {
        std::vector<int64_t> shares(m_run.tensors.size(), 0);
        const std::set<TensorIndex> all(m_ready.begin(), m_ready.end());
        int64_t total = 0;
        for (const uint32_t op : m_optimizer)
        {
            const int64_t length = m_run.ops[op].GetLength();
            if (length > importlimit::LENGTH_NS - total)
            {
                throw InputError(m_step.place +
                                 ": found more than 1e6 s of the optimizer's operators; "
                                 "accepted is less");
            }
            total += length;
            std::set<TensorIndex> targets;
            for (const TensorIndex changed : FindTorchEtChanges(m_run, m_run.ops[op]))
            {
                if (all.count(changed) > 0)
                {
                    targets.insert(changed);
                }
            }
            targets = targets.empty() ? all : targets;
            double bytes = 0;
            for (const TensorIndex target : targets)
            {
                bytes += static_cast<double>(m_run.tensors[target].bytes);
            }
            int64_t left = length;
            for (const TensorIndex target : targets)
            {
                // what rounding leaves goes to the last
                const double size = static_cast<double>(m_run.tensors[target].bytes);
                const double part = bytes > 0 ? size / bytes : 0;
                const bool isLast = target == *targets.rbegin();
                const int64_t share = isLast ? left : static_cast<int64_t>(length * part);
                shares[target] += share;
                left -= share;
            }
        }
        return shares;
    }

    void AddPushesAndUpdates()
    {
        for (const TensorIndex tensor : m_ready)
        {
            const std::string& name = m_run.tensors[tensor].name;
            m_step.ops.push_back({"push/" + name,
                                  OpKind::PUSH,
                                  "",
                                  name,
                                  {m_accumulations.at(tensor)},
                                  m_step.start,
                                  0});
        }
        const std::vector<int64_t> shares = ShareOptimizer();
        // They ran one after another from the optimizer's start, in whichever order.
        int64_t start =
            m_optimizer.empty() ? m_step.start : m_run.ops[m_optimizer.front()].GetStart();
        for (const TensorIndex tensor : m_ready)
        {
            const std::string& name = m_run.tensors[tensor].name;
            m_step.ops.push_back({"update/" + name,
                                  OpKind::UPDATE,
                                  "",
                                  name,
                                  {"push/" + name},
                                  start,
                                  shares[tensor]});
            start += shares[tensor];
        }
    }

    TorchEtRun& m_run;                         //!< the traces
    const std::string& m_cpu;                  //!< name of the CPU
    MeasuredStep m_step;                       //!< under construction
    std::vector<uint32_t> m_ops;               //!< operators of the step but for the optimizer's
    std::vector<uint32_t> m_optimizer;         //!< operators of the optimizer
    uint32_t m_firstBackward{TorchEtOp::NONE}; //!< operator
    std::unordered_map<uint32_t, std::string> m_names; //!< ops by operator
    std::unordered_map<std::string, uint32_t> m_uses;  //!< of names
    std::vector<TensorIndex> m_ready; //!< parameters in the order of their accumulation
    std::map<TensorIndex, std::string> m_accumulations; //!< last op that accumulates
};

} // namespace

void
BuildTorchEtSteps(TorchEtRun& run, const ImportOptions& options, MeasuredJob& job)
{
    const std::string cpu = options.device.value_or("cpu");
    std::vector<std::vector<uint32_t>> ops(run.steps.size());
    for (uint32_t op = 0; op < run.ops.size(); ++op)
    {
        if (run.ops[op].step != TorchEtOp::NONE)
        {
            ops[run.ops[op].step].push_back(op);
        }
    }
    std::set<std::string> gpus;
    for (uint32_t s = 0; s < run.steps.size(); ++s)
    {
        MeasuredStep step = TorchEtStepMaker(run, run.steps[s], cpu)
                                .Make(ops[s], options.order.value_or(ComputeOrder::DATAFLOW));
        for (const MeasuredOp& op : step.ops)
        {
            gpus.insert(op.device);
        }
        job.steps.push_back(std::move(step));
    }
    gpus.erase("");
    gpus.erase(cpu);
    job.devices = {{cpu, 1}};
    for (const std::string& gpu : gpus)
    {
        job.devices.push_back({gpu, 1});
    }
}

} // namespace ns3::dml
