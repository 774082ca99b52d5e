/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-http2-loopback.h"
#include "dml-wire-frames.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

/// What the walker tells of bytes that come in pieces of @p step.
std::string
Walk(const std::string& wire, size_t step)
{
    std::string text;
    FrameWalker walker(
        [&](const FrameWalker::Header& frame, uint32_t offset, std::string_view data) {
            if (offset == 0)
            {
                text += std::to_string(frame.type) + "/" + std::to_string(frame.flags) + "@" +
                        std::to_string(frame.streamId) + ":" + std::to_string(frame.length) + " ";
            }
            text += data;
        });
    for (size_t i = 0; i < wire.size(); i += step)
    {
        walker.Add(std::string_view(wire).substr(i, step));
    }
    return text;
}

/// DATA of 3 bytes with END_STREAM on stream 5, an empty SETTINGS, an empty DATA, and a stream
/// number with the reserved bit.
TEST(FrameWalker, FindsFramesWhereverTheyAreCut)
{
    const std::string wire("\0\0\3\0\1\0\0\0\5abc"
                           "\0\0\0\4\1\0\0\0\0"
                           "\0\0\0\0\0\x7f\xff\xff\xff"
                           "\0\0\1\0\0\x80\0\1\2z",
                           40);
    const std::string expected = "0/1@5:3 abc4/1@0:0 0/0@2147483647:0 0/0@258:1 z";
    for (size_t step = 1; step <= wire.size(); ++step)
    {
        EXPECT_EQ(Walk(wire, step), expected) << step;
        EXPECT_EQ(Walk(std::string(HTTP2_PREFACE) + wire, step), expected) << step;
    }
}

/// A length has 24 bits; the payload is told in the pieces in which it came.
TEST(FrameWalker, LargeFrames)
{
    std::string wire("\x01\x02\x03\0\0\0\0\0\1", 9);
    wire.append(0x010203, 'x');
    std::vector<uint32_t> offsets;
    uint64_t bytes = 0;
    FrameWalker walker(
        [&](const FrameWalker::Header& frame, uint32_t offset, std::string_view data) {
            EXPECT_EQ(frame.length, 0x010203u);
            offsets.push_back(offset);
            bytes += data.size();
        });
    walker.Add(std::string_view(wire).substr(0, 1009));
    walker.Add(std::string_view(wire).substr(1009, 4000));
    walker.Add(std::string_view(wire).substr(5009));
    EXPECT_EQ(offsets, (std::vector<uint32_t>{0, 1000, 5000}));
    EXPECT_EQ(bytes, 0x010203u);
}

} // namespace
