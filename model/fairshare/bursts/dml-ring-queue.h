/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RING_QUEUE_H
#define DML_RING_QUEUE_H

#include <algorithm>
#include <boost/circular_buffer.hpp>
#include <cstddef>

namespace ns3::dml
{

/**
 * @ingroup dml-fairshare
 * @brief A first-in first-out queue that allocates nothing once it has been as long as it gets, and
 * whose items are found by place at little cost: a circular buffer that grows when it is full.
 * @tparam T an item
 */
template <typename T>
class RingQueue : private boost::circular_buffer<T>
{
    using Buffer = boost::circular_buffer<T>;

  public:
    using Buffer::back;
    using Buffer::begin;
    using Buffer::clear;
    using Buffer::empty;
    using Buffer::end;
    using Buffer::front;
    using Buffer::pop_front;
    using Buffer::size;
    using Buffer::operator[];

    /// @param item that comes behind all others
    void push_back(const T& item)
    {
        if (Buffer::full())
        {
            Buffer::set_capacity(std::max(FEWEST_PLACES, 2 * size()));
        }
        Buffer::push_back(item);
    }

  private:
    static constexpr std::size_t FEWEST_PLACES = 8; //!< room that a queue in use gets at first
};

} // namespace ns3::dml

#endif /* DML_RING_QUEUE_H */
