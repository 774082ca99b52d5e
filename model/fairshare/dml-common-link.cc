/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-common-link.h"

#include "dml-rate-solver.h"

#include "ns3/dml-instant.h"
#include "ns3/dml-op.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace ns3::dml
{

namespace
{

/// @return links of a flow's bytes, and of its ACKs if they count, each once
std::vector<LinkId>
ListPath(const NetworkFlow& flow, bool acks)
{
    std::vector<LinkId> path = flow.forward;
    if (acks)
    {
        path.insert(path.end(), flow.reverse.begin(), flow.reverse.end());
    }
    std::sort(path.begin(), path.end());
    path.erase(std::unique(path.begin(), path.end()), path.end());
    return path;
}

/// Looks for common links.
class CommonLinkSearch
{
  public:
    CommonLinkSearch(const FlowNetwork& network, const std::vector<FlowId>& flows, bool acks)
        : m_network(network)
    {
        m_plan.flows = flows;
        m_plan.heedsAcks = acks;
        for (uint32_t place = 0; place < flows.size(); ++place)
        {
            m_paths.push_back(ListPath(network.flows[flows[place]], acks));
            for (const LinkId link : m_paths.back())
            {
                m_users[link].push_back(place);
            }
        }
    }

    std::optional<CommonLinkPlan> Find()
    {
        if (!FindGroups() || !FindPartners())
        {
            return std::nullopt;
        }
        return m_plan;
    }

  private:
    bool IsCommon(LinkId link) const
    {
        return m_users.at(link).size() == m_plan.flows.size();
    }

    /// @return whether each flow crosses some common links forward, and each of these is crossed by
    /// the flows of one group
    bool FindGroups()
    {
        std::map<std::vector<LinkId>, uint32_t> groups;
        for (const FlowId flow : m_plan.flows)
        {
            std::vector<LinkId> links;
            for (const LinkId link : ListPath(m_network.flows[flow], false))
            {
                if (IsCommon(link))
                {
                    links.push_back(link);
                }
            }
            const auto [group, added] = groups.emplace(links, m_plan.links.size());
            if (added)
            {
                m_plan.links.push_back(links);
            }
            m_plan.groups.push_back(group->second);
        }
        std::set<LinkId> forward;
        std::size_t crossed = 0;
        for (const auto& links : m_plan.links)
        {
            forward.insert(links.begin(), links.end());
            crossed += links.size();
        }
        for (const auto& [link, users] : m_users)
        {
            if (IsCommon(link) && forward.count(link) == 0)
            {
                m_plan.acks.push_back(link);
            }
        }
        return crossed == forward.size() && groups.count({}) == 0;
    }

    /// @return whether no other link is crossed by flows but by one, or two that go both ways there
    bool FindPartners()
    {
        m_plan.partners.assign(m_plan.flows.size(), NO_INDEX);
        for (const auto& [link, users] : m_users)
        {
            if (IsCommon(link) || users.size() == 1)
            {
                continue;
            }
            if (users.size() > 2 ||
                CrossesForward(users[0], link) == CrossesForward(users[1], link) ||
                !SetPartner(users[0], users[1]) || !SetPartner(users[1], users[0]))
            {
                return false;
            }
        }
        for (uint32_t place = 0; place < m_plan.flows.size(); ++place)
        {
            const uint32_t partner = m_plan.partners[place];
            if (partner != NO_INDEX && m_paths[place] != m_paths[partner])
            {
                return false;
            }
        }
        return true;
    }

    bool CrossesForward(uint32_t place, LinkId link) const
    {
        const auto& forward = m_network.flows[m_plan.flows[place]].forward;
        return std::find(forward.begin(), forward.end(), link) != forward.end();
    }

    bool SetPartner(uint32_t place, uint32_t partner)
    {
        uint32_t& known = m_plan.partners[place];
        const bool fits = known == NO_INDEX || known == partner;
        known = partner;
        return fits;
    }

    const FlowNetwork& m_network;                    //!< routes
    CommonLinkPlan m_plan;                           //!< result
    std::vector<std::vector<LinkId>> m_paths;        //!< by place
    std::map<LinkId, std::vector<uint32_t>> m_users; //!< places of the flows that cross a link
};

} // namespace

std::vector<LinkId>
CommonLinkPlan::ListLinks() const
{
    std::vector<LinkId> all = acks;
    for (const auto& group : links)
    {
        all.insert(all.end(), group.begin(), group.end());
    }
    return all;
}

std::optional<CommonLinkPlan>
FindCommonLinks(const FlowNetwork& network, const std::vector<FlowId>& flows, bool acks)
{
    return CommonLinkSearch(network, flows, acks).Find();
}

CommonLink::CommonLink(const FlowNetwork& network,
                       const std::vector<double>& capacities,
                       CommonLinkPlan plan,
                       double highest,
                       double weight)
    : m_network(network),
      m_capacities(capacities),
      m_plan(std::move(plan)),
      m_highest(highest),
      m_groups(m_plan.links.size()),
      m_grid(GetCapacity(0) / weight)
{
    for (const FlowId flow : m_plan.flows)
    {
        m_items.push_back({flow});
    }
    m_ends.Resize(m_items.size());
    m_ownEnds.Resize(m_items.size());
    m_rising.Resize(m_items.size());
    m_falling.Resize(m_items.size());
}

CommonLink::Group&
CommonLink::GetGroup(uint32_t place)
{
    return m_groups[m_plan.groups[place]];
}

double
CommonLink::GetCapacity(uint32_t group) const
{
    double capacity = NEVER;
    for (const LinkId link : m_plan.links[group])
    {
        capacity = std::min(capacity, m_capacities[link]);
    }
    return capacity;
}

bool
CommonLink::IsDown(const std::vector<LinkId>& links) const
{
    return std::any_of(links.begin(), links.end(), [this](LinkId link) {
        return m_capacities[link] == 0;
    });
}

double
CommonLink::FindOwnLevel(uint32_t place) const
{
    const NetworkFlow& flow = m_network.flows[m_plan.flows[place]];
    if (m_plan.heedsAcks && (IsDown(flow.forward) || IsDown(flow.reverse)))
    {
        return 0;
    }
    double limit = flow.cap > 0 ? flow.cap : NEVER;
    for (const LinkId link : flow.forward)
    {
        limit = std::min(limit, m_capacities[link]);
    }
    // what is as fast as the link limits nobody; the least of all may be the link itself
    return limit < GetCapacity(m_plan.groups[place]) ? limit / m_items[place].weight : NEVER;
}

double
CommonLink::FindLimit(uint32_t place) const
{
    double level = FindOwnLevel(place);
    const uint32_t partner = m_plan.partners[place];
    if (partner != NO_INDEX && m_items[partner].served)
    {
        level = std::min(level, FindOwnLevel(partner)); // ACKs wait in the partner's queue
    }
    return level * m_items[place].weight;
}

void
CommonLink::Refit(uint32_t place)
{
    TakeOut(place);
    m_items[place].limit = FindLimit(place);
    Join(place);
}

void
CommonLink::RefitPartner(uint32_t place)
{
    const uint32_t partner = m_plan.partners[place];
    if (partner != NO_INDEX && m_items[partner].served && FindOwnLevel(place) < NEVER)
    {
        Refit(partner);
    }
}

void
CommonLink::Advance(double now)
{
    if (m_common > 0 && now > m_now) // else the level need not be settled yet
    {
        m_virtual += m_level * (now - m_now);
    }
    m_now = now;
}

void
CommonLink::SetEnd(uint32_t place)
{
    Item& item = m_items[place];
    if (item.common)
    {
        item.end = m_virtual + item.left / item.weight;
        m_ends.Set(place, {InstantOf(item.end / m_grid), item.order, place});
        return;
    }
    item.since = m_now;
    FlowEnd end;
    end.time = item.left <= 0 ? m_now : m_now + item.left / item.limit; // by 0: infinite
    end.instant = end.time < NEVER ? InstantOf(end.time) : FlowEnd::NEVER;
    end.order = item.order;
    end.flow = item.flow;
    m_ownEnds.Set(place, end);
}

void
CommonLink::Start(uint32_t place, double bytes, uint64_t order, double now)
{
    Advance(now);
    Item& item = m_items[place];
    item.left = bytes;
    item.order = order;
    if (item.served)
    {
        SetEnd(place);
    }
}

void
CommonLink::Join(uint32_t place)
{
    Item& item = m_items[place];
    item.common = true;
    GetGroup(place).weight += item.weight;
    ++GetGroup(place).common;
    ++m_common;
    SetEnd(place);
    if (item.limit < NEVER)
    {
        m_rising.Set(place, {item.limit / item.weight, place});
    }
}

void
CommonLink::LimitItself(uint32_t place)
{
    Item& item = m_items[place];
    item.common = false;
    GetGroup(place).ownRates += item.limit;
    ++GetGroup(place).own;
    SetEnd(place);
    m_falling.Set(place, {-item.limit / item.weight, place});
}

void
CommonLink::TakeOut(uint32_t place)
{
    Item& item = m_items[place];
    Group& group = GetGroup(place);
    if (item.common)
    {
        item.left = std::max(0.0, (item.end - m_virtual) * item.weight);
        group.weight = --group.common > 0 ? group.weight - item.weight : 0;
        m_virtual = --m_common > 0 ? m_virtual : 0; // keeps the sums short, and so exact
        m_ends.Set(place, {});
        if (item.limit < NEVER)
        {
            m_rising.Set(place, {});
        }
    }
    else
    {
        item.left = std::max(0.0, item.left - item.limit * (m_now - item.since));
        group.ownRates = --group.own > 0 ? group.ownRates - item.limit : 0;
        m_ownEnds.Set(place, {});
        m_falling.Set(place, {});
    }
    ++m_sums;
}

void
CommonLink::Enter(uint32_t place, double weight, double now)
{
    Advance(now);
    Item& item = m_items[place];
    item.served = true;
    item.weight = weight;
    item.limit = FindLimit(place);
    Join(place);
    RefitPartner(place);
}

void
CommonLink::Leave(uint32_t place, double now)
{
    Advance(now);
    TakeOut(place);
    m_items[place].served = false;
    RefitPartner(place);
}

void
CommonLink::SetWeight(uint32_t place, double weight, double now)
{
    Advance(now);
    TakeOut(place);
    m_items[place].weight = weight;
    m_items[place].limit = FindLimit(place);
    Join(place);
    RefitPartner(place);
}

void
CommonLink::ChangeCapacities(double now)
{
    Advance(now);
    for (uint32_t place = 0; place < m_items.size(); ++place)
    {
        if (m_items[place].served)
        {
            Refit(place);
        }
    }
}

double
CommonLink::FindLevel() const
{
    if (m_plan.heedsAcks && IsDown(m_plan.acks))
    {
        return 0;
    }
    double level = m_highest;
    for (uint32_t i = 0; i < m_groups.size(); ++i)
    {
        const Group& group = m_groups[i];
        const double capacity = GetCapacity(i);
        const double left = capacity - group.ownRates;
        if (group.common > 0)
        {
            level =
                std::min(level, std::max(left, RateSolver::LEAST_SHARE * capacity) / group.weight);
        }
        else if (left < 0 || (m_plan.heedsAcks && capacity == 0))
        {
            return 0; // somebody has to come back, or nobody can send
        }
    }
    return level;
}

void
CommonLink::Settle()
{
    if (m_sums > m_items.size())
    {
        SumAgain();
    }
    // each of these moves raises the level, so nobody moves twice in the same direction
    for (m_level = FindLevel(); - m_falling.GetFirst().level > m_level; m_level = FindLevel())
    {
        const uint32_t place = m_falling.GetFirst().place;
        TakeOut(place);
        Join(place);
        ++m_steps;
    }
    for (; m_rising.GetFirst().level <= m_level && m_common > 0; m_level = FindLevel())
    {
        const uint32_t place = m_rising.GetFirst().place;
        TakeOut(place);
        LimitItself(place);
        ++m_steps;
    }
}

void
CommonLink::SumAgain()
{
    m_sums = 0;
    for (Group& group : m_groups)
    {
        group.weight = 0;
        group.ownRates = 0;
    }
    for (uint32_t place = 0; place < m_items.size(); ++place)
    {
        const Item& item = m_items[place];
        GetGroup(place).weight += item.served && item.common ? item.weight : 0;
        GetGroup(place).ownRates += item.served && !item.common ? item.limit : 0;
    }
}

FlowEnd
CommonLink::FindFirst() const
{
    FlowEnd next = m_ownEnds.GetFirst();
    if (m_common == 0)
    {
        return next;
    }
    const VirtualEnd& first = m_ends.GetFirst();
    const Item& item = m_items[first.place];
    const double left = item.end - m_virtual;
    FlowEnd end;
    end.time = left <= 0 ? m_now : m_now + left / m_level; // by 0: infinite
    if (end.time < NEVER)
    {
        end.instant = InstantOf(end.time);
        end.order = item.order;
        end.flow = item.flow;
        next = std::min(next, end);
    }
    return next;
}

double
CommonLink::GetLoad(LinkId link) const
{
    for (uint32_t i = 0; i < m_groups.size(); ++i)
    {
        const auto& links = m_plan.links[i];
        if (std::find(links.begin(), links.end(), link) != links.end())
        {
            const Group& group = m_groups[i];
            return group.common > 0 ? group.ownRates + m_level * group.weight : group.ownRates;
        }
    }
    return 0; // only ACKs cross it
}

void
CommonLink::MoveOrigin(double seconds)
{
    m_now -= seconds;
    // a link that is never idle has an origin of its own
    const double served = std::floor(m_virtual);
    m_virtual -= served;
    for (uint32_t place = 0; place < m_items.size(); ++place)
    {
        Item& item = m_items[place];
        if (!item.served)
        {
            continue;
        }
        if (item.common)
        {
            item.end -= served;
            m_ends.Set(place, {InstantOf(item.end / m_grid), item.order, place});
        }
        else
        {
            item.left = std::max(0.0, item.left - item.limit * (m_now + seconds - item.since));
            SetEnd(place);
        }
    }
}

} // namespace ns3::dml
