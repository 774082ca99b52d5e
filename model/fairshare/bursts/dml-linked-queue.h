/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LINKED_QUEUE_H
#define DML_LINKED_QUEUE_H

#include <cstdint>

namespace ns3::dml
{

/**
 * @ingroup dml-fairshare
 * @brief A first-in first-out queue of items that lie in an array and know the index of the next
 * one, so that a queue takes eight bytes however long it is.
 */
class LinkedQueue
{
  public:
    /// @return whether there are none
    bool IsEmpty() const
    {
        return m_first == NONE;
    }

    /// @return index of the first item; there is one
    uint32_t GetFirst() const
    {
        return m_first;
    }

    /// @param items array with a member `next` @param index of an item that is in no queue
    template <typename Array>
    void Append(Array& items, uint32_t index)
    {
        items[index].next = NONE;
        (IsEmpty() ? m_first : items[m_last].next) = index;
        m_last = index;
    }

    /// @param items the same array @param index of an item that is in no queue @param before tells
    /// of an item of the queue whether it comes before that one; it does of the first one, and of
    /// others up to some place
    template <typename Array, typename Before>
    void Insert(Array& items, uint32_t index, const Before& before)
    {
        uint32_t place = m_first;
        while (items[place].next != NONE && before(items[place].next))
        {
            place = items[place].next;
        }
        items[index].next = items[place].next;
        items[place].next = index;
        m_last = place == m_last ? index : m_last;
    }

    /// @param items the same array @return index of the first item, which leaves; there is one
    template <typename Array>
    uint32_t TakeFirst(Array& items)
    {
        const uint32_t index = m_first;
        m_first = items[index].next;
        return index;
    }

  private:
    static constexpr uint32_t NONE = UINT32_MAX; //!< no item

    uint32_t m_first{NONE}; //!< index
    uint32_t m_last{NONE};  //!< index, if there is a first one
};

} // namespace ns3::dml

#endif /* DML_LINKED_QUEUE_H */
