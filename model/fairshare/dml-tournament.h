/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TOURNAMENT_H
#define DML_TOURNAMENT_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-fairshare
 * @brief Which of many things goes first, when one at a time changes: a tree of winners.
 * @tparam Item has operator<, a strict total order
 */
template <typename Item>
class Tournament
{
  public:
    /// @param size number of things, at least 1
    void Resize(std::size_t size)
    {
        m_leaves = 1;
        while (m_leaves < size)
        {
            m_leaves *= 2;
        }
        m_items.resize(m_leaves);
        m_winners.resize(2 * m_leaves);
        for (std::size_t leaf = 0; leaf < m_leaves; ++leaf)
        {
            m_winners[m_leaves + leaf] = leaf;
        }
        for (std::size_t node = m_leaves; node-- > 1;)
        {
            Play(node);
        }
    }

    /// @param place of a thing, from 0 @param item what it is now
    void Set(uint32_t place, const Item& item)
    {
        m_items[place] = item;
        for (std::size_t node = (m_leaves + place) / 2; node > 0; node /= 2)
        {
            const uint32_t before = m_winners[node];
            Play(node);
            if (m_winners[node] == before && before != place)
            {
                return; // further up it did not win and does not
            }
        }
    }

    /// @param place of a thing, from 0 @return what it is now
    const Item& Get(uint32_t place) const
    {
        return m_items[place];
    }

    /// @return the one that goes before all others
    const Item& GetFirst() const
    {
        return m_items[m_winners[m_leaves > 1 ? 1 : m_leaves]];
    }

  private:
    void Play(std::size_t node)
    {
        const uint32_t left = m_winners[2 * node];
        const uint32_t right = m_winners[2 * node + 1];
        m_winners[node] = m_items[right] < m_items[left] ? right : left;
    }

    std::size_t m_leaves{1};         //!< a power of two
    std::vector<Item> m_items;       //!< by place; default ones fill up
    std::vector<uint32_t> m_winners; //!< place of the first of each subtree; the root is node 1
};

} // namespace ns3::dml

#endif /* DML_TOURNAMENT_H */
