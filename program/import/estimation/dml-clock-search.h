/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CLOCK_SEARCH_H
#define DML_CLOCK_SEARCH_H

#include <cstddef>
#include <cstdint>
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

/// Messages between two machines, at least two, whose receive times should be the same.
using ClockFamily = std::vector<ClockMessage>;

/**
 * @ingroup dml-import
 * @brief What AlignClocks() minimises.
 * @param families of messages
 * @param offsets of the machines in seconds, by number
 * @return sum of the variances of the families' receive times, s^2
 */
double GetReceiveVariance(const std::vector<ClockFamily>& families,
                          const std::vector<double>& offsets);

/**
 * @brief Tell how much more likely some offsets are than others by what touches one machine.
 *
 * Of each family of n members the deviance, (n - 1) ln(variance before / variance after): the
 * log-likelihood ratio, twice, of normal receive times whose variance is unknown. So a family
 * whose receive times vary for another reason takes nothing from one that tells the offset.
 * @param families of messages
 * @param machine its number
 * @param before offsets in seconds, by number
 * @param after as above
 * @return sum of deviances, positive if @p after is more likely
 */
double GetClockDeviance(const std::vector<ClockFamily>& families,
                        uint32_t machine,
                        const std::vector<double>& before,
                        const std::vector<double>& after);

/**
 * @brief Search for the offsets that make GetReceiveVariance() least and let all messages arrive
 * after they were sent.
 *
 * It is neither smooth nor convex, so first each offset in turn is tried on a grid over
 * its interval until nothing gets better, then NLopt's COBYLA refines all of them.
 * @param families of messages
 * @param messages the constraints
 * @param bounds of the offsets; an offset that is bounded on one side only is searched for as far
 * from there as the longest transfer may have waited
 * @param start offsets to start from, by number of the machine, the first one fixed
 * @return the best offsets found; @p start if there are none better
 */
std::vector<double> MinimiseClocks(const std::vector<ClockFamily>& families,
                                   const std::vector<ClockMessage>& messages,
                                   const ClockBounds& bounds,
                                   const std::vector<double>& start);

} // namespace ns3::dml

#endif /* DML_CLOCK_SEARCH_H */
