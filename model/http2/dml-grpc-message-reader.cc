/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-grpc-message-reader.h"

#include <algorithm>

namespace ns3::dml
{

void
GrpcMessageReader::Reset(size_t keep)
{
    m_length = 0;
    m_received = 0;
    m_keep = keep;
    m_kept.clear();
    m_error.clear();
}

bool
GrpcMessageReader::Add(const uint8_t* data, size_t n)
{
    if (!m_error.empty())
    {
        return false;
    }
    while (n > 0 && !HasLength())
    {
        m_prefix[m_received++] = *data++;
        --n;
        if (m_prefix[0] != 0)
        {
            m_error = "gRPC message with compressed flag " + std::to_string(m_prefix[0]) +
                      "; accepted: 0 (not compressed)";
            return false;
        }
        if (HasLength())
        {
            m_length = static_cast<uint32_t>(m_prefix[1]) << 24 |
                       static_cast<uint32_t>(m_prefix[2]) << 16 |
                       static_cast<uint32_t>(m_prefix[3]) << 8 | m_prefix[4];
        }
    }
    if (n == 0)
    {
        return true;
    }
    if (n > GRPC_PREFIX + static_cast<uint64_t>(m_length) - m_received)
    {
        m_error = "more bytes than the one gRPC message of " + std::to_string(m_length) +
                  " bytes that was announced";
        return false;
    }
    const size_t kept = std::min(n, m_keep - std::min(m_keep, m_kept.size()));
    m_kept.append(reinterpret_cast<const char*>(data), kept);
    m_received += n;
    return true;
}

void
GrpcMessageReader::Skip(uint64_t n)
{
    m_received += n;
}

const std::string&
GrpcMessageReader::GetError() const
{
    return m_error;
}

bool
GrpcMessageReader::HasLength() const
{
    return m_received >= GRPC_PREFIX;
}

uint32_t
GrpcMessageReader::GetLength() const
{
    return m_length;
}

uint64_t
GrpcMessageReader::GetReceived() const
{
    return m_received;
}

bool
GrpcMessageReader::IsComplete() const
{
    return HasLength() && m_received == GRPC_PREFIX + static_cast<uint64_t>(m_length);
}

std::string&
GrpcMessageReader::GetKept()
{
    return m_kept;
}

} // namespace ns3::dml
