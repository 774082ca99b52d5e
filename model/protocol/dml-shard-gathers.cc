/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-shard-gathers.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Stages 1 and 2: when all shards are updated. What the next step needs first comes first; what is
/// not trained has not changed.
std::vector<ShardGather>
ListUpdated(const Profile& profile, const std::vector<ShardUnit>& units)
{
    const auto places = FindPlaces(profile.graph);
    std::vector<std::pair<uint32_t, uint32_t>> order;
    for (uint32_t unit = 0; unit < units.size(); ++unit)
    {
        const OpIndex pull = units[unit].pull;
        uint32_t first = places.size(); // behind all that are used
        for (const OpIndex use :
             pull == NO_INDEX ? std::vector<OpIndex>() : profile.graph.GetDependents(pull))
        {
            first = std::min(first, places[use]);
        }
        if (units[unit].push != NO_INDEX)
        {
            order.emplace_back(first, unit);
        }
    }
    std::sort(order.begin(), order.end());
    std::vector<ShardGather> gathers;
    for (const auto& [first, unit] : order)
    {
        gathers.emplace_back();
        gathers.back().unit = unit;
        gathers.back().issued = GapAfter(places.size());
    }
    return gathers;
}

/// Stage 3: before ops that need parameters.
class GatherLister
{
  public:
    GatherLister(const GatherRules& rules,
                 const Profile& profile,
                 const std::vector<ShardUnit>& units)
        : m_rules(rules),
          m_units(units),
          m_places(FindPlaces(profile.graph))
    {
    }

    std::vector<ShardGather> List()
    {
        AddForward();
        const auto order = OrderBackward();
        for (std::size_t i = 0; i < order.size(); ++i)
        {
            AddBackward(order[i], i == 0 ? nullptr : &m_units[order[i - 1]]);
        }
        Limit();
        return std::move(m_gathers);
    }

  private:
    void AddForward()
    {
        for (uint32_t unit = 0; unit < m_units.size(); ++unit)
        {
            if (m_units[unit].forward.empty())
            {
                continue;
            }
            ShardGather gather;
            gather.unit = unit;
            gather.uses = m_units[unit].forward;
            gather.issued = GapBefore(m_places[gather.uses.front()]);
            if (!m_rules.reshards)
            {
                const auto& later = m_units[unit].backward;
                gather.uses.insert(gather.uses.end(), later.begin(), later.end());
            }
            m_gathers.push_back(std::move(gather));
        }
        std::stable_sort(
            m_gathers.begin(),
            m_gathers.end(),
            [](const ShardGather& a, const ShardGather& b) { return a.issued < b.issued; });
    }

    /// @return units that are gathered for back-propagation, in its order
    std::vector<uint32_t> OrderBackward() const
    {
        std::vector<uint32_t> order;
        for (uint32_t unit = 0; unit < m_units.size(); ++unit)
        {
            const ShardUnit& own = m_units[unit];
            if (!own.backward.empty() && (m_rules.reshards || own.forward.empty()))
            {
                order.push_back(unit);
            }
        }
        const auto key = [this](const ShardUnit& unit) {
            return std::tuple(m_places[unit.backward.front()], unit.generated);
        };
        std::stable_sort(order.begin(), order.end(), [this, &key](uint32_t a, uint32_t b) {
            return key(m_units[a]) < key(m_units[b]);
        });
        return order;
    }

    /// @param before unit that is propagated back before it; null: it is the first one
    void AddBackward(uint32_t unit, const ShardUnit* before)
    {
        const ShardUnit& own = m_units[unit];
        ShardGather gather;
        gather.unit = unit;
        gather.backward = true;
        gather.uses = own.backward;
        gather.awaits = own.forward;
        gather.needed = own.backward.front();
        gather.issued = GapBefore(m_places[gather.needed]);
        if (before && m_rules.prefetch == BackwardPrefetch::PRE)
        {
            gather.needed = before->backward.front();
            gather.issued = GapBefore(m_places[gather.needed]);
        }
        if (before && m_rules.prefetch == BackwardPrefetch::POST)
        {
            const uint32_t end = GapAfter(m_places[before->backward.back()]);
            if (end < gather.issued) // else an op needs both
            {
                gather.issued = end;
                gather.needed = NO_INDEX;
                gather.awaits.insert(gather.awaits.end(),
                                     before->backward.begin(),
                                     before->backward.end());
            }
        }
        gather.issued = std::max(m_lastBackward, gather.issued);
        m_lastBackward = gather.issued;
        m_gathers.push_back(std::move(gather));
    }

    /// A gather waits until so many fewer units are there, unless an op needs both.
    void Limit()
    {
        for (std::size_t i = m_rules.limit; m_rules.limit > 0 && i < m_gathers.size(); ++i)
        {
            const auto& freed = m_gathers[i - m_rules.limit].uses;
            ShardGather& gather = m_gathers[i];
            if (m_places[freed.back()] < m_places[gather.uses.front()])
            {
                gather.awaits.insert(gather.awaits.end(), freed.begin(), freed.end());
            }
        }
    }

    const GatherRules& m_rules;            //!< when units are gathered
    const std::vector<ShardUnit>& m_units; //!< with the ops that use them
    std::vector<uint32_t> m_places;        //!< by op
    std::vector<ShardGather> m_gathers;    //!< so far
    uint32_t m_lastBackward{0};            //!< when the last one of back-propagation was issued
};

} // namespace

std::vector<ShardGather>
ListShardGathers(const GatherRules& rules,
                 const Profile& profile,
                 const std::vector<ShardUnit>& units)
{
    return rules.stage == 3 ? GatherLister(rules, profile, units).List()
                            : ListUpdated(profile, units);
}

} // namespace ns3::dml
