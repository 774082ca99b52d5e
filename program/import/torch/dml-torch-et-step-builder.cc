/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-et-step-builder.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace ns3::dml
{

namespace
{

/// @return true if an operator of that name exchanges tensors with other workers
bool
IsCollective(std::string_view name)
{
    for (const std::string_view prefix : {"c10d::", "nccl:", "gloo:", "record_param_comms"})
    {
        if (name.substr(0, prefix.size()) == prefix)
        {
            return true;
        }
    }
    return false;
}

/// @return @p name without the library that defines the operator, or what runs the autograd node
std::string
Shorten(const std::string& name)
{
    for (const std::string_view prefix : {"aten::", "autograd::engine::evaluate_function: "})
    {
        if (name.compare(0, prefix.size(), prefix) == 0)
        {
            return name.substr(prefix.size());
        }
    }
    return name;
}

} // namespace

TorchEtStepBuilder::TorchEtStepBuilder(const std::vector<TorchEtNode>& nodes,
                                       const TorchEtTimes& times,
                                       const TorchEtGraph& graph,
                                       const TorchEtParameters& parameters,
                                       const ImportOptions& options)
    : m_nodes(nodes),
      m_times(times),
      m_graph(graph),
      m_parameters(parameters),
      m_cpu(options.device.value_or("cpu")),
      m_order(options.order.value_or(ComputeOrder::DATAFLOW))
{
    for (uint32_t op = 0; op < graph.GetOps().size(); ++op)
    {
        if (graph.GetOps()[op].step != TorchEtOp::NONE)
        {
            m_byStep[graph.GetOps()[op].step].push_back(op);
        }
    }
}

MeasuredStep
TorchEtStepBuilder::Build(const TorchEtStep& step, uint32_t index)
{
    m_step = {};
    m_step.place = step.place;
    m_step.start = step.start;
    m_step.end = step.end;
    m_ops.clear();
    m_optimizer.clear();
    m_names.clear();
    m_uses.clear();
    m_ready.clear();
    m_accumulations.clear();
    FindOptimizer(index);
    AddPulls();
    AddOps();
    AddPushesAndUpdates();
    return std::move(m_step);
}

void
TorchEtStepBuilder::FindOptimizer(uint32_t index)
{
    const auto& ops = m_graph.GetOps();
    const std::vector<uint32_t>& all = m_byStep[index];
    uint32_t lastBackward = TorchEtOp::NONE;
    bool isAnnotated = false;
    m_firstBackward = TorchEtOp::NONE;
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
            return op > lastBackward && !FindTorchEtChanges(ops[op], m_nodes, m_parameters).empty();
        });
    for (const uint32_t op : all)
    {
        const bool isOptimizer = isBehind ? op > lastBackward : ops[op].isOptimizer;
        // without a parameter there is nothing to update
        (isOptimizer && !m_parameters.tensors.empty() ? m_optimizer : m_ops).push_back(op);
    }
    m_counts.optimizer += m_optimizer.size();
    m_counts.annotated += isAnnotated ? m_optimizer.size() : 0;
}

void
TorchEtStepBuilder::AddPulls()
{
    for (const Tensor& tensor : m_parameters.tensors)
    {
        m_step.ops.push_back(
            {"pull/" + tensor.name, OpKind::PULL, "", tensor.name, {}, m_step.start, 0});
    }
}

std::string
TorchEtStepBuilder::MakeName(uint32_t op)
{
    const TorchEtOp& all = m_graph.GetOps()[op];
    const auto gradient = m_parameters.gradients.find(op);
    if (gradient != m_parameters.gradients.end())
    {
        const std::string name = "accumulate/" + m_parameters.tensors[gradient->second].name;
        const uint32_t use = ++m_uses[name];
        return use == 1 ? name : name + "_" + std::to_string(use);
    }
    const char* const kind = all.isBackward ? "backward/"
                             : op < m_firstBackward && m_firstBackward != TorchEtOp::NONE
                                 ? "forward/"
                                 : "compute/";
    const std::string name = kind + Shorten(m_nodes[all.nodes.front()].name);
    return name + "_" + std::to_string(++m_uses[name]);
}

void
TorchEtStepBuilder::SetTime(const TorchEtOp& op, MeasuredOp& measured)
{
    measured.device = m_cpu;
    measured.start = op.GetStart();
    measured.duration = op.GetLength();
    ++m_counts.ops;
    if (!op.kernels.empty())
    {
        measured.device = "gpu:" + m_times.GetText(op.gpu);
        m_gpus[measured.device] = true;
        ++m_counts.gpuOps;
        for (const auto& [start, end] : op.kernels)
        {
            m_step.end = std::max(m_step.end, end);
        }
    }
    if (IsCollective(m_nodes[op.nodes.front()].name))
    {
        measured.duration = 0;
        ++m_counts.collectives;
    }
}

void
TorchEtStepBuilder::AddOp(uint32_t op)
{
    const TorchEtOp& all = m_graph.GetOps()[op];
    MeasuredOp measured;
    measured.name = MakeName(op);
    const bool isForward =
        !all.isBackward && op < m_firstBackward && m_firstBackward != TorchEtOp::NONE;
    measured.kind = all.isBackward ? OpKind::BACKWARD
                    : isForward    ? OpKind::FORWARD
                                   : OpKind::COMPUTE;
    SetTime(all, measured);
    std::set<TensorIndex> read;
    for (const uint32_t node : all.nodes)
    {
        for (const TorchEtTensor& input : m_nodes[node].inputs)
        {
            const auto parameter = m_parameters.byKey.find(GetTorchEtKey(input));
            if (parameter != m_parameters.byKey.end() && !all.isBackward && input.isOutside)
            {
                read.insert(parameter->second);
            }
        }
    }
    for (const TensorIndex tensor : read)
    {
        measured.deps.push_back("pull/" + m_parameters.tensors[tensor].name);
    }
    for (const uint32_t before : all.deps)
    {
        const auto name = m_names.find(before);
        if (name != m_names.end()) // else it belongs to the optimizer
        {
            measured.deps.push_back(name->second);
        }
    }
    const auto gradient = m_parameters.gradients.find(op);
    if (gradient != m_parameters.gradients.end())
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

void
TorchEtStepBuilder::AddOps()
{
    const std::size_t first = m_step.ops.size();
    for (const uint32_t op : m_ops)
    {
        AddOp(op);
    }
    if (m_order == ComputeOrder::MEASURED)
    {
        ChainOps(first);
    }
}

void
TorchEtStepBuilder::ChainOps(std::size_t first)
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

void
TorchEtStepBuilder::AddPushesAndUpdates()
{
    for (const TensorIndex tensor : m_ready)
    {
        const std::string& name = m_parameters.tensors[tensor].name;
        m_step.ops.push_back({"push/" + name,
                              OpKind::PUSH,
                              "",
                              name,
                              {m_accumulations.at(tensor)},
                              m_step.start,
                              0});
    }
    std::vector<TorchEtOp> optimizer;
    for (const uint32_t op : m_optimizer)
    {
        optimizer.push_back(m_graph.GetOps()[op]);
    }
    const std::vector<int64_t> shares =
        ShareTorchEtOptimizer(optimizer, m_nodes, m_parameters, m_ready, m_step.place);
    // They ran one after another from the optimizer's start, in whichever order.
    int64_t start = optimizer.empty() ? m_step.start : optimizer.front().GetStart();
    for (const TensorIndex tensor : m_ready)
    {
        const std::string& name = m_parameters.tensors[tensor].name;
        m_step.ops.push_back(
            {"update/" + name, OpKind::UPDATE, "", name, {"push/" + name}, start, shares[tensor]});
        start += shares[tensor];
    }
}

std::vector<Device>
TorchEtStepBuilder::GetDevices() const
{
    std::vector<Device> devices = {{m_cpu, 1}};
    for (const auto& [name, used] : m_gpus)
    {
        if (name != m_cpu)
        {
            devices.push_back({name, 1});
        }
    }
    return devices;
}

} // namespace ns3::dml
