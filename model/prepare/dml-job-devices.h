/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_JOB_DEVICES_H
#define DML_JOB_DEVICES_H

#include "ns3/dml-profile.h"
#include "ns3/dml-scenario.h"
#include "ns3/dml-training-run.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::dml
{

/// What one worker or server computes on, as far as all runs share it.
struct PreparedDevice
{
    DeviceSpec spec;                          //!< as the scenario has it
    std::string key;                          //!< of the scenario; empty: the profile's device
    std::shared_ptr<const BatchModel> model;  //!< relative to the job's profile
    std::shared_ptr<const DeviceSpeed> trace; //!< null: none
};

/// The devices of a job, ready to run.
struct JobDevices
{
    uint32_t profileBatch{1};            //!< samples per step of the profile
    uint32_t batch{1};                   //!< samples of each worker's first step
    std::vector<PreparedDevice> workers; //!< by worker, repeated for further ones; at least one
    std::vector<PreparedDevice> servers; //!< by server, likewise; empty: as in the profile
};

/**
 * @brief Read the traces, and fit the devices of a job to its profile.
 *
 * A job that names no devices has the profile's, whose time is proportional to the batch.
 * @param scenario the scenario
 * @param index of the job, 0 for the one that is studied
 * @param profile of the job, after `scale`
 * @return the devices
 * @throws InputError if a trace is wrong or longer than its repetition; a batch is larger than a
 *         memory; a step would take too long; or samples per second are given for a profile in
 *         which workers compute nothing
 */
JobDevices PrepareDevices(const Scenario& scenario, uint32_t index, const Profile& profile);

/**
 * @brief Give a run its devices: TrainingRun::compute, serverSpeeds and batchSize.
 *
 * Random changes of worker w are drawn from ns-3 streams ResourceChanges::STREAM_BASE + stream + w
 * and TransientSpikes::STREAM_BASE + stream + w, those of servers 2000000 further on.
 * @param devices of the job
 * @param servers number of the job's servers
 * @param seed of the scenario @param replication number of the replication, from 0
 * @param stream of the job's first worker
 * @param[in,out] run whose number of workers is known
 */
void SetDevices(const JobDevices& devices,
                uint32_t servers,
                uint32_t seed,
                uint32_t replication,
                uint32_t stream,
                TrainingRun& run);

/**
 * @brief Give a run of one worker the device of worker 0, without changes of its speed.
 * @param devices of the job
 * @param[in,out] run of one worker
 */
void SetReferenceDevice(const JobDevices& devices, TrainingRun& run);

} // namespace ns3::dml

#endif /* DML_JOB_DEVICES_H */
