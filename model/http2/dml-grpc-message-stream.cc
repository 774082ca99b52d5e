/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-grpc-message-stream.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

void
GrpcMessageWriter::Start(std::string head, uint64_t zeros)
{
    if (head.size() > GRPC_MAX_MESSAGE || zeros > GRPC_MAX_MESSAGE - head.size())
    {
        throw InputError("a gRPC message of " + std::to_string(head.size()) + " + " +
                         std::to_string(zeros) + " bytes; accepted: at most " +
                         std::to_string(GRPC_MAX_MESSAGE));
    }
    Clear();
    const uint64_t length = head.size() + zeros;
    m_real = std::move(head);
    m_real.insert(0, GRPC_PREFIX, '\0'); // also the flag: not compressed
    for (uint32_t i = 0; i < 4; ++i)
    {
        m_real[1 + i] = static_cast<char>(length >> (24 - 8 * i) & 0xff);
    }
    m_total = GRPC_PREFIX + length;
}

void
GrpcMessageWriter::Clear()
{
    m_real.clear();
    m_total = 0;
    m_taken = 0;
    m_quota = 0;
    m_turnBytes = 0;
}

uint64_t
GrpcMessageWriter::GetReadable() const
{
    return std::min(m_quota, GetRemaining());
}

void
GrpcMessageWriter::AddQuota(uint64_t bytes)
{
    if (m_quota == 0)
    {
        m_turnBytes = 0;
    }
    m_quota = bytes > UNLIMITED - m_quota ? UNLIMITED : m_quota + bytes;
}

uint64_t
GrpcMessageWriter::Take(uint64_t n, std::vector<uint8_t>& real)
{
    const uint64_t left = m_taken < m_real.size() ? m_real.size() - m_taken : 0;
    const uint64_t realBytes = std::min(n, left);
    const auto begin = m_real.begin() + static_cast<std::ptrdiff_t>(m_real.size() - left);
    real.insert(real.end(), begin, begin + static_cast<std::ptrdiff_t>(realBytes));
    Skip(n);
    return n - realBytes;
}

void
GrpcMessageWriter::Skip(uint64_t n)
{
    m_taken += n;
    m_turnBytes += n;
    if (m_quota != UNLIMITED)
    {
        m_quota -= n;
    }
}

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
    if (n > GetSize() - m_received)
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

uint64_t
GrpcMessageReader::GetSize() const
{
    return HasLength() ? GRPC_PREFIX + uint64_t{m_length} : 0;
}

bool
GrpcMessageReader::IsComplete() const
{
    return HasLength() && m_received == GetSize();
}

} // namespace ns3::dml
