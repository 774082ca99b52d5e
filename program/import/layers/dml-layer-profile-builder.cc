/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-layer-profile-builder.h"

#include <set>
#include <utility>

namespace ns3::dml
{

namespace
{

/// @return the layers' names, the second one of a name with "(2)" and so on
std::vector<std::string>
MakeUniqueNames(const std::vector<LayerTimes>& layers)
{
    std::vector<std::string> names;
    std::set<std::string> taken;
    for (const auto& layer : layers)
    {
        std::string name = layer.name;
        for (uint32_t n = 2; !taken.insert(name).second; ++n)
        {
            name = layer.name + "(" + std::to_string(n) + ")";
        }
        names.push_back(name);
    }
    return names;
}

std::vector<std::vector<uint32_t>>
FindConsumers(const std::vector<LayerTimes>& layers)
{
    std::vector<std::vector<uint32_t>> consumers(layers.size());
    for (uint32_t i = 0; i < layers.size(); ++i)
    {
        for (const uint32_t input : layers[i].inputs)
        {
            consumers[input].push_back(i);
        }
    }
    return consumers;
}

} // namespace

LayerProfileBuilder::LayerProfileBuilder(const std::vector<LayerTimes>& layers, ComputeOrder order)
    : m_layers(layers),
      m_order(order),
      m_schedule(layers),
      m_names(MakeUniqueNames(layers)),
      m_consumers(FindConsumers(layers))
{
}

Profile
LayerProfileBuilder::Build(const std::string& device)
{
    m_profile = Profile();
    m_profile.devices = {{device, 1}};
    AddPulls();
    AddForward();
    AddBackward();
    AddPushesAndUpdates();
    return std::move(m_profile);
}

OpIndex
LayerProfileBuilder::Add(Op op, const std::vector<Ticks>& lengths)
{
    std::vector<double> seconds;
    for (const Ticks length : lengths)
    {
        seconds.push_back(length / TICKS_PER_SECOND);
    }
    m_profile.samples.push_back(std::move(seconds));
    return m_profile.graph.Add(std::move(op));
}

void
LayerProfileBuilder::AddPulls()
{
    m_firstTensor.clear();
    for (const auto& layer : m_layers)
    {
        m_firstTensor.push_back(m_profile.tensors.size());
        for (const auto& parameter : layer.parameters)
        {
            const TensorIndex tensor = m_profile.tensors.size();
            m_profile.tensors.push_back({parameter.name, parameter.bytes});
            Add({"pull/" + parameter.name, OpKind::PULL, 0, tensor}, {});
        }
    }
}

void
LayerProfileBuilder::AddForward()
{
    m_forward.clear();
    for (uint32_t i = 0; i < m_layers.size(); ++i)
    {
        const OpIndex op = Add({"forward/" + m_names[i], OpKind::FORWARD}, m_layers[i].forward);
        if (m_order == ComputeOrder::MEASURED && i > 0)
        {
            m_profile.graph.AddDependency(m_forward.back(), op);
        }
        for (const uint32_t input : m_layers[i].inputs)
        {
            m_profile.graph.AddDependency(m_forward[input], op);
        }
        for (uint32_t p = 0; p < m_layers[i].parameters.size(); ++p)
        {
            m_profile.graph.AddDependency(m_firstTensor[i] + p, op); // pulls are listed first
        }
        m_forward.push_back(op);
    }
}

void
LayerProfileBuilder::AddBackward()
{
    const auto& pieces = m_schedule.pieces;
    std::vector<uint32_t> parts(m_layers.size(), 0);
    for (const auto& piece : pieces)
    {
        parts[piece.layer] += piece.parameter == BackwardPiece::LAYER ? 1 : 0;
    }
    m_backward.assign(m_layers.size(), NO_INDEX);
    m_accumulate.assign(m_profile.tensors.size(), NO_INDEX);
    OpIndex previous = m_forward.back();
    // an accumulation may be listed before its layer's first part: link when all ops are there
    std::vector<std::pair<OpIndex, uint32_t>> firsts;
    for (uint32_t i = 0; i < pieces.size(); ++i)
    {
        const uint32_t layer = pieces[i].layer;
        const OpIndex before = m_backward[layer];
        OpIndex op = NO_INDEX;
        if (pieces[i].parameter == BackwardPiece::LAYER)
        {
            std::string name = "backward/" + m_names[layer];
            name += parts[layer] > 1 ? "#" + std::to_string(parts[layer] - pieces[i].part) : "";
            op = Add({name, OpKind::BACKWARD}, m_schedule.lengths[i]);
            m_backward[layer] = op;
        }
        else
        {
            const TensorIndex tensor = m_firstTensor[layer] + pieces[i].parameter;
            op = Add({"accumulate/" + m_profile.tensors[tensor].name, OpKind::BACKWARD},
                     m_schedule.lengths[i]);
            m_accumulate[tensor] = op;
        }
        if (m_order == ComputeOrder::MEASURED)
        {
            m_profile.graph.AddDependency(previous, op);
        }
        if (before != NO_INDEX)
        {
            m_profile.graph.AddDependency(before, op);
        }
        else
        {
            firsts.emplace_back(op, layer);
        }
        previous = op;
    }
    for (const auto& [op, layer] : firsts)
    {
        LinkBackward(op, layer);
    }
}

void
LayerProfileBuilder::LinkBackward(OpIndex op, uint32_t layer)
{
    if (m_consumers[layer].empty())
    {
        m_profile.graph.AddDependency(m_forward[layer], op);
    }
    for (const uint32_t consumer : m_consumers[layer])
    {
        if (m_order == ComputeOrder::MEASURED && m_backward[consumer] > op)
        {
            throw InputError("the backward of layer '" + m_names[consumer] +
                             "' ended after that of layer '" + m_names[layer] +
                             "', whose output it reads, in most steps; with the measured order "
                             "the first must end before the second starts");
        }
        m_profile.graph.AddDependency(m_backward[consumer], op);
    }
}

void
LayerProfileBuilder::AddPushesAndUpdates()
{
    std::vector<std::pair<TensorIndex, const ParameterTimes*>> byReadiness;
    for (const auto& piece : m_schedule.pieces)
    {
        if (piece.parameter != BackwardPiece::LAYER)
        {
            byReadiness.emplace_back(m_firstTensor[piece.layer] + piece.parameter,
                                     &m_layers[piece.layer].parameters[piece.parameter]);
        }
    }
    std::vector<OpIndex> pushes;
    for (const auto& [tensor, parameter] : byReadiness)
    {
        pushes.push_back(Add({"push/" + parameter->name, OpKind::PUSH, 0, tensor}, {}));
        m_profile.graph.AddDependency(m_accumulate[tensor], pushes.back());
    }
    for (std::size_t i = 0; i < byReadiness.size(); ++i)
    {
        const auto& [tensor, parameter] = byReadiness[i];
        const OpIndex update =
            Add({"update/" + parameter->name, OpKind::UPDATE, 0, tensor}, parameter->update);
        m_profile.graph.AddDependency(pushes[i], update);
    }
}

} // namespace ns3::dml
