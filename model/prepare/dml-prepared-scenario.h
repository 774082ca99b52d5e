/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PREPARED_SCENARIO_H
#define DML_PREPARED_SCENARIO_H

#include "dml-job-devices.h"
#include "dml-profile-cache.h"

#include "ns3/dml-goodput.h"
#include "ns3/dml-one-worker-profile.h"
#include "ns3/dml-scenario.h"
#include "ns3/dml-step-plan.h"
#include "ns3/dml-topology-builder.h"
#include "ns3/dml-training-run.h"

#include <memory>
#include <vector>

namespace ns3
{
namespace dml
{

/// A training job of a scenario, ready to run.
struct PreparedJob
{
    JobSpec spec;                           //!< as the scenario has it
    std::shared_ptr<const Profile> profile; //!< what was measured
    std::shared_ptr<const StepPlan> plan;   //!< its step
    JobDevices devices;                     //!< what workers and servers compute on
    OneWorkerMeans oneWorker;               //!< means of the run of one worker like the first
};

/**
 * @ingroup dml-helper
 * @brief A scenario with its profiles read and its steps planned: what all its runs share.
 */
struct PreparedScenario
{
    Scenario scenario;             //!< the question
    std::vector<PreparedJob> jobs; //!< the first is studied, the others share the network with it
    uint32_t mtu{1500};            //!< the smallest of all links, so that of every TCP packet
    WireFormat format{};           //!< of a full packet of that MTU
    double goodput{0};             //!< payload rate of a link of network.rate, bytes/s

    /// @return the job that is studied
    const PreparedJob& GetJob() const
    {
        return jobs.front();
    }
};

/**
 * @brief Read the profiles and check everything that can be checked before a run.
 * @param scenario a scenario as ReadScenario() gives it
 * @param packet whether the packet engine will run it too
 * @param profiles those that have been read, for many scenarios with the same one; or null
 * @return the prepared scenario
 * @throws InputError that says where and what
 */
PreparedScenario PrepareScenario(const Scenario& scenario,
                                 bool packet,
                                 ProfileCache* profiles = nullptr);

/**
 * @brief The same work for both engines: samples, start offsets and windows are drawn here.
 * @param prepared the scenario
 * @param workers number of workers of the first job
 * @param replication number of the replication, from 0
 * @return a run for each job
 */
std::vector<TrainingRun> MakeTrainingRuns(const PreparedScenario& prepared,
                                          uint32_t workers,
                                          uint32_t replication);

/**
 * @brief What the fair-share engine makes of a run: where windows grow, they are grown.
 * @param transfer of the scenario
 * @param runs as MakeTrainingRuns() gives them
 * @return runs whose windows do not change
 */
std::vector<TrainingRun> SettleWindows(const TransferSpec& transfer, std::vector<TrainingRun> runs);

} // namespace dml
} // namespace ns3

#endif /* DML_PREPARED_SCENARIO_H */
