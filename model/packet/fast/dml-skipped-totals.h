/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SKIPPED_TOTALS_H
#define DML_SKIPPED_TOTALS_H

#include <algorithm>
#include <cstdint>

namespace ns3::dml
{

/// What FastForward has left out of a run, and how far off it was where it looked.
struct SkippedTotals
{
    double seconds{0};      //!< of the model's time
    uint64_t bytes{0};      //!< of messages
    uint64_t skips{0};      //!< how often
    uint64_t states{0};     //!< sets of senders whose rates are known
    uint64_t checks{0};     //!< skips that were simulated instead, and compared
    double checkedBytes{0}; //!< of TCP's streams, expected in them
    double wrongBytes{0};   //!< differences from these, without sign
    double largestError{0}; //!< of a connection's rate in them, part of it

    /// @param other of another run, added to this
    void Add(const SkippedTotals& other)
    {
        seconds += other.seconds;
        bytes += other.bytes;
        skips += other.skips;
        states += other.states;
        checks += other.checks;
        checkedBytes += other.checkedBytes;
        wrongBytes += other.wrongBytes;
        largestError = std::max(largestError, other.largestError);
    }

    /// @return mean error of a connection's rate, part of it; 0 without checks
    double GetMeanError() const
    {
        return checkedBytes > 0 ? wrongBytes / checkedBytes : 0;
    }
};

} // namespace ns3::dml

#endif /* DML_SKIPPED_TOTALS_H */
