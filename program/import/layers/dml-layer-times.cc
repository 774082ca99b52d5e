/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-layer-times.h"

#include "ns3/dml-error.h"
#include "ns3/dml-plural.h"

namespace ns3::dml
{

namespace
{

/// Calls @p visit with every list of times in @p layer, always in the same order.
template <typename Layer, typename Visitor>
void
VisitLists(Layer& layer, const Visitor& visit)
{
    visit(layer.forward);
    visit(layer.backward);
    visit(layer.backwardEnd);
    for (auto& parameter : layer.parameters)
    {
        visit(parameter.ready);
        visit(parameter.accumulate);
        visit(parameter.update);
    }
}

/// @return what @p b has that @p a has not, or nothing
std::string
FindDifference(const LayerTimes& a, const LayerTimes& b)
{
    if (a.name != b.name)
    {
        return "is called '" + b.name + "', not '" + a.name + "'";
    }
    if (a.inputs != b.inputs)
    {
        return "'" + a.name + "' reads other layers";
    }
    if (a.parameters.size() != b.parameters.size())
    {
        return "'" + a.name + "' has " + std::to_string(b.parameters.size()) + " parameters, not " +
               std::to_string(a.parameters.size());
    }
    for (std::size_t p = 0; p < a.parameters.size(); ++p)
    {
        if (a.parameters[p].name != b.parameters[p].name ||
            a.parameters[p].bytes != b.parameters[p].bytes)
        {
            return "'" + a.name + "' has the parameter '" + b.parameters[p].name + "' of " +
                   std::to_string(b.parameters[p].bytes) + " bytes, not '" + a.parameters[p].name +
                   "' of " + std::to_string(a.parameters[p].bytes);
        }
    }
    return "";
}

} // namespace

void
AppendSteps(std::vector<LayerTimes>& layers,
            const std::vector<LayerTimes>& more,
            const std::string& file)
{
    if (layers.empty())
    {
        layers = more;
        return;
    }
    if (layers.size() != more.size())
    {
        throw InputError(file + ": found " + Plural(more.size(), "layer") +
                         "; accepted are files of one model, and the first has " +
                         std::to_string(layers.size()));
    }
    for (std::size_t i = 0; i < layers.size(); ++i)
    {
        const std::string difference = FindDifference(layers[i], more[i]);
        if (!difference.empty())
        {
            throw InputError(file + ": layer " + std::to_string(i) + " " + difference +
                             "; accepted are files of one model");
        }
    }
    for (std::size_t i = 0; i < layers.size(); ++i)
    {
        std::vector<const std::vector<Ticks>*> added;
        VisitLists(more[i], [&](const std::vector<Ticks>& list) { added.push_back(&list); });
        std::size_t next = 0;
        VisitLists(layers[i], [&](std::vector<Ticks>& list) {
            list.insert(list.end(), added[next]->begin(), added[next]->end());
            ++next;
        });
    }
}

void
LeaveOutTimes(std::vector<Ticks>& times, const std::vector<uint32_t>& steps)
{
    for (auto step = steps.rbegin(); step != steps.rend(); ++step)
    {
        times.erase(times.begin() + *step);
    }
}

void
LeaveOutSteps(std::vector<LayerTimes>& layers, const std::vector<uint32_t>& steps)
{
    for (auto& layer : layers)
    {
        VisitLists(layer, [&](std::vector<Ticks>& list) { LeaveOutTimes(list, steps); });
    }
}

void
SkipSteps(std::vector<LayerTimes>& layers, uint32_t skip, const std::string& file)
{
    const std::size_t steps = layers.empty() ? 0 : layers.front().forward.size();
    if (skip >= steps)
    {
        throw InputError(file + ": found " + Plural(steps, "step") + " and " +
                         std::to_string(skip) + " to leave out; accepted are fewer than there are");
    }
    for (auto& layer : layers)
    {
        VisitLists(layer, [skip](std::vector<Ticks>& list) {
            list.erase(list.begin(), list.begin() + skip);
        });
    }
}

} // namespace ns3::dml
