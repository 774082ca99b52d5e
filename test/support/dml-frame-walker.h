/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FRAME_WALKER_H
#define DML_FRAME_WALKER_H

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ns3
{
namespace dml
{

/// What a client sends before its first frame (RFC 9113, section 3.4).
constexpr std::string_view HTTP2_PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Types and flags of HTTP/2 frames (RFC 9113, section 6).
constexpr uint8_t FRAME_DATA = 0;
constexpr uint8_t FRAME_HEADERS = 1;
constexpr uint8_t FRAME_SETTINGS = 4;
constexpr uint8_t FRAME_PING = 6;
constexpr uint8_t FRAME_GOAWAY = 7;
constexpr uint8_t FRAME_WINDOW_UPDATE = 8;
constexpr uint8_t FRAME_END_STREAM = 1;
constexpr uint8_t FRAME_ACK = 1;

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
    constexpr size_t header = 9;
    if (wire.substr(0, HTTP2_PREFACE.size()) == HTTP2_PREFACE)
    {
        wire.remove_prefix(HTTP2_PREFACE.size());
    }
    std::vector<WireFrame> frames;
    while (!wire.empty())
    {
        if (wire.size() < header)
        {
            throw std::runtime_error("cut frame header");
        }
        const WireFrame start{0, 0, 0, wire.substr(0, header)};
        const auto length = static_cast<size_t>(start.GetNumber(0, 3));
        if (wire.size() < header + length)
        {
            throw std::runtime_error("cut frame payload");
        }
        frames.push_back({static_cast<uint8_t>(start.GetNumber(3, 1)),
                          static_cast<uint8_t>(start.GetNumber(4, 1)),
                          static_cast<int32_t>(start.GetNumber(5, 4)),
                          wire.substr(header, length)});
        wire.remove_prefix(header + length);
    }
    return frames;
}

/**
 * @param wire what one end sent
 * @return stream and DATA bytes of every uninterrupted run of one stream's DATA, in order
 */
inline std::vector<std::pair<int32_t, uint64_t>>
DataRuns(std::string_view wire)
{
    std::vector<std::pair<int32_t, uint64_t>> runs;
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

} // namespace dml
} // namespace ns3

#endif /* DML_FRAME_WALKER_H */
