/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TIME_RANK_H
#define DML_TIME_RANK_H

#include <cstdint>
#include <cstring>

namespace ns3::dml
{

/**
 * @ingroup dml-fairshare
 * @brief An integer in place of a time, which compares as the time does, and faster: the bits of an
 * IEEE 754 number, those of a negative one but for its sign inverted.
 * @param time seconds, no NaN
 * @return its rank
 */
inline int64_t
RankOf(double time)
{
    static_assert(sizeof(double) == sizeof(int64_t));
    int64_t bits = 0;
    std::memcpy(&bits, &time, sizeof(bits));
    return bits < 0 ? bits ^ INT64_MAX : bits;
}

/// @param rank of a time @return the time, seconds
inline double
TimeOf(int64_t rank)
{
    const int64_t bits = rank < 0 ? rank ^ INT64_MAX : rank;
    double time = 0;
    std::memcpy(&time, &bits, sizeof(time));
    return time;
}

} // namespace ns3::dml

#endif /* DML_TIME_RANK_H */
