/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PROFILE_READER_LIMITS_H
#define DML_PROFILE_READER_LIMITS_H

#include <cstdint>

namespace ns3::dml
{

/// Longest op of one step, in seconds: sums over a run stay far from the end of 64 bits of
/// nanoseconds.
constexpr double MAX_OP_SECONDS = 1000000;
/// What an op's duration may be, for error messages.
constexpr const char* SECONDS_FORM = "a number of seconds from 0 to 1000000";
/// Largest number of samples per step.
constexpr uint64_t MAX_BATCH = 1000000000;
/// Largest tensor, in bytes (1 TiB): sums over a model stay far from the end of 64 bits.
constexpr uint64_t MAX_TENSOR_BYTES = uint64_t{1} << 40U;

} // namespace ns3::dml

#endif /* DML_PROFILE_READER_LIMITS_H */
