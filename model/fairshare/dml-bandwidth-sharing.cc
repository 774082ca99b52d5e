/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-bandwidth-sharing.h"

#include <cmath>

namespace ns3
{
namespace dml
{

double
SnapTime(double seconds)
{
    constexpr double GRID = 1099511627776.0; // 2^40
    // beyond 2^52 grid points a double has no fraction left to round
    constexpr double LIMIT = 4096.0;
    return seconds < LIMIT ? std::nearbyint(seconds * GRID) * (1 / GRID) : seconds;
}

} // namespace dml
} // namespace ns3
