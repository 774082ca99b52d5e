/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STOP_OPTIONS_H
#define DML_STOP_OPTIONS_H

#include "dml-prepared-scenario.h"

#include "ns3/dml-stop-rule.h"

namespace ns3
{
namespace dml
{

/**
 * @param scenario a scenario
 * @return s from the start of a run until the last thing that it schedules has happened: faults
 * that begin and end, crashes, background flows that start and stop, one repeat of a trace of
 * speeds, workers that start; 0 if there is nothing
 */
double GetLastChange(const Scenario& scenario);

/**
 * @param prepared a scenario with `job.steps: auto`
 * @param window workers, and what of the run is measured
 * @return what the run is to know before it stops: its target, all samples of a profile that it
 * replays in a given order, and all that is scheduled
 */
StopRule::Options MakeStopOptions(const PreparedScenario& prepared,
                                  const StepWindow::Options& window);

} // namespace dml
} // namespace ns3

#endif /* DML_STOP_OPTIONS_H */
