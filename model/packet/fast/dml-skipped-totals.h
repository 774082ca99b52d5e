/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SKIPPED_TOTALS_H
#define DML_SKIPPED_TOTALS_H

#include <cstdint>

namespace ns3
{
namespace dml
{

/// What FastForward has left out of a run.
struct SkippedTotals
{
    double seconds{0}; //!< of the model's time
    uint64_t bytes{0}; //!< of messages
    uint64_t skips{0}; //!< how often
};

} // namespace dml
} // namespace ns3

#endif /* DML_SKIPPED_TOTALS_H */
