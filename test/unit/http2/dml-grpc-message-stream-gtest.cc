/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// One length-prefixed message in pieces: GrpcMessageWriter and GrpcMessageReader.

#include "ns3/dml-error.h"
#include "ns3/dml-grpc-message-stream.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

std::string
TakeAll(GrpcMessageWriter& writer, uint64_t piece)
{
    std::vector<uint8_t> bytes;
    while (writer.GetReadable() > 0)
    {
        const uint64_t zeros = writer.Take(std::min(piece, writer.GetReadable()), bytes);
        bytes.insert(bytes.end(), zeros, 0);
    }
    return std::string(bytes.begin(), bytes.end());
}

/// Flag 0, length 3 + 258 = 261 = 0x0105, "abc", 258 zeros, whatever the pieces.
TEST(GrpcMessageStream, WriterBytes)
{
    const std::string expected = std::string("\0\0\0\1\5abc", 8) + std::string(258, '\0');
    for (const uint64_t piece : {1, 2, 5, 6, 8, 100, 1000})
    {
        GrpcMessageWriter writer;
        writer.Start("abc", 258);
        EXPECT_EQ(writer.GetRemaining(), 266u);
        EXPECT_EQ(writer.GetReadable(), 0u) << "no quota yet";
        writer.AddQuota(GrpcMessageWriter::UNLIMITED);
        EXPECT_EQ(TakeAll(writer, piece), expected) << "pieces of " << piece;
        EXPECT_EQ(writer.GetRemaining(), 0u);
    }
}

/// Quotas of 4 and 3 are one turn of 7 if the second comes before the first is used up.
TEST(GrpcMessageStream, WriterQuota)
{
    GrpcMessageWriter writer;
    writer.Start("", 5); // 10 with its prefix
    std::vector<uint8_t> real;
    writer.AddQuota(4);
    EXPECT_EQ(writer.GetReadable(), 4u);
    EXPECT_EQ(writer.Take(1, real), 0u);
    writer.AddQuota(3);
    EXPECT_EQ(writer.GetReadable(), 6u);
    EXPECT_EQ(writer.Take(6, real), 2u); // 5 real bytes in all
    EXPECT_EQ(writer.GetTurnBytes(), 7u);
    EXPECT_EQ(writer.GetReadable(), 0u);
    writer.AddQuota(100);
    EXPECT_EQ(writer.GetReadable(), 3u);
    writer.Take(3, real);
    EXPECT_EQ(writer.GetTurnBytes(), 3u) << "a new turn";
    EXPECT_EQ(writer.GetReadable(), 0u);
    EXPECT_EQ(real.size(), 5u);
}

TEST(GrpcMessageStream, WriterRefusesMoreThan32Bits)
{
    GrpcMessageWriter writer;
    EXPECT_NO_THROW(writer.Start("ab", 0xffffffffu - 2));
    EXPECT_EQ(writer.GetRemaining(), 0xffffffffu + uint64_t{5});
    EXPECT_THROW(writer.Start("ab", 0xffffffffu - 1), InputError);
    EXPECT_THROW(writer.Start("ab", ~uint64_t{0}), InputError) << "the sum must not wrap";
}

TEST(GrpcMessageStream, ReaderInPieces)
{
    const std::string bytes = std::string("\0\0\0\0\7", 5) + "message";
    for (size_t piece = 1; piece <= bytes.size(); ++piece)
    {
        GrpcMessageReader reader;
        reader.Reset(3);
        for (size_t i = 0; i < bytes.size(); i += piece)
        {
            EXPECT_FALSE(reader.IsComplete());
            EXPECT_EQ(reader.HasLength(), i >= GRPC_PREFIX);
            const std::string part = bytes.substr(i, piece);
            EXPECT_TRUE(reader.Add(reinterpret_cast<const uint8_t*>(part.data()), part.size()));
        }
        EXPECT_TRUE(reader.IsComplete());
        EXPECT_EQ(reader.GetLength(), 7u);
        EXPECT_EQ(reader.GetReceived(), 12u);
        EXPECT_EQ(reader.GetKept(), "mes");
    }
}

TEST(GrpcMessageStream, ReaderOfEmptyMessage)
{
    GrpcMessageReader reader;
    reader.Reset(64);
    const uint8_t bytes[5]{};
    EXPECT_TRUE(reader.Add(bytes, 4));
    EXPECT_FALSE(reader.IsComplete());
    EXPECT_TRUE(reader.Add(bytes, 1));
    EXPECT_TRUE(reader.IsComplete());
    EXPECT_EQ(reader.GetKept(), "");
}

/// The length is unsigned and 32 bits wide.
TEST(GrpcMessageStream, ReaderOfLargestLength)
{
    GrpcMessageReader reader;
    reader.Reset(64);
    const uint8_t bytes[5]{0, 0xff, 0xff, 0xff, 0xff};
    EXPECT_TRUE(reader.Add(bytes, 5));
    EXPECT_EQ(reader.GetLength(), 0xffffffffu);
    EXPECT_FALSE(reader.IsComplete());
}

TEST(GrpcMessageStream, ReaderRefusesCompressedAndTooLong)
{
    GrpcMessageReader reader;
    reader.Reset(64);
    const uint8_t compressed[1]{1};
    EXPECT_FALSE(reader.Add(compressed, 1));
    EXPECT_EQ(reader.GetError(),
              "gRPC message with compressed flag 1; accepted: 0 (not compressed)");
    reader.Reset(64);
    const uint8_t tooLong[8]{0, 0, 0, 0, 2, 'a', 'b', 'c'};
    EXPECT_TRUE(reader.Add(tooLong, 7));
    EXPECT_FALSE(reader.Add(tooLong, 1));
    EXPECT_EQ(reader.GetError(),
              "more bytes than the one gRPC message of 2 bytes that was announced");
}

} // namespace
