/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PREPARED_JOB_H
#define DML_PREPARED_JOB_H

#include "dml-job-devices.h"
#include "dml-profile-cache.h"

#include "ns3/dml-cluster-network.h"
#include "ns3/dml-elasticity.h"
#include "ns3/dml-one-worker-profile.h"
#include "ns3/dml-protocol.h"
#include "ns3/dml-scenario.h"
#include "ns3/dml-training-run.h"

#include <memory>
#include <vector>

namespace ns3::dml
{

/// A training job of a scenario, ready to run.
struct PreparedJob
{
    JobSpec spec;                           //!< as the scenario has it
    std::shared_ptr<const Profile> profile; //!< what was measured
    TrainingRun run;                        //!< what all its runs share: its step, and its rules
    JobDevices devices;                     //!< what workers and servers compute on
    OneWorkerMeans oneWorker;               //!< means of the run of one worker like the first
    Ptr<const Protocol> protocol; //!< protocol that makes its plan; null: the plan is there
    ProtocolSetting setting;      //!< what the plan depends on, but for the workers

    /// @return whether it has parameter servers
    bool HasServers() const
    {
        return !protocol || protocol->HasServers();
    }

    /// @param places of all workers, see FindPlaces() @param members workers that take part; empty:
    /// all @return the plan of a step
    std::shared_ptr<const StepPlan> GetPlan(const CollectivePlaces& places,
                                            const std::vector<uint32_t>& members = {}) const;

    /// @param places likewise @param crashes of its workers @return how it goes on after these;
    /// null: it does not, or there is none
    std::shared_ptr<const Elasticity> MakeElasticity(const CollectivePlaces& places,
                                                     const std::vector<WorkerCrash>& crashes) const;

    /// @param workers number of workers @return the plan as if all lived in one rack, to estimate
    /// with
    std::shared_ptr<const StepPlan> GetPlan(uint32_t workers) const
    {
        return GetPlan(CollectivePlaces{std::vector<uint32_t>(workers, 0), {}});
    }
};

/**
 * @brief What does not depend on a job's profile, number of workers or replication.
 * @param scenario the scenario
 * @param job of it
 * @param goodput payload rate of a link of network.rate, bytes/s
 * @return a run without plan and workers
 */
TrainingRun MakeJobRun(const Scenario& scenario, const JobSpec& job, double goodput);

/**
 * @brief Read the profile of a job, plan its step and check everything that can be checked.
 * @param scenario the scenario
 * @param index of the job, 0 for the one that is studied
 * @param packet whether the packet engine will run it too
 * @param goodput payload rate of a link of network.rate, bytes/s
 * @param cluster its network, with any number of workers
 * @param profiles those that have been read, or null
 * @return the job
 * @throws InputError that says where and what
 */
PreparedJob PrepareJob(const Scenario& scenario,
                       uint32_t index,
                       bool packet,
                       double goodput,
                       const ClusterNetwork& cluster,
                       ProfileCache* profiles);

/**
 * @brief What the fair-share engine makes of a run: where windows grow, they are grown.
 * @param transfer of the scenario
 * @param runs as PrepareCase() makes them
 * @return runs whose windows do not change
 */
std::vector<TrainingRun> SettleWindows(const TransferSpec& transfer, std::vector<TrainingRun> runs);

} // namespace ns3::dml

#endif /* DML_PREPARED_JOB_H */
