/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-goodput.h"
#include "ns3/dml-tcp-message-reader.h"
#include "ns3/dml-tcp-message-writer.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

using Kind = TcpMessageKind;

/// @return bytes, of which a literal may have zeros
template <std::size_t N>
std::string
Bytes(const char (&literal)[N])
{
    return std::string(literal, N - 1);
}

/// 65536 bytes from offset 131072 on of 524288, of tensor 258 in step 7; in hexadecimal 10000,
/// 20000, 80000 and 102.
const std::string PIECE_HEADER = Bytes("dm\x01\x05\x00\x01\x00\x00\x00\x00\x01\x02\x00\x00\x00\x07"
                                       "\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x08"
                                       "\x00\x00");

TcpMessage
Piece(uint32_t length, uint64_t offset, uint64_t total)
{
    return {Kind::PIECE, length, 258, 7, offset, total};
}

/// What a reader tells.
struct Log
{
    /// Read bytes in parts that end at these places, which go up.
    explicit Log(const std::string& bytes, std::vector<std::size_t> cuts = {})
        : reader(
              [this](const TcpMessage& message, const std::string& body) {
                  lines.push_back(std::to_string(static_cast<int>(message.kind)) + " " +
                                  std::to_string(message.id) + " " +
                                  std::to_string(message.length) + " " + body);
              },
              [this](const std::string& text) { errors.push_back(text); })
    {
        cuts.push_back(bytes.size());
        std::size_t at = 0;
        for (const std::size_t cut : cuts)
        {
            reader.Receive(reinterpret_cast<const uint8_t*>(bytes.data()) + at, cut - at);
            at = cut;
        }
    }

    std::vector<std::string> lines;  //!< a line each: kind, id, length and body
    std::vector<std::string> errors; //!< in order
    TcpMessageReader reader;         //!< which told them
};

/// Takes bytes, so many at a time.
struct Sink : ByteSink
{
    explicit Sink(std::size_t most)
        : room(most)
    {
    }

    size_t GetRoom() override
    {
        return room;
    }

    void Write(const uint8_t* data, size_t n) override
    {
        bytes.append(reinterpret_cast<const char*>(data), n);
        room -= n;
    }

    void WriteZeros(size_t n) override
    {
        bytes.append(n, '\0');
        room -= n;
    }

    std::size_t room;  //!< bytes that it takes now
    std::string bytes; //!< that it has taken
};

/// A message of each form, a piece of five bytes among them.
std::string
Conversation()
{
    TcpMessage call{Kind::RUN_GRAPH};
    call.id = 1;
    call.length = 3;
    TcpMessage wanted{Kind::TENSOR_WANTED};
    wanted.id = 4;
    wanted.length = 6;
    TcpMessage hello;
    hello.total = 1;
    return hello.Encode() + call.Encode() + "abc" + wanted.Encode() + "pull/a" +
           Piece(5, 0, 5).Encode() + std::string(5, '\0') + TcpMessage{Kind::ARRIVED}.Encode();
}

const std::vector<std::string> TOLD{"1 0 0 ", "2 1 3 abc", "4 4 6 pull/a", "5 258 5 ", "7 0 0 "};

/// @return the error of a message that is read, or empty
std::string
ErrorOf(const TcpMessage& message)
{
    std::string error;
    TcpMessage::Decode(message.Encode(), error);
    return error;
}

} // namespace

TEST(TcpMessage, HasTheBytesOfItsTable)
{
    EXPECT_EQ(Piece(65536, 131072, 524288).Encode(), PIECE_HEADER);
    EXPECT_EQ(PIECE_HEADER.size(), 32U);
    std::string error;
    const auto piece = TcpMessage::Decode(PIECE_HEADER, error);
    ASSERT_TRUE(piece) << error;
    EXPECT_EQ(piece->kind, Kind::PIECE);
    EXPECT_EQ(piece->length, 65536U);
    EXPECT_EQ(piece->id, 258U);
    EXPECT_EQ(piece->step, 7U);
    EXPECT_EQ(piece->offset, 131072U);
    EXPECT_EQ(piece->total, 524288U);
}

TEST(TcpMessage, RefusesWhatItsKindDoesNotHave)
{
    const std::string fault = "a message with values that its kind does not have";
    const uint64_t most = std::numeric_limits<uint64_t>::max();
    for (const auto& [message, good] : std::vector<std::pair<TcpMessage, bool>>{
             {{Kind::HELLO, 0, 63, 0, 0, 64}, true},
             {{Kind::HELLO, 0, 64, 0, 0, 65}, false}, // more than 64 connections
             {{Kind::HELLO, 0, 2, 0, 0, 2}, false},   // the third of two
             {{Kind::HELLO, 0, 0, 1, 0, 1}, false},   // a step
             {{Kind::HELLO, 1, 0, 0, 0, 1}, false},   // a body
             {{Kind::RUN_GRAPH, 1048576, 2147483647, 3, 0, 0}, true},
             {{Kind::RUN_GRAPH, 1048577, 1, 3, 0, 0}, false},
             {{Kind::RUN_GRAPH, 0, 2147483648, 3, 0, 0}, false},
             {{Kind::GRAPH_DONE, 0, 0, 3, 0, 0}, false}, // call 0
             {{Kind::GRAPH_DONE, 0, 1, 3, 0, 1}, false},
             {{Kind::TENSOR_WANTED, 1048576, 0, 0, 0, 0}, true},
             {{Kind::TENSOR_WANTED, 1048577, 0, 0, 0, 0}, false},
             {{Kind::TENSOR_WANTED, 0, 0, 0, 0, 0}, false}, // no name
             {{Kind::PIECE, 524288, 0, 0, most - 524288, most}, true},
             {{Kind::PIECE, 524288, 0, 0, most - 524287, most}, false}, // ends behind the tensor
             {{Kind::PIECE, 524289, 0, 0, 0, 1000000}, false},
             {{Kind::PIECE, 2, 0, 0, most, 1}, false}, // the sum is beyond 64 bits
             {{Kind::PIECE, 0, 0, 0, 0, 0}, true},     // a tensor of no bytes
             {{Kind::PIECE, 0, 0, 0, 0, 1}, false},    // nothing of one that has some
             {{Kind::ARRIVED, 0, 9, 9, 0, 0}, true},
             {{Kind::ARRIVED, 1, 9, 9, 0, 0}, false},
             {{Kind::ARRIVAL_WANTED, 0, 9, 9, 1, 0}, false},
         })
    {
        EXPECT_EQ(ErrorOf(message), good ? "" : fault)
            << static_cast<int>(message.kind) << ", " << message.length << " bytes of "
            << message.total << " from " << message.offset;
    }
    EXPECT_EQ(ErrorOf({static_cast<Kind>(0)}), "a message of unknown kind 0");
    EXPECT_EQ(ErrorOf({static_cast<Kind>(8)}), "a message of unknown kind 8");
}

TEST(TcpMessageReader, FindsMessagesWhereverTheyAreCut)
{
    const std::string bytes = Conversation();
    ASSERT_EQ(bytes.size(), 5 * 32U + 3 + 6 + 5);
    for (std::size_t first = 0; first <= bytes.size(); ++first)
    {
        for (std::size_t second = first; second <= bytes.size(); second += 7)
        {
            const Log log(bytes, {first, second});
            ASSERT_EQ(log.lines, TOLD) << "cut at " << first << " and " << second;
            ASSERT_FALSE(log.reader.IsInMessage());
        }
    }
    std::vector<std::size_t> all;
    for (std::size_t cut = 1; cut < bytes.size(); ++cut)
    {
        all.push_back(cut);
    }
    EXPECT_EQ(Log(bytes, all).lines, TOLD) << "byte by byte";
}

TEST(TcpMessageReader, KeepsWhatIsNotComplete)
{
    const std::string bytes = Conversation();
    for (std::size_t end = 1; end < 32 + 35; ++end)
    {
        const Log log(bytes.substr(0, end));
        EXPECT_EQ(log.lines.size(), end / 32 > 0 ? 1U : 0U) << end;
        EXPECT_EQ(log.reader.IsInMessage(), end != 32) << end;
        EXPECT_TRUE(log.errors.empty());
    }
}

TEST(TcpMessageReader, ReadsNothingAfterDamage)
{
    std::string bytes = Conversation();
    bytes[32] = 'x'; // the second message
    const Log log(bytes);
    EXPECT_EQ(log.lines, std::vector<std::string>{TOLD.front()});
    EXPECT_EQ(log.errors, std::vector<std::string>{"bytes that are no message came"});
    bytes = Conversation();
    bytes[32 + 3] = 9; // its kind
    EXPECT_EQ(Log(bytes).errors, std::vector<std::string>{"a message of unknown kind 9 came"});
}

TEST(TcpMessageReader, SurvivesEveryChangeOfAByte)
{
    const std::string whole = Conversation();
    for (std::size_t at = 0; at < whole.size(); ++at)
    {
        for (int value = 0; value < 256; ++value)
        {
            std::string bytes = whole;
            bytes[at] = static_cast<char>(value);
            const Log log(bytes, {at});
            EXPECT_LE(log.errors.size(), 1U);
            EXPECT_LE(log.lines.size(), TOLD.size());
        }
    }
}

TEST(TcpMessageWriter, WritesMessagesBeforePiecesThatHaveNotBegun)
{
    TcpMessageWriter writer;
    writer.AddPiece(Piece(100, 0, 200));
    writer.AddPiece(Piece(100, 100, 200));
    EXPECT_EQ(writer.CountPieces(), 2U);
    Sink sink(40);
    writer.Fill(sink); // header and 8 bytes of the first piece
    EXPECT_EQ(writer.CountPieces(), 2U);
    TcpMessage wanted{Kind::TENSOR_WANTED};
    wanted.id = 4;
    writer.Add(wanted, "pull/a");
    sink.room = 92; // the rest of it
    writer.Fill(sink);
    EXPECT_EQ(writer.CountPieces(), 1U) << "the first one is written";
    sink.room = 1000;
    writer.Fill(sink);
    EXPECT_FALSE(writer.HasOutput());
    EXPECT_EQ(writer.CountPieces(), 0U);
    EXPECT_EQ(sink.bytes.size(), 3 * 32 + 200 + 6U);
    const std::vector<std::string> told{"5 258 100 ", "4 4 6 pull/a", "5 258 100 "};
    EXPECT_EQ(Log(sink.bytes).lines, told);
}

TEST(TcpMessageWriter, WritesTheSameIntoEverySink)
{
    for (std::size_t room = 1; room < 50; ++room)
    {
        TcpMessageWriter writer;
        writer.AddPiece(Piece(0, 0, 0));
        writer.AddPiece(Piece(70, 0, 70));
        Sink sink(0);
        for (int i = 0; i < 200 && writer.HasOutput(); ++i)
        {
            sink.room = room;
            writer.Fill(sink);
        }
        EXPECT_EQ(sink.bytes,
                  Piece(0, 0, 0).Encode() + Piece(70, 0, 70).Encode() + std::string(70, '\0'))
            << room;
        EXPECT_EQ(writer.CountPieces(), 0U);
    }
}

TEST(TcpMessageWriter, LeavesOutBytesOfPiecesThatHaveNotBegun)
{
    TcpMessageWriter writer;
    writer.AddPiece(Piece(100, 0, 260));
    writer.AddPiece(Piece(100, 100, 260));
    writer.AddPiece(Piece(60, 200, 260));
    EXPECT_EQ(writer.GetSkippable(), 260U);
    Sink sink(40);
    writer.Fill(sink);
    EXPECT_EQ(writer.GetSkippable(), 160U) << "the first one has begun";
    writer.Add(TcpMessage{Kind::ARRIVED});
    EXPECT_EQ(writer.GetSkippable(), 0U) << "a message waits for the first one's end";
    sink.room = 92 + 32;
    writer.Fill(sink);
    writer.Skip(110); // the second one, and a part of the third
    EXPECT_EQ(writer.GetSkippable(), 50U);
    sink.room = 1000;
    writer.Fill(sink);
    EXPECT_FALSE(writer.HasOutput());
    EXPECT_EQ(sink.bytes,
              Piece(100, 0, 260).Encode() + std::string(100, '\0') +
                  TcpMessage{Kind::ARRIVED}.Encode() + Piece(50, 210, 260).Encode() +
                  std::string(50, '\0'));
}

TEST(MessageFraming, CutsSlicesAsNcclDoes)
{
    EXPECT_EQ(GetTcpPieceSize(524288, 1), 524288U);
    EXPECT_EQ(GetTcpPieceSize(524288, 3), 174763U) << "a third, rounded up";
    EXPECT_EQ(GetTcpPieceSize(524288, 4), 131072U);
    EXPECT_EQ(GetTcpPieceSize(524288, 64), 65536U) << "no less";
    EXPECT_EQ(GetTcpPieceSize(100, 2), 65536U);
}

TEST(MessageFraming, IsPartOfTheGoodput)
{
    // of 1502 bytes 1460 are payload; of that 16 KiB of 16 KiB + 9, or 128 KiB of 128 KiB + 32
    const double rate = 125e6 * 1460 / 1502;
    TransferSpec transfer;
    const auto goodput = [&transfer] {
        return GetGoodput(DataRate("1Gbps"),
                          GetWireFormat(1500, false, GetMessageFraming(transfer)));
    };
    EXPECT_NEAR(goodput(), rate * 16384 / 16393, 1e-6);
    transfer.transport = "tcp";
    transfer.sockets = 4;
    EXPECT_NEAR(goodput(), rate * 131072 / 131104, 1e-6);
}
