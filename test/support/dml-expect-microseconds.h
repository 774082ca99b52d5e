/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_EXPECT_MICROSECONDS_H
#define DML_EXPECT_MICROSECONDS_H

#include <cstddef>
#include <gtest/gtest.h>
#include <vector>

/// @param seconds that were found @param microseconds that are expected, as many
inline void
ExpectNear(const std::vector<double>& seconds, const std::vector<double>& microseconds)
{
    ASSERT_EQ(seconds.size(), microseconds.size());
    for (std::size_t i = 0; i < seconds.size(); ++i)
    {
        EXPECT_NEAR(seconds[i] * 1e6, microseconds[i], 1e-6) << i;
    }
}

#endif /* DML_EXPECT_MICROSECONDS_H */
