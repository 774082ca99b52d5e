/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-quantiles.h"

#include <gtest/gtest.h>

using namespace ns3::dml;

// Of any table: 95 % of Student's t distribution with 1, 4 and 30 degrees of freedom, 99 % with 4.
TEST(Quantiles, StudentsAreThoseOfTables)
{
    EXPECT_NEAR(GetStudentQuantile(1), 12.7062047, 1e-6);
    EXPECT_NEAR(GetStudentQuantile(4), 2.7764451, 1e-6);
    EXPECT_NEAR(GetStudentQuantile(30), 2.0422725, 1e-6);
    EXPECT_NEAR(GetStudentQuantile(4, 0.99), 4.6040949, 1e-6);
}

TEST(Quantiles, NormalsAreThoseOfTables)
{
    EXPECT_DOUBLE_EQ(GetNormalQuantile(0.5), 0);
    EXPECT_NEAR(GetNormalQuantile(0.975), 1.9599640, 1e-6);
    EXPECT_NEAR(GetNormalQuantile(0.001), -3.0902323, 1e-6);
}
