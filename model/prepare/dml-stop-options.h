/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STOP_OPTIONS_H
#define DML_STOP_OPTIONS_H

#include "dml-prepared-scenario.h"

#include "ns3/dml-stop-rule.h"

namespace ns3::dml
{

/**
 * @ingroup dml-prepare
 * @brief What a scenario schedules beside the steps of its jobs, as far as its times are known
 * beforehand; s from the start of a run. Each is 0 if there is nothing.
 */
struct ScheduledChanges
{
    /// When the last thing has happened: faults that begin and end, crashes, background flows that
    /// start and stop, workers of any job that start.
    double last{0};
    /// When the last change begins that stays: faults and crashes without an end, flows that do not
    /// stop, workers of any job that start.
    double lasting{0};
    /// Longest time, s, in which what recurs comes once, in the mean where that is drawn: repeats
    /// of speed traces, changes and spikes of speeds, on and off of flows that do not stop.
    double period{0};
};

/// @param scenario a scenario @param workers of its `job` @return what it schedules
ScheduledChanges FindScheduledChanges(const Scenario& scenario, uint32_t workers);

/**
 * @param prepared a scenario with `job.steps: auto`
 * @param window workers, and what of the run is measured
 * @return what the run is to know before it stops: its target, all samples of a profile that it
 * replays in a given order, and all that is scheduled
 */
StopRule::Options MakeStopOptions(const PreparedScenario& prepared,
                                  const StepWindow::Options& window);

} // namespace ns3::dml

#endif /* DML_STOP_OPTIONS_H */
