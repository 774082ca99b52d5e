/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-case-result.h"

#include <gtest/gtest.h>

using namespace ns3::dml;

// A chunk with a value of its own for everything that it has.
TEST(DmlCaseResult, KeepsChunks)
{
    const Resource channel{ResourceKind::CHANNEL, {Role::SERVER, 7}, {Role::WORKER, 8}, 9};
    CaseResult result;
    result.timeline.emplace();
    result.timeline->chunks.push_back({1, 2, 3, true, channel, 1ULL << 40, 0.1, 1.0 / 3});
    const auto chunks = UnpackCaseResult(PackCaseResult(result)).timeline->chunks;
    ASSERT_EQ(chunks.size(), 1u);
    EXPECT_EQ(chunks[0].worker, 1u);
    EXPECT_EQ(chunks[0].step, 2u);
    EXPECT_EQ(chunks[0].op, 3u);
    EXPECT_TRUE(chunks[0].parse);
    EXPECT_EQ(chunks[0].resource.kind, ResourceKind::CHANNEL);
    EXPECT_EQ(chunks[0].resource.at, (Endpoint{Role::SERVER, 7}));
    EXPECT_EQ(chunks[0].resource.to, (Endpoint{Role::WORKER, 8}));
    EXPECT_EQ(chunks[0].resource.index, 9u);
    EXPECT_EQ(chunks[0].bytes, 1ULL << 40);
    EXPECT_EQ(chunks[0].start, 0.1);
    EXPECT_EQ(chunks[0].end, 1.0 / 3);
}

// As CBOR: 9 bytes for each of three long numbers, 1 for each of ten small ones, 1 for the list of
// these; 8 more for the length of the whole. Names would take 89 for each chunk besides.
TEST(DmlCaseResult, PacksChunksAsNumbers)
{
    CaseResult result;
    result.timeline.emplace();
    const std::size_t empty = PackCaseResult(result).size();
    constexpr std::size_t CHUNKS = 1000;
    result.timeline->chunks.assign(CHUNKS, {1, 2, 3, false, {}, 1ULL << 40, 0.1, 1.0 / 3});
    EXPECT_LE(PackCaseResult(result).size(), empty + 8 + CHUNKS * (3 * 9 + 10 + 1));
}
