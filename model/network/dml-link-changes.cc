/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-link-changes.h"

#include "dml-topology-builder.h"

#include <map>
#include <set>

namespace ns3::dml
{

namespace
{

/// A fault begins or ends.
struct Border
{
    const FaultSpec* fault; //!< fault that begins or ends
    bool begins;            //!< else it ends
};

/// The faults that hold on one link.
class ActiveFaults
{
  public:
    void Cross(const Border& border)
    {
        if (border.fault->kind == FaultSpec::Kind::DOWN)
        {
            m_downs += border.begins ? 1 : -1;
        }
        else if (border.begins)
        {
            m_rates.insert(border.fault->rate.GetBitRate());
        }
        else
        {
            m_rates.erase(m_rates.find(border.fault->rate.GetBitRate()));
        }
    }

    bool IsDown() const
    {
        return m_downs > 0;
    }

    /// @param own the link's rate without faults
    DataRate GetRate(const DataRate& own) const
    {
        return m_rates.empty() ? own : DataRate(*m_rates.begin());
    }

  private:
    int m_downs{0};                  //!< faults that hold it down
    std::multiset<uint64_t> m_rates; //!< bits/s
};

using Borders = std::multimap<Time, Border>;

/// Append the changes of one link.
void
AppendChanges(DirectedLink link,
              const DataRate& own,
              const Borders& borders,
              std::vector<LinkChange>& changes)
{
    ActiveFaults faults;
    LinkChange last{Time(0), link, own, false};
    for (auto border = borders.begin(); border != borders.end();)
    {
        const Time time = border->first;
        // what ends and what begins at one time is one change
        for (; border != borders.end() && border->first == time; ++border)
        {
            faults.Cross(border->second);
        }
        const LinkChange next{time, link, faults.GetRate(own), faults.IsDown()};
        if (next.rate != last.rate || next.down != last.down)
        {
            changes.push_back(next);
        }
        last = next;
    }
}

} // namespace

std::vector<LinkChange>
ListLinkChanges(const ClusterNetwork& network, const std::vector<FaultSpec>& faults)
{
    std::map<DirectedLink, Borders> borders;
    for (const auto& fault : faults)
    {
        if (fault.kind == FaultSpec::Kind::LOSS)
        {
            continue;
        }
        for (const DirectedLink link : FindFaultLinks(network, fault))
        {
            borders[link].insert({fault.start, {&fault, true}});
            if (fault.duration < Time::Max())
            {
                borders[link].insert({fault.start + fault.duration, {&fault, false}});
            }
        }
    }
    std::vector<LinkChange> changes;
    for (const auto& [link, ofLink] : borders)
    {
        AppendChanges(link, network.GetRate(link), ofLink, changes);
    }
    return changes;
}

} // namespace ns3::dml
