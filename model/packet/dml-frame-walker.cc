/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-frame-walker.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

FrameWalker::FrameWalker(Callback callback)
    : m_callback(std::move(callback))
{
}

void
FrameWalker::Add(std::string_view bytes)
{
    // no frame header starts as the preface does: it would be of type 'H' and 5 MB long
    while (!m_started && !bytes.empty())
    {
        if (bytes.front() != HTTP2_PREFACE[m_preface])
        {
            m_started = true;
            break;
        }
        bytes.remove_prefix(1);
        m_started = ++m_preface == HTTP2_PREFACE.size();
    }
    while (!bytes.empty())
    {
        if (m_count < FRAME_HEADER)
        {
            m_bytes[m_count++] = static_cast<uint8_t>(bytes.front());
            bytes.remove_prefix(1);
            if (m_count < FRAME_HEADER)
            {
                continue;
            }
            m_frame.length = uint32_t{m_bytes[0]} << 16 | uint32_t{m_bytes[1]} << 8 | m_bytes[2];
            m_frame.type = m_bytes[3];
            m_frame.flags = m_bytes[4];
            m_frame.streamId = static_cast<int32_t>((uint32_t{m_bytes[5]} & 0x7f) << 24 |
                                                    uint32_t{m_bytes[6]} << 16 |
                                                    uint32_t{m_bytes[7]} << 8 | m_bytes[8]);
            m_offset = 0;
        }
        const std::string_view piece = bytes.substr(0, m_frame.length - m_offset);
        bytes.remove_prefix(piece.size());
        if (!piece.empty() || m_frame.length == 0)
        {
            m_callback(m_frame, m_offset, piece);
        }
        m_offset += static_cast<uint32_t>(piece.size());
        if (m_offset == m_frame.length)
        {
            m_count = 0;
        }
    }
}

} // namespace ns3::dml
