/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BYTE_SINK_H
#define DML_BYTE_SINK_H

#include <cstddef>
#include <cstdint>

namespace ns3::dml
{

/**
 * @ingroup dml-http2
 * @brief Where a session's output goes: a byte stream of limited room, such as a socket's buffer.
 *
 * Zero bytes are handed over as a number, so that tensors need no memory and no per-byte work.
 */
class ByteSink
{
  public:
    virtual ~ByteSink() = default;

    /// @return bytes that can be taken now; it is asked again before every write
    virtual size_t GetRoom() = 0;

    /**
     * @param data real bytes, valid during the call only
     * @param n how many, 1 to GetRoom(); all are taken
     */
    virtual void Write(const uint8_t* data, size_t n) = 0;

    /// @param n zero bytes that follow, 1 to GetRoom(); all are taken
    virtual void WriteZeros(size_t n) = 0;
};

} // namespace ns3::dml

#endif /* DML_BYTE_SINK_H */
