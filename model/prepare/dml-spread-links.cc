/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-spread-links.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <string>

namespace ns3::dml
{

namespace
{

/// @param what cannot be expressed
[[noreturn]] void
Refuse(const std::string& what)
{
    throw KeyError("network.multipath",
                   "found packets that are spread over " + what +
                       ", which the fair-share engine cannot express; accepted: ecmp, or "
                       "--engine=packet");
}

} // namespace

SpreadLinks::SpreadLinks(const ClusterNetwork& cluster, const EqualPaths& paths, FlowNetwork& links)
    : m_cluster(cluster),
      m_paths(paths),
      m_links(links)
{
}

std::vector<LinkId>
SpreadLinks::FindRoute(uint32_t from, uint32_t to)
{
    std::vector<LinkId> route;
    std::vector<std::vector<DirectedLink>> layers;
    try
    {
        layers = m_paths.FindLayers(from, to);
    }
    catch (const InputError& error)
    {
        Refuse(error.what());
    }
    for (const auto& layer : layers)
    {
        route.push_back(Find(layer));
    }
    return route;
}

bool
SpreadLinks::IsSpread(DirectedLink link) const
{
    const auto layer = m_layers.find(link);
    return layer != m_layers.end() && layer->second->size() > 1;
}

LinkId
SpreadLinks::Find(const std::vector<DirectedLink>& layer)
{
    const auto known = m_known.find(layer);
    if (known != m_known.end())
    {
        return known->second;
    }
    const auto capacity = [this](DirectedLink link) { return m_links.capacities[link]; };
    LinkId id = layer.front();
    if (layer.size() > 1)
    {
        id = m_links.capacities.size();
        double sum = 0;
        double room = 0;
        for (const DirectedLink link : layer)
        {
            if (capacity(link) != capacity(layer.front()))
            {
                Refuse("links of different rates, " + m_cluster.GetName(layer.front()) + " and " +
                       m_cluster.GetName(link));
            }
            sum += capacity(link);
            room += m_links.GetDropTail(link);
        }
        m_links.capacities.push_back(sum);
        m_links.dropTail.push_back(room);
    }
    const auto& key = m_known.emplace(layer, id).first->first;
    for (const DirectedLink link : layer)
    {
        const auto [other, isNew] = m_layers.emplace(link, &key);
        if (!isNew)
        {
            Refuse("some of the links that others are spread over, such as " +
                   m_cluster.GetName(link));
        }
    }
    return id;
}

} // namespace ns3::dml
