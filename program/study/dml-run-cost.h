/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RUN_COST_H
#define DML_RUN_COST_H

#include "dml-study-case.h"

#include <cstddef>
#include <cstdint>
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

} // namespace ns3::dml

#endif /* DML_RUN_COST_H */
