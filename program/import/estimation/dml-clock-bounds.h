/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CLOCK_BOUNDS_H
#define DML_CLOCK_BOUNDS_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/// A message that left one machine and reached another: it bounds the difference of their clocks.
struct ClockMessage
{
    uint32_t sender{0};    //!< number of the machine
    uint32_t receiver{0};  //!< number of the machine
    double sent{0};        //!< not sent before this, seconds on the sender's clock
    double received{0};    //!< received by then, seconds on the receiver's clock
    std::size_t record{0}; //!< what it was, for reports
    double start{0};       //!< recorded start, seconds on the receiver's clock
    double end{0};         //!< recorded end, seconds on the receiver's clock
};

/// What messages say of one machine's clock.
struct ClockBound
{
    double lower{0};  //!< least offset; -infinity if nothing bounds it
    double upper{0};  //!< largest offset; infinity if nothing bounds it
    double offset{0}; //!< a feasible offset: the middle, or the one bound, or 0
};

/**
 * @ingroup dml-import
 * @brief Offsets of clocks that let every message arrive after it was sent.
 */
struct ClockBounds
{
    std::vector<ClockBound> machines; //!< by number; seconds, 0 for the reference
    /// Messages that contradict each other, in a cycle; empty if none do.
    std::vector<std::size_t> conflict;
    /// What each message of the conflict is taken as later than it was, in seconds; 0 without one.
    double relaxation{0};
};

/**
 * @brief Find offsets by difference constraints (Bellman-Ford, of Boost.Graph).
 *
 * The offset of a machine is what its clock shows minus what the reference's clock shows. A message
 * means offset(receiver) - offset(sender) <= received - sent. The shortest paths from the reference
 * are the largest offsets, those to it the least; both solve all constraints, and so does their
 * mean, which is what is returned. If there is no solution, all messages are taken as received
 * later by the same time, the least that leaves one (minimum cycle mean, Howard's algorithm).
 * @param machines number of machines
 * @param reference number of the machine whose offset is 0
 * @param messages what is known
 * @return bounds of each offset, and a solution
 */
ClockBounds BoundClocks(uint32_t machines,
                        uint32_t reference,
                        const std::vector<ClockMessage>& messages);

} // namespace ns3::dml

#endif /* DML_CLOCK_BOUNDS_H */
