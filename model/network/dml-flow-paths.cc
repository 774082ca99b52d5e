/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-flow-paths.h"

#include "dml-multipath-policies.h"

namespace ns3::dml
{

std::vector<DirectedLink>
FlowPaths::Find(uint32_t from, uint32_t to, const FiveTuple& tuple) const
{
    const auto& policy = m_network.GetPathPolicy();
    if (!policy)
    {
        return m_network.FindRoute(from, to);
    }
    if (m_network.SpreadsConnections()) // of which any path will do
    {
        EcmpMultipath any;
        return m_equal.FindChosen(from, to, tuple, any);
    }
    return m_equal.FindChosen(from, to, tuple, *policy);
}

ConnectionPath
FlowPaths::FindBoth(const std::string& from, const std::string& to, const FiveTuple& tuple) const
{
    if (m_network.FindHost(from) == m_network.FindHost(to))
    {
        return {m_network.FindRoute(from, to), m_network.FindRoute(to, from)};
    }
    const auto along = [this](const FiveTuple& flow) {
        return
            [this, flow](uint32_t source, uint32_t target) { return Find(source, target, flow); };
    };
    return {m_network.FindRoute(from, to, along(tuple)),
            m_network.FindRoute(to, from, along(tuple.Reverse()))};
}

ConnectionPath
FlowPaths::FindChannel(const std::string& from, const std::string& to) const
{
    return FindBoth(from, to, m_plan.FindChannel(from, to));
}

ConnectionPath
FlowPaths::FindBackground(const BackgroundSpec& flow, uint32_t number) const
{
    return FindBoth(flow.from, flow.to, m_plan.FindBackground(flow, number));
}

} // namespace ns3::dml
