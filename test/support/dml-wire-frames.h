/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_WIRE_FRAMES_H
#define DML_WIRE_FRAMES_H

#include "ns3/dml-frame-walker.h"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// One frame of a byte stream.
struct WireFrame
{
    uint8_t type;             //!< RFC 9113, section 6
    uint8_t flags;            //!< by type
    int32_t streamId;         //!< 0: connection
    std::string_view payload; //!< points into the walked bytes

    /// @return the big-endian number of @p n bytes at @p offset of the payload
    uint64_t GetNumber(size_t offset, size_t n) const
    {
        uint64_t value = 0;
        for (size_t i = 0; i < n; ++i)
        {
            value = value << 8 | static_cast<uint8_t>(payload.at(offset + i));
        }
        return value;
    }
};

/**
 * @param wire what one end sent, from its first byte; a preface is skipped
 * @return all frames in order
 * @throws std::runtime_error if the last frame is cut
 */
inline std::vector<WireFrame>
WalkFrames(std::string_view wire)
{
    std::vector<WireFrame> frames;
    size_t walked =
        wire.substr(0, HTTP2_PREFACE.size()) == HTTP2_PREFACE ? HTTP2_PREFACE.size() : 0;
    FrameWalker walker([&](const FrameWalker::Header& frame, uint32_t, std::string_view payload) {
        if (payload.size() < frame.length)
        {
            throw std::runtime_error("cut frame payload");
        }
        frames.push_back({frame.type, frame.flags, frame.streamId, payload});
        walked += FRAME_HEADER + payload.size();
    });
    walker.Add(wire);
    if (walked < wire.size())
    {
        throw std::runtime_error("cut frame header");
    }
    return frames;
}

/// Streams, and what each has in a row: its DATA bytes, or another number.
using StreamRuns = std::vector<std::pair<int32_t, uint64_t>>;

/**
 * @param wire what one end sent
 * @return stream and DATA bytes of every uninterrupted run of one stream's DATA, in order
 */
inline StreamRuns
DataRuns(std::string_view wire)
{
    StreamRuns runs;
    for (const WireFrame& frame : WalkFrames(wire))
    {
        if (frame.type != FRAME_DATA)
        {
            continue;
        }
        if (runs.empty() || runs.back().first != frame.streamId)
        {
            runs.emplace_back(frame.streamId, 0);
        }
        runs.back().second += frame.payload.size();
    }
    return runs;
}

} // namespace ns3::dml

#endif /* DML_WIRE_FRAMES_H */
