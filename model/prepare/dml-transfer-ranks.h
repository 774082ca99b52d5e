/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRANSFER_RANKS_H
#define DML_TRANSFER_RANKS_H

#include "ns3/dml-profile.h"
#include "ns3/dml-step-plan.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/// Which transfers have a place in an order.
enum class RankedTransfers
{
    PULLS,           //!< pushes go as they become ready
    PULLS_AND_PUSHES //!< a push has the rank of its tensor's pull; without one, it comes last
};

/// @param profile whose step it is @param pulls of it, first one first @return rank of each tensor;
/// NO_INDEX: it has none
std::vector<uint32_t> RankTensors(const Profile& profile, const std::vector<OpIndex>& pulls);

/**
 * @param plan of a whole step
 * @param profile whose step it is
 * @param pulls of the profile, first one first
 * @param which transfers have a rank
 * @return StepPlan::ranks
 */
std::vector<uint32_t> RankTransfers(const StepPlan& plan,
                                    const Profile& profile,
                                    const std::vector<OpIndex>& pulls,
                                    RankedTransfers which);

/**
 * @brief When each gradient is ready if the network takes no time.
 *
 * The fair-share engine runs one step of one worker: ops take the mean of their measured seconds,
 * transfers nothing. So queues on devices, and the parsing of pulls, count as they do in a run.
 * Source: c(i) of Zhang et al., "Prophet", ICPP 2021, which its authors profile in the job's first
 * steps.
 * @param plan of a whole step
 * @return StepPlan::generated: seconds from the start of the step, -1 for what is no push
 */
std::vector<double> PredictGradients(const StepPlan& plan);

} // namespace ns3::dml

#endif /* DML_TRANSFER_RANKS_H */
