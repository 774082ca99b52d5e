/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-torch-bucket-match.h"

#include <gtest/gtest.h>

using namespace ns3::dml;

namespace
{

using Buckets = std::vector<uint32_t>;

} // namespace

TEST(DmlMatchGradients, AreInTheBucketThatIsAskedForWhenTheyAreComplete)
{
    EXPECT_EQ(MatchGradients({{10, 0}, {20, 0}, {5, 1}}, {30, 5}), (Buckets{0, 0, 1}));
}

// DLRM: the top layers' last two gradients come before the embedding's, whose bucket is asked for
// first, and are reduced with the bottom layers'.
TEST(DmlMatchGradients, MayWaitForALaterBucket)
{
    EXPECT_EQ(MatchGradients({{4, 0}, {1024, 0}, {2048, 1}, {751616, 1}, {448, 1}, {64, 2}, {8, 2}},
                             {1028, 448, 2048 + 751616 + 64 + 8}),
              (Buckets{0, 0, 2, 2, 1, 2, 2}));
    // The last one may wait, too, and of two of the same size the later one does.
    EXPECT_EQ(MatchGradients({{100, 0}, {384, 0}, {7, 0}, {384, 0}, {30, 1}}, {491, 414}),
              (Buckets{0, 0, 0, 1, 1}));
}

TEST(DmlMatchGradients, AreInNoBucketIfTheyAreNotReduced)
{
    EXPECT_EQ(MatchGradients({{100, 0}, {30, 1}, {200, 2}}, {100, 30}), (Buckets{0, 1, 2}));
    EXPECT_EQ(MatchGradients({{100, 0}, {77, 0}, {30, 1}}, {100, 30}), (Buckets{0, 2, 1}));
}

TEST(DmlMatchGradients, AreByTimeWhereBytesDoNotComeOutRight)
{
    EXPECT_EQ(MatchGradients({{100, 0}, {77, 0}, {30, 1}, {9, 2}}, {101, 30}),
              (Buckets{0, 0, 1, 1}));
    EXPECT_EQ(MatchGradients({{100, 0}, {30, 1}}, {0, 0}), (Buckets{0, 1}));
    EXPECT_EQ(MatchGradients({{0, 0}, {0, 2}}, {8, 8}), (Buckets{0, 1}));
    EXPECT_EQ(MatchGradients({}, {8}), Buckets());
}
