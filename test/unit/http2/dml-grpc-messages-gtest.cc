/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The encoded bytes are derived by hand from the protobuf wire format: a field is a tag byte
// (number * 8 + 0 for integers, + 2 for bytes), then a varint, or a varint length and the bytes.
// Hexadecimal ones are what protobuf's encoder in Python makes, with TensorFlow's types of fields.

#include "ns3/dml-grpc-messages.h"
#include "ns3/dml-rendezvous-key.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>

using namespace ns3::dml;

namespace
{

std::string
Bytes(std::initializer_list<int> values)
{
    std::string text;
    for (const int value : values)
    {
        text += static_cast<char>(value);
    }
    return text;
}

std::string
FromHex(const std::string& digits)
{
    std::string text;
    for (std::size_t i = 0; i < digits.size(); i += 2)
    {
        text += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
    }
    return text;
}

// NamedTensorProto {name = 1, tensor = 2 {dtype = 1: DT_DOUBLE, double_val = 6}}; 2.0 is 0x4000...
TEST(GrpcMessages, NamedValuesOfAGraph)
{
    RunGraphResponse response;
    response.recv = {{"step", 2}};
    const std::string bytes = response.Encode();
    EXPECT_EQ(bytes, Bytes({0x0a, 20,   0x0a, 4, 's', 't', 'e', 'p', 0x12, 12, 0x08,
                            2,    0x32, 8,    0, 0,   0,   0,   0,   0,    0,  0x40}));
    EXPECT_EQ(RunGraphResponse::Decode(bytes)->recv, response.recv);
    RunGraphRequest request;
    request.stepId = 3;
    request.graphHandle = "batch";
    request.send = {{"a", -0.5}, {"b", 1e300}};
    EXPECT_EQ(RunGraphRequest::Decode(request.Encode())->send, request.send);
    // a value of another length, or none
    EXPECT_FALSE(RunGraphResponse::Decode(Bytes({0x0a, 4, 0x0a, 2, 'a', 'b'})));
    EXPECT_FALSE(RunGraphResponse::Decode(
        Bytes({0x0a, 12, 0x0a, 1, 'a', 0x12, 7, 0x08, 2, 0x32, 3, 0, 0, 0})));
}

/// Field 1 is "g" (0x0a 1 'g'), field 2 is 300 = 2 * 128 + 44 (0x10, 0xac, 2).
TEST(GrpcMessages, RunGraphRequestBytes)
{
    const RunGraphRequest request{300, "g"};
    EXPECT_EQ(request.Encode(), Bytes({0x0a, 1, 'g', 0x10, 0xac, 2}));
}

/// Field 1 is 1 (0x08 1), field 2 is "key" (0x12 3).
TEST(GrpcMessages, RecvTensorRequestBytes)
{
    const RecvTensorRequest request{1, "key"};
    EXPECT_EQ(request.Encode(), Bytes({0x08, 1, 0x12, 3, 'k', 'e', 'y'}));
}

/// Success is the default of field 5 (tag 0x28), so it takes no bytes.
TEST(GrpcMessages, RunGraphResponseBytes)
{
    EXPECT_EQ(RunGraphResponse{}.Encode(), "");
    EXPECT_EQ(RunGraphResponse{13}.Encode(), Bytes({0x28, 13}));
    EXPECT_EQ(RunGraphResponse::Decode("")->statusCode, 0);
    EXPECT_EQ(RunGraphResponse::Decode(Bytes({0x28, 13}))->statusCode, 13);
}

TEST(GrpcMessages, RoundTrip)
{
    for (const int64_t step : {int64_t{0},
                               int64_t{1},
                               int64_t{-1},
                               std::numeric_limits<int64_t>::max(),
                               std::numeric_limits<int64_t>::min()})
    {
        for (const auto& text : {std::string(), std::string("x\0;y", 4), std::string(9999, 'k')})
        {
            const auto run = RunGraphRequest::Decode(RunGraphRequest{step, text}.Encode());
            ASSERT_TRUE(run);
            EXPECT_EQ(run->stepId, step);
            EXPECT_EQ(run->graphHandle, text);
            const auto recv = RecvTensorRequest::Decode(RecvTensorRequest{step, text}.Encode());
            ASSERT_TRUE(recv);
            EXPECT_EQ(recv->stepId, step);
            EXPECT_EQ(recv->rendezvousKey, text);
        }
    }
}

/// dma_ok = 3 (varint), request_id = 7 as another type would be (fixed64), field 9 (fixed32),
/// client_locality = 4 (a message) and field 10 (an empty group) surround the known fields.
TEST(GrpcMessages, UnknownFieldsAreSkipped)
{
    const std::string bytes =
        Bytes({0x18, 1, 0x08, 5, 0x39, 1, 2,    3, 4,    5,    6,    7, 8,  0x4d,
               1,    2, 3,    4, 0x22, 2, 0x08, 9, 0x53, 0x54, 0x12, 1, 'k'});
    const auto request = RecvTensorRequest::Decode(bytes);
    ASSERT_TRUE(request);
    EXPECT_EQ(request->stepId, 5);
    EXPECT_EQ(request->rendezvousKey, "k");
}

TEST(GrpcMessages, MalformedMessagesAreRefused)
{
    const std::string good = RecvTensorRequest{300, "key"}.Encode(); // 08 ac 02 12 03 k e y
    for (const size_t cut : {1, 2, 4, 5, 6, 7})
    {
        EXPECT_FALSE(RecvTensorRequest::Decode(good.substr(0, cut))) << "cut after " << cut;
    }
    // Cut between the two fields it is a message.
    EXPECT_TRUE(RecvTensorRequest::Decode(good.substr(0, 3)));
    EXPECT_FALSE(RecvTensorRequest::Decode(Bytes({0x12, 0xff, 0xff, 0xff, 0xff, 0x0f, 'k'})));
    EXPECT_FALSE(RecvTensorRequest::Decode(Bytes({0x1b}))) << "half a group";
    EXPECT_FALSE(RecvTensorRequest::Decode(Bytes({0x1b, 0x24}))) << "the end of another group";
    EXPECT_FALSE(RecvTensorRequest::Decode(Bytes({0}))) << "field 0";
    EXPECT_FALSE(RecvTensorRequest::Decode(Bytes({0x02, 0}))) << "field 0 of bytes";
    EXPECT_FALSE(RunGraphRequest::Decode(std::string(11, '\xff'))) << "varint too long";
}

/// A string that is not UTF-8 is taken as it is, without a word.
TEST(GrpcMessages, TextOfAnyBytes)
{
    testing::internal::CaptureStderr();
    const auto request = RecvTensorRequest::Decode(RecvTensorRequest{1, "\xff\xc0"}.Encode());
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    ASSERT_TRUE(request);
    EXPECT_EQ(request->rendezvousKey, "\xff\xc0");
}

TEST(GrpcMessages, AsAnotherEncoderWritesThem)
{
    RunGraphRequest request;
    request.stepId = 300;
    request.graphHandle = "batch";
    request.send = {{"b", 0}, {"a", -0.5}};
    EXPECT_EQ(request.Encode(),
              FromHex("0a05626174636810ac021a110a0161120c08023208000000000000e0bf1a110a0162120c0802"
                      "32080000000000000000"));
    RunGraphResponse response;
    response.statusCode = 13;
    response.recv = {{"step", 2}};
    EXPECT_EQ(response.Encode(), FromHex("0a140a0473746570120c080232080000000000000040280d"));
    EXPECT_EQ(RunGraphResponse{-1}.Encode(), FromHex("28ffffffffffffffffff01"));
    EXPECT_EQ((RecvTensorRequest{int64_t{1} << 40, "key"}.Encode()),
              FromHex("0880808080802012036b6579"));
    EXPECT_EQ(RecvTensorResponseHead(65536), FromHex("0a8e80040801120612040880800122808004"));
}

/// step_id -1, with session_handle, exec_opts, recv_key, request_id and more around.
TEST(GrpcMessages, ReadsWhatAnotherEncoderWrites)
{
    const auto request = RunGraphRequest::Decode(
        FromHex("0a05626174636810ffffffffffffffffff011a110a0161120c080232089c7500883ce4377e2201722a"
                "0208014201734801500158808080808020"));
    ASSERT_TRUE(request);
    EXPECT_EQ(request->graphHandle, "batch");
    EXPECT_EQ(request->stepId, -1);
    EXPECT_EQ(request->send, (NamedValues{{"a", 1e300}}));
}

TEST(GrpcMessages, GarbageDoesNotCrash)
{
    std::mt19937 random(1);
    for (int i = 0; i < 20000; ++i)
    {
        std::string bytes(random() % 24, '\0');
        for (char& byte : bytes)
        {
            byte = static_cast<char>(random());
        }
        RunGraphRequest::Decode(bytes);
        RunGraphResponse::Decode(bytes);
        RecvTensorRequest::Decode(bytes);
        RendezvousKey::Decode(bytes);
    }
}

/**
 * 400 bytes are 100 floats: TensorProto is dtype 1 (08 01), shape {dim {size 100}}
 * (12 04 12 02 08 64), tensor_content of 400 = 3 * 128 + 16 bytes (22 90 03): 11 bytes before the
 * content, so field 1 of the response has 411 = 3 * 128 + 27 bytes (0a 9b 03).
 */
TEST(GrpcMessages, RecvTensorResponseHeadBytes)
{
    EXPECT_EQ(RecvTensorResponseHead(400),
              Bytes({0x0a, 0x9b, 3, 0x08, 1, 0x12, 4, 0x12, 2, 0x08, 100, 0x22, 0x90, 3}));
    EXPECT_EQ(RecvTensorResponseSize(400), 414u);
}

/// 3 bytes are no floats: DT_UINT8 (4), one dimension of 3.
TEST(GrpcMessages, RecvTensorResponseHeadOfOddSize)
{
    EXPECT_EQ(RecvTensorResponseHead(3),
              Bytes({0x0a, 13, 0x08, 4, 0x12, 4, 0x12, 2, 0x08, 3, 0x22, 3}));
}

/// No bytes: the dimension of size 0 is an empty message (12 00).
TEST(GrpcMessages, RecvTensorResponseHeadOfNothing)
{
    EXPECT_EQ(RecvTensorResponseHead(0), Bytes({0x0a, 8, 0x08, 1, 0x12, 2, 0x12, 0, 0x22, 0}));
    EXPECT_EQ(RecvTensorResponseSize(0), 10u);
}

/// 4 GB: sizes beyond 32 bits must not wrap. 2^32 content bytes and 2^30 floats take 5-byte
/// varints.
TEST(GrpcMessages, RecvTensorResponseHeadOfHugeTensor)
{
    const uint64_t bytes = uint64_t{1} << 32;
    // 08 01 | 12 08 12 06 08 <5> | 22 <5>: 2 + 10 + 6 = 18; 0a and a 5-byte length before.
    EXPECT_EQ(RecvTensorResponseSize(bytes), bytes + 24);
    EXPECT_EQ(RecvTensorResponseHead(bytes).substr(0, 6),
              Bytes({0x0a, 0x92, 0x80, 0x80, 0x80, 0x10})); // 2^32 + 18
}

TEST(GrpcMessages, RendezvousKeyText)
{
    RendezvousKey key;
    key.source = DeviceName("ps", 0);
    key.incarnation = 0xabc;
    key.destination = DeviceName("worker", 12);
    key.edge = "fc6;weights";
    const std::string text = "/job:ps/replica:0/task:0/device:CPU:0;0000000000000abc;"
                             "/job:worker/replica:0/task:12/device:CPU:0;fc6;weights;0:0";
    EXPECT_EQ(key.Encode(), text);
    const auto back = RendezvousKey::Decode(text);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->source, key.source);
    EXPECT_EQ(back->incarnation, 0xabcu);
    EXPECT_EQ(back->destination, key.destination);
    EXPECT_EQ(back->edge, "fc6;weights");
    EXPECT_EQ(back->Encode(), text);
}

TEST(GrpcMessages, OtherTextIsNoRendezvousKey)
{
    for (const std::string text : {"",
                                   "a",
                                   "a;b;c;d",
                                   "a;0000000000000001;c",
                                   "a;0000000000000001;c;0:0",
                                   "a;1;c;d;0:0",
                                   "a;000000000000000g;c;d;0:0",
                                   "a;0000000000000001;c;d;0",
                                   "a;0000000000000001;c;d;x:0",
                                   "a;0000000000000001;c;d;0:0x"})
    {
        EXPECT_FALSE(RendezvousKey::Decode(text)) << text;
    }
    EXPECT_TRUE(RendezvousKey::Decode("a;0000000000000001;c;d;0:0"));
}

} // namespace
