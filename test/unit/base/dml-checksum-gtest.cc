/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-checksum.h"

#include <gtest/gtest.h>

using namespace ns3::dml;

TEST(DmlMakeChecksum, IsFnv1a)
{
    // Test vectors of draft-eastlake-fnv.
    EXPECT_EQ(MakeChecksum(""), "cbf29ce484222325");
    EXPECT_EQ(MakeChecksum("a"), "af63dc4c8601ec8c");
    EXPECT_EQ(MakeChecksum("foobar"), "85944171f73967e8");
}
