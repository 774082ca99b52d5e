/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_IMPORT_LIMITS_H
#define DML_IMPORT_LIMITS_H

#include <cstdint>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief What the importers accept at most: what a native profile may hold, and sums that stay in
 * range.
 */
namespace importlimit
{

constexpr uint64_t TENSOR_BYTES = uint64_t{1} << 40U;  //!< largest tensor: 1 TiB
constexpr int64_t LENGTH_NS = 1'000'000'000'000'000;   //!< longest event: 10^6 s
constexpr int64_t TIME_NS = 4'000'000'000'000'000'000; //!< latest time: sums of two fit 64 bits
constexpr uint32_t RECORD_BYTES = uint32_t{64} * 1024 * 1024; //!< largest record of one node

} // namespace importlimit

} // namespace ns3::dml

#endif /* DML_IMPORT_LIMITS_H */
