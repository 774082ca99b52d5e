/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-address-plan.h"

#include <algorithm>

namespace ns3::dml
{

AddressPlan::AddressPlan(const ClusterNetwork& network)
    : m_network(network)
{
    std::map<uint32_t, uint16_t> residents;
    const auto add = [&](const std::string& name) {
        const uint16_t resident = residents[network.FindHost(name)]++;
        const uint32_t number = m_places.size();
        m_places[name] = {number, resident};
        m_mostResidents = std::max<uint32_t>(m_mostResidents, resident + 1);
    };
    const auto& jobs = network.GetJobs();
    for (uint32_t job = 0; job < jobs.size(); ++job)
    {
        for (uint32_t server = 0; server < jobs[job].servers; ++server)
        {
            add(ServerName(job, server));
        }
        for (uint32_t worker = 0; worker < jobs[job].workers; ++worker)
        {
            add(WorkerName(job, worker));
        }
        for (uint32_t aggregator = 0; aggregator < jobs[job].aggregators; ++aggregator)
        {
            add(network.GetAggregatorName(job, aggregator));
        }
    }
}

uint32_t
AddressPlan::GetAddress(uint32_t node) const
{
    const uint32_t link = m_network.GetHostLink(node);
    const uint32_t side = m_network.GetLinks()[link].ends[0] == node ? 0 : 1;
    return GetSubnet(link) + 1 + side;
}

uint32_t
AddressPlan::GetAddress(const std::string& name) const
{
    const DirectedLink own = m_network.FindUplink(name);
    return GetSubnet(own / 2) + 1 + own % 2;
}

bool
AddressPlan::HasPorts(uint32_t connections) const
{
    return FIRST_CLIENT + uint64_t{GetStride()} * connections <= FIRST_PORT;
}

uint16_t
AddressPlan::GetClientPort(const std::string& endpoint, const std::string& peer) const
{
    return FIRST_CLIENT + m_places.at(endpoint).resident * m_places.size() +
           m_places.at(peer).number;
}

ClientPorts
AddressPlan::GetClientPorts(const std::string& endpoint, const std::string& peer) const
{
    const bool isShared = m_network.HasSharedHosts();
    if (!isShared && !m_network.GetMultipath().IsOn())
    {
        return {};
    }
    ClientPorts ports{GetClientPort(endpoint, peer)};
    if (isShared)
    {
        ports.step = GetStride();
        ports.count = 1 + (FIRST_PORT - 1 - ports.first) / ports.step;
    }
    return ports;
}

FiveTuple
AddressPlan::FindChannel(const std::string& from, const std::string& to) const
{
    return {GetAddress(from),
            GetAddress(to),
            GetPort(from),
            GetClientPort(to, from),
            FiveTuple::TCP};
}

FiveTuple
AddressPlan::FindBackground(const BackgroundSpec& flow, uint32_t number) const
{
    return {GetAddress(flow.from),
            GetAddress(flow.to),
            GetSourcePort(number),
            GetSinkPort(number),
            flow.kind == BackgroundSpec::Kind::BULK ? FiveTuple::TCP : FiveTuple::UDP};
}

} // namespace ns3::dml
