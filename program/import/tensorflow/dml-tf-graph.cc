/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-graph.h"

#include "dml-tf-names.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

/// @return true for an op that passes its first input on
bool
IsCopy(std::string_view type)
{
    return type == "Identity" || type == "ReadVariableOp" || type == "Enter" || type == "RefEnter";
}

} // namespace

TfGraph::TfGraph(const TfStep& step)
    : m_step(step)
{
    for (const bool servers : {true, false})
    {
        for (const TfDevice& device : step.devices)
        {
            if (device.IsServer() == servers &&
                std::find(m_machines.begin(), m_machines.end(), device.machine) == m_machines.end())
            {
                m_machines.push_back(device.machine);
            }
        }
    }
    for (uint32_t i = 0; i < step.ops.size(); ++i)
    {
        m_ops[{step.GetMachine(step.ops[i]), step.ops[i].node}].push_back(i);
    }
    for (auto& [key, executions] : m_ops)
    {
        std::stable_sort(executions.begin(), executions.end(), [&](uint32_t a, uint32_t b) {
            return step.ops[a].launch < step.ops[b].launch;
        });
    }
}

const std::vector<uint32_t>*
TfGraph::FindAll(const std::string& machine, std::string_view node) const
{
    const auto found = m_ops.find({machine, node});
    return found != m_ops.end() ? &found->second : nullptr;
}

uint32_t
TfGraph::FindProducer(std::string_view input, uint32_t reader) const
{
    const TfOp& op = m_step.ops[reader];
    const std::string& machine = m_step.GetMachine(op);
    const std::string_view node = GetTfNode(input);
    const std::vector<uint32_t>* executions = FindAll(machine, node);
    const std::string_view made = StripTfPartition(node);
    if (made != node &&
        (executions == nullptr || IsTfReceive(m_step.ops[executions->front()].type)))
    {
        executions = FindAll(machine, made);
    }
    if (executions == nullptr)
    {
        return NONE;
    }
    auto after =
        std::upper_bound(executions->begin(),
                         executions->end(),
                         op.launch,
                         [&](int64_t launch, uint32_t i) { return launch < m_step.ops[i].launch; });
    if (after != executions->begin() && *(after - 1) == reader)
    {
        --after;
    }
    return after != executions->begin() ? *(after - 1) : executions->front();
}

uint32_t
TfGraph::Find(const std::string& machine, std::string_view node) const
{
    const std::vector<uint32_t>* const executions = FindAll(machine, node);
    return executions != nullptr ? executions->front() : NONE;
}

std::string
TfGraph::FindElsewhere(std::string_view node, const std::string& machine) const
{
    const auto found = std::find_if(m_machines.begin(), m_machines.end(), [&](const auto& other) {
        return other != machine && FindAll(other, node) != nullptr;
    });
    return found != m_machines.end() ? *found : "";
}

std::string
TfGraph::FindVariable(const std::string& machine, std::string_view node) const
{
    static constexpr int MAX_COPIES = 100; // ends the walk if a file has copies in a circle
    std::string_view variable = node;
    for (int i = 0; i < MAX_COPIES; ++i)
    {
        const uint32_t op = Find(machine, variable);
        if (op == NONE)
        {
            return std::string(StripTfRead(variable));
        }
        if (!IsCopy(m_step.ops[op].type) || m_step.ops[op].inputs.empty())
        {
            return std::string(variable);
        }
        variable = StripTfPartition(GetTfNode(m_step.ops[op].inputs.front()));
    }
    return std::string(StripTfRead(node));
}

} // namespace ns3::dml
