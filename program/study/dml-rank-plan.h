/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RANK_PLAN_H
#define DML_RANK_PLAN_H

#include "ns3/dml-prepared-scenario.h"

#include <cstdint>

namespace ns3::dml
{

/**
 * @brief Check that the runs of a scenario can be split over ranks.
 * @param prepared the scenario
 * @param workers number of workers of `job`
 * @param ranks processes that may be used, at least 1
 * @return how many are of use, 1 to @p ranks (RankAssignment)
 * @throws InputError if a link between ranks has no delay, or the scenario asks for a file that
 * only one process can write
 */
uint32_t PlanRanks(const PreparedScenario& prepared, uint32_t workers, uint32_t ranks);

} // namespace ns3::dml

#endif /* DML_RANK_PLAN_H */
