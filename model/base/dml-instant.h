/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_INSTANT_H
#define DML_INSTANT_H

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ns3::dml
{

/// Instants per second: events closer than about 15 ps are simultaneous.
constexpr double INSTANTS_PER_SECOND = 68719476736.0; // 2^36

/// Seconds up to which instants are told apart: about three years.
constexpr double LAST_INSTANT_SECONDS = 1e8;

/**
 * @brief The instant in which a time lies.
 *
 * Times are sums of durations, so two that are equal on paper may differ in their last bits. Where
 * rules speak of simultaneous events (ties), instants are compared; times themselves are never
 * rounded, so no error adds up. A double tells instants apart well up to some minutes: count from
 * an origin that is not longer ago.
 * @param seconds a time
 * @return number of the instant; all times after LAST_INSTANT_SECONDS are one instant
 */
inline int64_t
InstantOf(double seconds)
{
    return std::llrint(std::min(seconds, LAST_INSTANT_SECONDS) * INSTANTS_PER_SECOND);
}

} // namespace ns3::dml

#endif /* DML_INSTANT_H */
