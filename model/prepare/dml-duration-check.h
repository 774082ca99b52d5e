/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_DURATION_CHECK_H
#define DML_DURATION_CHECK_H

#include "dml-job-devices.h"

#include "ns3/dml-step-plan.h"

namespace ns3::dml
{

/**
 * @brief Refuse what lets an op take longer than MAX_OP_SECONDS, or through more than MOST_PHASES
 * changes of speed, as far as the scenario says so: overheads, devices whose speed stays or is
 * drawn from limits, and slowdowns for good. The engines refuse the rest in the run.
 * @param scenario the scenario
 * @param index of the job, 0 for the one that is studied
 * @param plan of its step, parsing included
 * @param devices of the job
 * @throws InputError that names the key
 */
void CheckDurations(const Scenario& scenario,
                    uint32_t index,
                    const StepPlan& plan,
                    const JobDevices& devices);

} // namespace ns3::dml

#endif /* DML_DURATION_CHECK_H */
