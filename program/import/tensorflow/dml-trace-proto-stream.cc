/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-trace-proto-stream.h"

#include "ns3/dml-trace-input.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

/// Bytes handed out at once.
constexpr std::size_t BLOCK = 65536;

} // namespace

TraceProtoStream::TraceProtoStream(TraceInput& input)
    : m_input(input)
{
}

bool
TraceProtoStream::Next(const void** data, int* size)
{
    try
    {
        m_input.Skip(m_used);
        m_used = 0;
        const std::string_view block = m_input.PeekAhead(BLOCK);
        m_used = static_cast<int>(block.size());
        *data = block.data();
        *size = m_used;
    }
    catch (...)
    {
        m_error = std::current_exception();
        return false;
    }
    return m_used > 0;
}

void
TraceProtoStream::BackUp(int count)
{
    m_used -= count;
}

bool
TraceProtoStream::Skip(int count)
{
    const void* data;
    int size = 0;
    while (count > 0)
    {
        if (!Next(&data, &size))
        {
            return false;
        }
        const int taken = std::min(count, size);
        BackUp(size - taken);
        count -= taken;
    }
    return true;
}

int64_t
TraceProtoStream::ByteCount() const
{
    return static_cast<int64_t>(m_input.GetOffset()) + m_used;
}

void
TraceProtoStream::Rethrow() const
{
    if (m_error)
    {
        std::rethrow_exception(m_error);
    }
}

} // namespace ns3::dml
