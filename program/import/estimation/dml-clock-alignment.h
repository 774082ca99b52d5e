/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CLOCK_ALIGNMENT_H
#define DML_CLOCK_ALIGNMENT_H

#include "ns3/dml-recorded-transfer.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/// How a machine's clock differs from the reference's.
struct MachineClock
{
    std::string machine; //!< its name
    /// What its clock shows minus what the reference's shows at the same time, ns.
    int64_t offset{0};
    /// Offset at least and at most, by messages that cannot arrive before they are sent; UNKNOWN if
    /// nothing bounds it.
    int64_t lower{RecordedTransfer::UNKNOWN};
    int64_t upper{RecordedTransfer::UNKNOWN}; //!< see lower
    /// Whether receive times told the offset; false: it is 0 if that is possible, else the middle
    /// of the interval, or the only bound.
    bool pinned{false};
    bool kept{false}; //!< whether the clock is left as it is, since it may be right
};

/**
 * @ingroup dml-import
 * @brief Offsets of the clocks of machines, and how well they are known.
 */
struct ClockAlignment
{
    std::vector<MachineClock> machines; //!< reference first, the others by name
    std::size_t families{0};            //!< families with at least two transfers
    std::size_t messages{0};            //!< transfers whose completion at the sender is known
    double objective{0};                //!< least sum of variances, s^2
    double objectiveAtMiddle{0};        //!< the same in the middle of the intervals, s^2
    /// What was assumed and what cannot be told, one sentence each, with numbers.
    std::vector<std::string> rules;
    /// Records that contradict each other whatever the offsets, one sentence each.
    std::vector<std::string> warnings;
};

/**
 * @brief Align the clocks of the machines that recorded transfers, as dPRO does.
 *
 * Minimises the sum over families of the variance of the receive times, where the receive time of a
 * transfer is its end minus the later of its recorded start and the time when it was complete at
 * the sender, so that it depends on the offsets where the sender was late. A family is a tensor
 * between two machines in all steps; if no family has two members, all tensors of one size between
 * two machines are one. No transfer may end before it was complete at the sender. Source: dPRO
 * (MLSys 2022), section 4.2, without its term for machines that share a host.
 *
 * BoundClocks() gives each offset an interval and a start; the objective is searched along each
 * offset on a grid and refined by NLopt's COBYLA. The objective is flat where every sender was in
 * time, so an offset is moved from the middle of its interval only if the families that touch its
 * machine make that more likely, by a deviance above 10: see GetClockDeviance() and
 * MachineClock::pinned. (If it is as good as the middle, the ends must be less likely by that.)
 *
 * Of the others, a clock is left as it is if it may be right, given those before it: half an
 * interval says nothing against an offset of 0, and moving a clock that is right makes every
 * transfer wrong by as much. The rest are put into the middle of what is left them.
 * @param transfers records
 * @param reference machine whose clock is right; empty: the receiver of the first downlink, or of
 * the first record if there is none
 * @return the offsets
 * @throws InputError if the reference is no machine of the records, or times are centuries apart
 */
ClockAlignment AlignClocks(const std::vector<RecordedTransfer>& transfers,
                           const std::string& reference = "");

/**
 * @brief Bring all times of all records to the reference's clock.
 * @param[in,out] transfers records
 * @param alignment of the same machines; others stay as they are
 * @throws InputError if a time would not fit
 */
void ApplyClocks(std::vector<RecordedTransfer>& transfers, const ClockAlignment& alignment);

} // namespace ns3::dml

#endif /* DML_CLOCK_ALIGNMENT_H */
