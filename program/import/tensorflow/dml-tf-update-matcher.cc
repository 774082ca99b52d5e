/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-update-matcher.h"

#include "dml-tf-names.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>

namespace ns3::dml
{

TfUpdateMatcher::TfUpdateMatcher(const TfStep& step,
                                 const TfGraph& graph,
                                 const std::string& worker)
    : m_step(step),
      m_graph(graph)
{
    for (uint32_t i = 0; i < step.receives.size(); ++i)
    {
        const TfReceive& receive = step.receives[i];
        if (step.devices[receive.device].IsServer() && receive.sender == worker &&
            !receive.tensor.empty())
        {
            m_pushes.push_back(i);
            m_byTensor.emplace(std::make_pair(step.GetMachine(receive), receive.tensor), i);
        }
    }
    std::vector<uint32_t> updates;
    for (uint32_t i = 0; i < step.ops.size(); ++i)
    {
        if (step.devices[step.ops[i].device].IsServer() && IsTfUpdate(step.ops[i].type) &&
            !step.ops[i].inputs.empty())
        {
            updates.push_back(i);
        }
    }
    std::sort(updates.begin(), updates.end(), [&](uint32_t a, uint32_t b) {
        return std::tie(step.ops[a].start, step.ops[a].node) <
               std::tie(step.ops[b].start, step.ops[b].node);
    });
    for (const uint32_t op : updates)
    {
        AddUpdate(op);
    }
}

std::vector<TfUpdateMatcher::Source>
TfUpdateMatcher::FindSources(uint32_t op, std::vector<uint32_t>& passed) const
{
    /// An op on the way.
    struct Open
    {
        uint32_t op;       //!< index
        uint32_t distance; //!< ops between
        uint32_t input;    //!< of the update
    };

    std::vector<Source> sources;
    std::set<uint32_t> seen{op};
    std::set<uint32_t> found;
    std::queue<Open> open;
    open.push({op, 0, 0});
    for (; !open.empty(); open.pop())
    {
        const Open current = open.front();
        const std::vector<std::string>& inputs = m_step.ops[current.op].inputs;
        for (uint32_t i = current.op == op ? 1 : 0; i < inputs.size(); ++i)
        {
            if (inputs[i].empty() || inputs[i].front() == '^')
            {
                continue;
            }
            const uint32_t input = current.op == op ? i : current.input;
            const uint32_t producer = m_graph.FindProducer(inputs[i], current.op);
            if (producer == TfGraph::NONE)
            {
                const auto push =
                    m_byTensor.find({m_step.GetMachine(m_step.ops[current.op]),
                                     std::string(StripTfPartition(GetTfNode(inputs[i])))});
                if (push != m_byTensor.end() && found.insert(push->second).second)
                {
                    sources.push_back({push->second, current.distance, input});
                }
            }
            else if (!IsTfUpdate(m_step.ops[producer].type) && seen.insert(producer).second)
            {
                open.push({producer, current.distance + 1, input});
                passed.push_back(producer);
            }
        }
    }
    return sources;
}

uint32_t
TfUpdateMatcher::FindGradient(const TfOp& update,
                              const std::string& variable,
                              const std::vector<Source>& sources) const
{
    const uint32_t place = GetTfGradientInput(update.type);
    const auto rank = [&](const Source& source) {
        return std::make_tuple(!IsTfBackward(m_step.receives[source.receive].tensor),
                               source.input != place,
                               source.distance);
    };
    auto best = rank(sources.front());
    for (const Source& source : sources)
    {
        best = std::min(best, rank(source));
    }
    uint32_t gradient = TfGraph::NONE;
    for (const Source& source : sources)
    {
        if (rank(source) == best && m_variables.count(source.receive) == 0 &&
            (gradient == TfGraph::NONE ||
             GetTfGradientOf(m_step.receives[source.receive].tensor) == variable))
        {
            gradient = source.receive;
        }
    }
    return gradient;
}

void
TfUpdateMatcher::AddUpdate(uint32_t index)
{
    const TfOp& op = m_step.ops[index];
    std::vector<uint32_t> passed;
    const std::vector<Source> sources = FindSources(index, passed);
    if (sources.empty())
    {
        return;
    }
    const std::string variable =
        m_graph.FindVariable(m_step.GetMachine(op), GetTfNode(op.inputs.front()));
    const uint32_t gradient = FindGradient(op, variable, sources);
    if (gradient != TfGraph::NONE && m_updates.count(variable) == 0)
    {
        m_variables.emplace(gradient, variable);
    }
    int64_t firstEnd = std::numeric_limits<int64_t>::max();
    for (const Source& source : sources)
    {
        firstEnd = std::min(firstEnd, m_step.receives[source.receive].end);
    }

    const auto [known, isNew] = m_updates.emplace(variable, Update());
    Update& update = known->second;
    update.variable = variable;
    update.start = isNew ? op.start : std::min(update.start, op.start);
    // Ops between the gradient's arrival and the update count with it, those before are not its
    // own.
    passed.push_back(index);
    for (const uint32_t part : passed)
    {
        const TfOp& partOp = m_step.ops[part];
        if ((part == index || partOp.start >= firstEnd) && m_used.insert(part).second)
        {
            update.start = std::min(update.start, partOp.start);
            update.duration += partOp.end - partOp.start;
            if (update.duration > TfStep::MAX_LENGTH)
            {
                throw InputError(m_step.file + ": found an update of '" + variable +
                                 "' that takes more than 1e6 s up to '" + partOp.node +
                                 "'; accepted: at most 1e6 s");
            }
        }
    }
    for (const Source& source : sources)
    {
        update.receives.insert(source.receive);
    }
}

std::map<uint32_t, std::string>
TfUpdateMatcher::FindVariables(const std::set<std::string>& pulled, uint32_t& named) const
{
    std::map<uint32_t, std::string> variables = m_variables;
    std::set<std::string> taken;
    for (const auto& [push, variable] : variables)
    {
        taken.insert(variable);
    }
    named = 0;
    for (const uint32_t push : m_pushes)
    {
        const std::string variable(GetTfGradientOf(m_step.receives[push].tensor));
        if (variables.count(push) == 0 && pulled.count(variable) > 0 &&
            taken.insert(variable).second)
        {
            variables.emplace(push, variable);
            ++named;
        }
    }
    return variables;
}

} // namespace ns3::dml
