/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GROW_H
#define DML_GROW_H

#include <utility>

namespace ns3::dml
{

/**
 * @brief Append to a boost::circular_buffer, doubling its capacity when it is full, so that a
 * queue allocates only until it has seen its longest length.
 * @param buffer the buffer, of capacity at least 1
 * @param value what to append
 */
template <typename CircularBuffer>
void
PushBackGrowing(CircularBuffer& buffer, typename CircularBuffer::value_type value)
{
    if (buffer.full())
    {
        buffer.set_capacity(2 * buffer.capacity());
    }
    buffer.push_back(std::move(value));
}

} // namespace ns3::dml

#endif /* DML_GROW_H */
