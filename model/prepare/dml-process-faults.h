/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PROCESS_FAULTS_H
#define DML_PROCESS_FAULTS_H

#include "ns3/dml-crash-meter.h"
#include "ns3/dml-host-names.h"
#include "ns3/dml-process-fault-spec.h"
#include "ns3/dml-training-run.h"

#include <map>
#include <optional>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-prepare
 * @brief Let faults happen to the workers and servers of runs.
 *
 * A slow-down multiplies the speed that all devices of a worker, or a server, have at the time;
 * several at one time multiply each other. It leaves the shares of processor and memory as they
 * are: nobody can see it coming. A server's crash ends the sessions of all workers, which come back
 * with it. A worker's crash is one of all workers where there are no servers,
 * as workers wait for each other, unless the run is elastic. Names that the runs do not have are
 * passed over.
 *
 * @param faults what happens, as CheckScenario() accepts it
 * @param runs of all jobs, the first one first; get speeds and crashes on top of what they have
 */
void ApplyProcessFaults(const std::vector<ProcessFaultSpec>& faults,
                        std::vector<TrainingRun>& runs);

/**
 * @brief Crashes of servers of the first job.
 * @param faults likewise
 * @param jobs sizes of all jobs
 * @param checkpoint how often parameters are saved; none: never
 * @return them, by time
 */
std::vector<ServerCrash> ListServerCrashes(const std::vector<ProcessFaultSpec>& faults,
                                           const std::vector<JobSize>& jobs,
                                           const std::optional<Time>& checkpoint);

/// @param faults likewise @param jobs sizes of all jobs @return crashes of workers of the first one
std::vector<WorkerCrash> ListCrashes(const std::vector<ProcessFaultSpec>& faults,
                                     const std::vector<JobSize>& jobs);

/**
 * @brief When workers of the first job crash for the first time.
 * @param faults as for ListCrashes()
 * @param jobs sizes of all jobs
 * @return s, by worker; those that never crash are not in it
 */
std::map<uint32_t, double> ListFirstCrashes(const std::vector<ProcessFaultSpec>& faults,
                                            const std::vector<JobSize>& jobs);

} // namespace ns3::dml

#endif /* DML_PROCESS_FAULTS_H */
