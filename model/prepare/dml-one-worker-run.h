/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ONE_WORKER_RUN_H
#define DML_ONE_WORKER_RUN_H

#include "ns3/dml-run-observer.h"
#include "ns3/dml-training-run.h"

#include <memory>

namespace ns3::dml
{

/**
 * @ingroup dml-prepare
 * @brief A run of one worker that starts at 0, first in, first out, without flow control.
 * @param plan the whole step
 * @param samples profiled steps; it replays each of them once, in order
 * @return the run, to be changed as needed
 */
TrainingRun MakeOneWorkerRun(std::shared_ptr<const StepPlan> plan, uint32_t samples);

/**
 * @ingroup dml-prepare
 * @brief Run one worker that has a network for itself, by the fair-share engine.
 * @param run what to run, with one worker
 * @param bytesPerSecond rate of tensors on every link in each direction, above 0
 * @param oneWayDelay seconds between the last byte sent and received
 * @param observer told of everything; may be null
 * @return when it ended, s
 */
double RunOneWorker(TrainingRun run,
                    double bytesPerSecond,
                    double oneWayDelay,
                    RunObserver* observer);

} // namespace ns3::dml

#endif /* DML_ONE_WORKER_RUN_H */
