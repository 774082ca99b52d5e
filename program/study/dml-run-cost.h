/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RUN_COST_H
#define DML_RUN_COST_H

#include "dml-study-case.h"

#include "ns3/dml-fair-share-network.h"
#include "ns3/dml-stopwatch.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ns3::dml
{

/**
 * @brief What a run is expected to take; a guess for ordering, progress and warnings.
 */
struct RunCost
{
    double segments{0};    //!< TCP segments with data, each counted once (packet engine)
    double linkPackets{0}; //!< packets on links: segments and ACKs, on each link of their way
    double events{0};      //!< of the engine's event loop
    double bytes{0};       //!< payload of all transfers of the first job
    double cpuSeconds{0};  //!< on a core of a server of 2023 or so
    double memory{0};      //!< resident bytes
};

/**
 * @param prepared a scenario
 * @param studyCase one of its cases
 * @return its cost
 */
RunCost EstimateCost(const PreparedScenario& prepared, const StudyCase& studyCase);

/// @param prepared a scenario @param studyCase one of its cases @param forced sharing rule; none:
/// as the scenario says @return EstimateCost() of the fair-share engine, without the trace
RunCost EstimateFairShareCost(const PreparedScenario& prepared,
                              const StudyCase& studyCase,
                              std::optional<SharingRule> forced = std::nullopt);

/// @param prepared a scenario @param studyCase one of its cases @return EstimateCost() of the
/// packet engine, without the trace
RunCost EstimatePacketCost(const PreparedScenario& prepared, const StudyCase& studyCase);

/**
 * @brief Measure how fast this machine, with this build of ns-3, simulates the TCP of a network.
 *
 * It takes about a tenth of a second, once for networks whose TCP costs the same.
 * EstimatePacketCost() does so for runs that take seconds; those that are shorter it estimates by a
 * constant, which may be several times off, unless this was called for their network.
 * @param network any
 */
void MeasurePacketSpeed(const NetworkSpec& network);

/**
 * @param cpuSeconds of runs, in the order in which they are started
 * @param jobs runs at a time
 * @return wall-clock seconds that all take if nothing else runs on this machine
 */
double EstimateWall(const std::vector<double>& cpuSeconds, uint32_t jobs);

/// @param variants of which plots are drawn @return CPU seconds, and as many on the clock
double EstimateDrawing(std::size_t variants);

/// @return bytes of memory that a new process can use without swapping; 0 if unknown
double GetAvailableMemory();

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

#endif /* DML_RUN_COST_H */
