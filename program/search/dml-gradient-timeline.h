/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GRADIENT_TIMELINE_H
#define DML_GRADIENT_TIMELINE_H

#include "ns3/dml-recorded-job.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/// A gradient of a step.
struct TimedGradient
{
    std::string tensor; //!< whose
    uint64_t bytes{0};  //!< size
    double ready{0};    //!< when the last worker has it, seconds from the step's beginning
};

/**
 * @ingroup dml-search
 * @brief When the gradients of a step are there, and how long it takes to reduce some bytes:
 * latency + bytes / rate, fitted by least squares to the collectives of a run.
 */
struct GradientTimeline
{
    std::vector<TimedGradient> gradients; //!< in the order in which they are ready
    double latency{0};                    //!< s, of a collective without bytes
    double secondsPerByte{0};             //!< more for each byte
    double error{0};                      //!< largest error of the fit, over the longest collective

    /// @param bytes of a collective @return seconds that it takes
    double GetSyncSeconds(uint64_t bytes) const
    {
        return latency + secondsPerByte * static_cast<double>(bytes);
    }

    /// @param groups ends of groups in `gradients`, each one behind its last, in order
    /// @return when the last of them is reduced, one after the other, s
    double GetEnd(const std::vector<std::size_t>& groups) const;
};

/**
 * @param job a run in which each gradient is reduced alone, one after the other
 * @param tensors names of the tensors, by op of the job; empty: it is no push
 * @return its timeline, mean over steps
 * @throws InputError if it has no collectives
 */
GradientTimeline MakeTimeline(const RecordedJob& job, const std::vector<std::string>& tensors);

/**
 * @brief Groups by Theorem 2 of dPRO (Hu et al., MLSys 2022, section 5.1), from the first gradient
 * to the last one: a gradient joins the group before it if that would still be under way when it is
 * ready, by more than what reducing both together takes longer than this one alone.
 * @param timeline of a step
 * @return ends of groups
 */
std::vector<std::size_t> FuseByTheorem(const GradientTimeline& timeline);

/**
 * @brief The groups of neighbours with which the last gradient is reduced earliest: dynamic
 * programming over the ends of groups, the optimum of this model; of equal ones, the one with
 * fewest groups.
 * @param timeline of a step
 * @return ends of groups
 */
std::vector<std::size_t> FuseOptimally(const GradientTimeline& timeline);

} // namespace ns3::dml

#endif /* DML_GRADIENT_TIMELINE_H */
