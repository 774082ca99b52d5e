/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TURNOVER_HEAP_H
#define DML_TURNOVER_HEAP_H

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-fairshare
 * @brief A heap for simulations, where mostly an item comes right after the first one has left.
 *
 * So the place of the first item stays free until the next Push(), which takes it, or until
 * somebody asks for the new first one: one pass instead of two. Four children per node: a heap of
 * some hundred items then has half the levels of a binary one, and children lie together in memory.
 * @tparam Item has `bool GoesBefore(const Item&) const`, a strict total order
 */
template <typename Item>
class TurnoverHeap
{
  public:
    /// @return number of items
    std::size_t GetSize() const
    {
        return m_items.size() - (m_vacant ? 1 : 0);
    }

    /// @return whether there are none
    bool IsEmpty() const
    {
        return GetSize() == 0;
    }

    /// @return the item that goes before all others; there is one
    const Item& GetFirst()
    {
        Settle();
        return m_items.front();
    }

    /// @return the item that GetFirst() would, at less cost right after a Pop(); null: none
    const Item* Peek() const
    {
        if (!m_vacant)
        {
            return m_items.empty() ? nullptr : &m_items.front();
        }
        return m_items.size() > 1 ? &m_items[FindFirst(1)] : nullptr;
    }

    /// @param item to add
    void Push(const Item& item)
    {
        if (m_vacant)
        {
            m_vacant = false;
            Sink(0, item);
            return;
        }
        m_items.push_back(item);
        std::size_t place = m_items.size() - 1;
        while (place > 0 && item.GoesBefore(m_items[(place - 1) / CHILDREN]))
        {
            m_items[place] = m_items[(place - 1) / CHILDREN];
            place = (place - 1) / CHILDREN;
        }
        m_items[place] = item;
    }

    /// @brief Take the first item out. @return it; there is one
    Item Pop()
    {
        Settle();
        m_vacant = true;
        return m_items.front();
    }

    /**
     * @brief Take out all items of some kind; takes as long as there are items.
     * @param isOne tells of an item whether it is one of these
     */
    template <typename Predicate>
    void Remove(const Predicate& isOne)
    {
        Settle();
        m_items.erase(std::remove_if(m_items.begin(), m_items.end(), isOne), m_items.end());
        for (std::size_t place = m_items.size(); place-- > 0;)
        {
            Sink(place, Item(m_items[place]));
        }
    }

    /**
     * @brief Change all items; takes as long as there are items.
     * @param change called with each item
     */
    template <typename Function>
    void ChangeAll(const Function& change)
    {
        Settle();
        for (auto& item : m_items)
        {
            change(item);
        }
        for (std::size_t place = m_items.size(); place-- > 0;)
        {
            Sink(place, Item(m_items[place]));
        }
    }

  private:
    static constexpr std::size_t CHILDREN = 4; //!< of a node

    /// Fill the first place.
    void Settle()
    {
        if (m_vacant)
        {
            m_vacant = false;
            const Item last = m_items.back();
            m_items.pop_back();
            if (!m_items.empty())
            {
                Sink(0, last);
            }
        }
    }

    /// @param child the first one of a node @return the child that goes before its siblings;
    /// nobody foresees which, so there are no branches where there are four
    std::size_t FindFirst(std::size_t child) const
    {
        const Item* items = m_items.data() + child;
        const std::size_t count = m_items.size() - child;
        if (count >= CHILDREN)
        {
            const std::size_t left = items[1].GoesBefore(items[0]);
            const std::size_t right = 2 + items[3].GoesBefore(items[2]);
            return child + (items[right].GoesBefore(items[left]) ? right : left);
        }
        std::size_t first = 0;
        for (std::size_t other = 1; other < count; ++other)
        {
            first = items[other].GoesBefore(items[first]) ? other : first;
        }
        return child + first;
    }

    /// Put an item at a free place or below.
    void Sink(std::size_t place, const Item& item)
    {
        const std::size_t size = m_items.size();
        for (std::size_t child = CHILDREN * place + 1; child < size; child = CHILDREN * place + 1)
        {
            const std::size_t first = FindFirst(child);
            if (!m_items[first].GoesBefore(item))
            {
                break;
            }
            m_items[place] = m_items[first];
            place = first;
        }
        m_items[place] = item;
    }

    std::vector<Item> m_items; //!< the first of these is void if m_vacant
    bool m_vacant{false};      //!< whether the first item has left, and none has come since
};

} // namespace ns3::dml

#endif /* DML_TURNOVER_HEAP_H */
