/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-rate-sharing.h"

#include "ns3/assert.h"
#include "ns3/dml-op.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ns3::dml
{

RateSharing::RateSharing(const FlowNetwork& network,
                         std::unique_ptr<RateSolver> solver,
                         RunObserver* observer)
    : m_network(network),
      m_capacities(network.capacities),
      m_solver(std::move(solver)),
      m_observer(observer),
      m_flows(network.flows.size()),
      m_serversOfFlow(network.flows.size()),
      m_domainOfLink(network.capacities.size(), NO_INDEX),
      m_rates(network.flows.size(), 0)
{
    const auto domains = FindFlowDomains(network, m_solver->HeedsAcks());
    std::vector<std::vector<uint32_t>> serversOfLink(network.capacities.size());
    for (const auto& server : network.serverLinks)
    {
        serversOfLink[server.link].push_back(m_servers.size());
        m_servers.push_back({server});
    }
    for (FlowId flow = 0; flow < m_flows.size(); ++flow)
    {
        const NetworkFlow& route = network.flows[flow];
        m_flows[flow].domain = domains[flow];
        m_domains.resize(std::max<std::size_t>(m_domains.size(), domains[flow] + 1));
        for (const LinkId link : route.forward)
        {
            m_domainOfLink[link] = domains[flow];
            m_serversOfFlow[flow].insert(m_serversOfFlow[flow].end(),
                                         serversOfLink[link].begin(),
                                         serversOfLink[link].end());
        }
        for (std::size_t i = 0; m_solver->HeedsAcks() && i < route.reverse.size(); ++i)
        {
            m_domainOfLink[route.reverse[i]] = domains[flow];
        }
    }
    m_next.Resize(m_domains.size());
    m_reweighings.Resize(m_domains.size());
    for (uint32_t i = 0; i < m_servers.size(); ++i)
    {
        const uint32_t domain = m_domainOfLink[m_servers[i].link.link];
        if (domain != NO_INDEX)
        {
            m_domains[domain].servers.push_back(i);
        }
    }
    FindLoneFlows();
    MakeCommonLinks();
}

void
RateSharing::MakeCommonLinks()
{
    std::vector<std::vector<FlowId>> flows(m_domains.size());
    for (FlowId id = 0; id < m_flows.size(); ++id)
    {
        auto& others = flows[m_flows[id].domain];
        m_flows[id].seat = others.size();
        others.push_back(id);
    }
    for (std::size_t i = 0; i < m_domains.size(); ++i)
    {
        if (flows[i].size() >= MANY_FLOWS)
        {
            MakeCommonLink(m_domains[i], flows[i]);
        }
    }
}

void
RateSharing::MakeCommonLink(Domain& domain, const std::vector<FlowId>& flows)
{
    auto plan = FindCommonLinks(m_network, flows, m_solver->HeedsAcks());
    if (!plan)
    {
        return;
    }
    const std::vector<LinkId> links = plan->ListLinks();
    const bool reported =
        std::all_of(domain.servers.begin(), domain.servers.end(), [&](uint32_t server) {
            return std::count(links.begin(), links.end(), m_servers[server].link.link) > 0;
        });
    if (reported && m_solver->SharesByWeight(links, flows))
    {
        domain.commonLink = links.front();
        domain.common =
            std::make_unique<CommonLink>(m_network,
                                         m_capacities,
                                         std::move(*plan),
                                         m_solver->GetHighestLevel(flows.front()),
                                         m_solver->GetWeight(links.front(), flows.front()));
    }
}

void
RateSharing::FindLoneFlows()
{
    std::vector<uint32_t> flows(m_domains.size(), 0);
    for (const Flow& flow : m_flows)
    {
        ++flows[flow.domain];
    }
    for (FlowId id = 0; id < m_flows.size(); ++id)
    {
        // loads are measured where rates are solved
        Domain& domain = m_domains[m_flows[id].domain];
        if (flows[m_flows[id].domain] == 1 && (!m_observer || domain.servers.empty()))
        {
            domain.lone = id;
        }
    }
}

bool
RateSharing::HeedsAcks() const
{
    return m_solver->HeedsAcks();
}

void
RateSharing::Touch(Domain& domain, double now)
{
    if (now > domain.now)
    {
        Update(domain);
        domain.now = now;
    }
    SetStale(domain);
}

void
RateSharing::SetStale(Domain& domain)
{
    if (!domain.listed)
    {
        domain.listed = true;
        m_stale.push_back(&domain - m_domains.data());
    }
    domain.stale = true;
}

void
RateSharing::Start(FlowId id, double bytes, uint64_t order, double now)
{
    Flow& flow = m_flows[id];
    Domain& domain = m_domains[flow.domain];
    NS_ASSERT_MSG(flow.place == NOT_ACTIVE, "a flow started twice");
    Touch(domain, now);
    domain.changes += !flow.solved ? 1 : domain.lone == id ? 0 : -1;
    if (!flow.solved)
    {
        domain.started.push_back(id);
    }
    if (domain.common)
    {
        flow.place = flow.seat;
        domain.common->Start(flow.seat, bytes, order, domain.now);
        return;
    }
    flow.place = domain.active.GetSize();
    domain.active.Add(id, order, bytes, flow.solved ? m_rates[id] : 0, domain.now);
}

void
RateSharing::Remove(FlowId id, double now)
{
    Flow& flow = m_flows[id];
    Domain& domain = m_domains[flow.domain];
    NS_ASSERT_MSG(flow.place != NOT_ACTIVE, "a flow ended twice");
    Touch(domain, now);
    if (!domain.common) // which is told by Share(), if the flow has not started again by then
    {
        m_flows[domain.active.GetFlows().back()].place = flow.place;
        domain.active.Remove(flow.place);
    }
    flow.place = NOT_ACTIVE;
    if (domain.lone == id && flow.solved)
    {
        return; // the solver need not know
    }
    domain.changes += flow.solved ? 1 : -1;
    if (flow.solved)
    {
        domain.ended.push_back(id);
    }
}

const FlowEnd&
RateSharing::GetNextEnd(double horizon)
{
    const FlowEnd* next = &FindNextEnd();
    for (Reweighing first = m_reweighings.GetFirst(); first.time < std::min(horizon, next->time);
         first = m_reweighings.GetFirst())
    {
        Domain& domain = m_domains[first.domain];
        Touch(domain, first.time);
        domain.reweighed = true;
        next = &FindNextEnd();
    }
    return *next;
}

const FlowEnd&
RateSharing::FindNextEnd()
{
    if (m_stale.size() > 1)
    {
        std::sort(m_stale.begin(), m_stale.end());
    }
    for (const uint32_t index : m_stale)
    {
        Domain& domain = m_domains[index];
        Update(domain);
        domain.listed = false;
        m_next.Set(index, domain.next);
        const double change = m_solver->GetNextChange(index);
        if (change < std::numeric_limits<double>::infinity() ||
            m_reweighings.Get(index).time < std::numeric_limits<double>::infinity())
        {
            m_reweighings.Set(index, {change - m_origin, index});
        }
    }
    m_stale.clear();
    return m_next.GetFirst();
}

void
RateSharing::Finish()
{
    const FlowEnd next = FindNextEnd();
    Remove(next.flow, next.time);
}

void
RateSharing::Stop(FlowId flow, double now)
{
    Remove(flow, now);
}

void
RateSharing::SetCapacity(LinkId link, double bytesPerSecond, double now)
{
    if (m_domainOfLink[link] == NO_INDEX)
    {
        return;
    }
    Domain& domain = m_domains[m_domainOfLink[link]];
    Touch(domain, now);
    domain.capacity = true;
    if (domain.lone != NO_INDEX && m_flows[domain.lone].place == NOT_ACTIVE &&
        m_flows[domain.lone].solved)
    {
        ++domain.changes; // of which the solver was not told
        domain.ended.push_back(domain.lone);
    }
    m_capacities[link] = bytesPerSecond;
    m_solver->SetCapacity(link, bytesPerSecond);
}

void
RateSharing::MoveOrigin(double seconds)
{
    m_origin += seconds;
    for (auto& server : m_servers)
    {
        server.since -= seconds;
    }
    for (auto& domain : m_domains)
    {
        Update(domain);
        domain.now -= seconds;
        domain.active.MoveOrigin(seconds);
        if (domain.common)
        {
            domain.common->MoveOrigin(seconds);
        }
        SetStale(domain);
    }
}

void
RateSharing::Flush(double now)
{
    for (auto& domain : m_domains)
    {
        Update(domain);
        domain.now = std::max(domain.now, now);
        ReportLoads(domain);
    }
}

void
RateSharing::Update(Domain& domain)
{
    if (!domain.stale)
    {
        return;
    }
    if (domain.changes > 0 || domain.capacity || domain.reweighed)
    {
        Share(domain);
        domain.reweighed = false;
    }
    domain.started.clear();
    domain.ended.clear();
    domain.next = domain.common ? domain.common->FindFirst() : domain.active.FindFirst();
    domain.stale = false;
}

void
RateSharing::Share(Domain& domain)
{
    ReportLoads(domain);
    ListChanges(domain);
    if (domain.common)
    {
        ShareCommonLink(domain);
        return;
    }
    for (const FlowId id : m_solver->SolveChanges(m_changes, domain.active.GetFlows(), m_rates))
    {
        NS_ASSERT_MSG(m_rates[id] >= 0 && m_flows[id].place != NOT_ACTIVE,
                      "a flow has a rate below 0, or one that is not active has one");
        domain.active.SetRate(m_flows[id].place, m_rates[id], domain.now);
    }
    domain.changes = 0;
    domain.capacity = false;
    MeasureLoads(domain);
}

void
RateSharing::ShareCommonLink(Domain& domain)
{
    CommonLink& common = *domain.common;
    const auto& reweighted = m_solver->ChangeWeights(m_changes);
    for (const FlowId id : m_changes.ended)
    {
        common.Leave(m_flows[id].seat, domain.now);
    }
    for (const FlowId id : m_changes.started)
    {
        common.Enter(m_flows[id].seat, m_solver->GetWeight(domain.commonLink, id), domain.now);
    }
    for (const FlowId id : reweighted)
    {
        common.SetWeight(m_flows[id].seat, m_solver->GetWeight(domain.commonLink, id), domain.now);
    }
    if (domain.capacity)
    {
        common.ChangeCapacities(domain.now);
    }
    common.Settle();
    domain.changes = 0;
    domain.capacity = false;
    for (const uint32_t server : domain.servers)
    {
        m_servers[server].load = common.GetLoad(m_servers[server].link.link);
        m_servers[server].since = domain.now;
    }
}

void
RateSharing::ListChanges(const Domain& domain)
{
    m_changes.capacities = domain.capacity;
    m_changes.now = m_origin + domain.now;
    m_changes.domain = &domain - m_domains.data();
    m_changes.started.clear();
    m_changes.ended.clear();
    for (const FlowId id : domain.ended)
    {
        if (m_flows[id].place == NOT_ACTIVE && m_flows[id].solved)
        {
            m_flows[id].solved = false;
            m_changes.ended.push_back(id);
        }
    }
    for (const FlowId id : domain.started)
    {
        if (m_flows[id].place != NOT_ACTIVE && !m_flows[id].solved)
        {
            m_flows[id].solved = true;
            m_changes.started.push_back(id);
        }
    }
}

void
RateSharing::MeasureLoads(const Domain& domain)
{
    if (!m_observer)
    {
        return;
    }
    for (const uint32_t server : domain.servers)
    {
        m_servers[server].load = 0;
        m_servers[server].since = domain.now;
    }
    for (const FlowId id : domain.active.GetFlows())
    {
        for (const uint32_t server : m_serversOfFlow[id])
        {
            m_servers[server].load += m_rates[id];
        }
    }
}

void
RateSharing::ReportLoads(const Domain& domain)
{
    for (std::size_t i = 0; m_observer && i < domain.servers.size(); ++i)
    {
        Server& server = m_servers[domain.servers[i]];
        if (server.load > 0 && domain.now > server.since)
        {
            m_observer->Observe({server.link.job,
                                 LinkRecord{server.link.access,
                                            m_origin + server.since,
                                            m_origin + domain.now,
                                            server.load}});
        }
        server.since = domain.now;
    }
}

} // namespace ns3::dml
