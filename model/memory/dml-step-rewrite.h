/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STEP_REWRITE_H
#define DML_STEP_REWRITE_H

#include "dml-memory-timeline.h"

#include "ns3/dml-profile.h"

namespace ns3::dml
{

/**
 * @ingroup dml-memory
 * @brief The profile of a worker that recomputes or accumulates, for engines to run.
 *
 * Ops that run again are backward ops, each behind the one that ran before it; what needs what they
 * keep waits for them. In all passes but the last one, ops have names of their own; a pass begins
 * when the one before it has ended, and pushes wait for the last one, as with `no_sync()` of
 * PyTorch's DistributedDataParallel. An op takes its time divided by the number of passes, but
 * adding up a gradient takes as long in each. What ops hold is not in it: that was for the step as
 * it was.
 *
 * @param profile a valid one
 * @param pass ops in the order in which they run in a pass (ForecastMemory()), some again
 * @param passes of a step, at least 1
 * @return a valid one, with the same transfers and updates
 */
Profile RewriteStep(const Profile& profile, const MemoryTimeline& pass, uint32_t passes);

} // namespace ns3::dml

#endif /* DML_STEP_REWRITE_H */
