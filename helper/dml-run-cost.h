/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RUN_COST_H
#define DML_RUN_COST_H

#include "dml-study-case.h"

namespace ns3
{
namespace dml
{

/**
 * @brief What a run is expected to take; a guess for ordering, progress and warnings.
 */
struct RunCost
{
    double packets{0};    //!< TCP segments with data that cross a server's link (packet engine)
    double bytes{0};      //!< payload of all transfers
    double cpuSeconds{0}; //!< on a core of 2020 or so
    double memory{0};     //!< resident bytes
};

/**
 * @param prepared a scenario
 * @param studyCase one of its cases
 * @return its cost
 */
RunCost EstimateCost(const PreparedScenario& prepared, const StudyCase& studyCase);

/// @return bytes of memory that a new process can use without swapping; 0 if unknown
double GetAvailableMemory();

} // namespace dml
} // namespace ns3

#endif /* DML_RUN_COST_H */
