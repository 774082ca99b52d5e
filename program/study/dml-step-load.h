/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STEP_LOAD_H
#define DML_STEP_LOAD_H

#include "ns3/dml-prepared-scenario.h"

#include <cstdint>

namespace ns3::dml
{

/// Bytes that an op takes in an executor.
inline constexpr double BYTES_PER_OP = 64;
/// Bytes that the process takes without any worker.
inline constexpr double BASE_BYTES = 30e6;

/// What a step of one worker has to do.
struct StepLoad
{
    double ops{0};       //!< all of them
    double transfers{0}; //!< messages with a tensor
    double bytes{0};     //!< of these
    double turns{0};     //!< chunks in which they go over links in the fair-share engine
    double channels{0};  //!< on which the worker, and servers to it, send

    /// @return chunks of the fair-share engine
    double GetChunks() const
    {
        return ops - transfers + turns;
    }
};

/// @param job of a scenario @param workers that it has @return what its steps have to do
StepLoad MakeLoad(const PreparedJob& job, uint32_t workers);

/// @param prepared a scenario @param workers of its first job @return seconds that a step of that
/// job takes, roughly
double GuessStep(const PreparedScenario& prepared, uint32_t workers);

/// @param prepared a scenario @return bytes that a run has in any engine for the samples of its
/// first job, and for what is measured of its links
double GetSampleBytes(const PreparedScenario& prepared);

} // namespace ns3::dml

#endif /* DML_STEP_LOAD_H */
