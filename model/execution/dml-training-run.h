/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRAINING_RUN_H
#define DML_TRAINING_RUN_H

#include "dml-connection-windows.h"
#include "dml-step-sampler.h"

#include "ns3/dml-batch-model.h"
#include "ns3/dml-device-speed.h"
#include "ns3/dml-plugin-kind.h"
#include "ns3/dml-step-plan.h"
#include "ns3/dml-stream-window-model.h"
#include "ns3/dml-sync-policy.h"
#include "ns3/object-factory.h"

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-execution
 * @brief What a worker computes on.
 */
struct WorkerCompute
{
    std::shared_ptr<const BatchModel> model;  //!< of all its devices; null: as in the profile
    std::shared_ptr<const DeviceSpeed> speed; //!< of all its devices; null: always 1
    uint32_t batch{0}; //!< samples of its first step; 0: the profile's batch size
    uint32_t slots{0}; //!< of each of its devices; 0: as in the plan

    /// @param resource of the worker's steps @return chunks that run there at the same time
    uint32_t GetSlots(const PlannedResource& resource) const
    {
        return resource.kind == ResourceKind::DEVICE && resource.at == SELF && slots > 0
                   ? slots
                   : resource.slots;
    }
};

/**
 * @ingroup dml-execution
 * @brief A worker's process dies, and perhaps comes back.
 */
struct WorkerCrash
{
    uint32_t worker{0};                                     //!< index
    double at{0};                                           //!< seconds from the start of the run
    double rejoin{std::numeric_limits<double>::infinity()}; //!< seconds, likewise; infinity: never
};

struct Elasticity;

/**
 * @ingroup dml-execution
 * @brief One seeded run of one configuration: what both engines are given.
 */
struct TrainingRun
{
    std::shared_ptr<const StepPlan> plan; //!< the whole step
    uint32_t workers{1};                  //!< number of workers, at least 1
    uint32_t steps{1};                    //!< most steps of a worker, at least 1
    std::vector<uint32_t> stepsOf;        //!< steps by worker; empty: all do `steps`
    std::vector<StepSampler> samplers;    //!< one per worker
    std::vector<double> startOffsets;     //!< seconds, one per worker
    std::vector<StepJitter> jitter;       //!< one per worker; empty: steps are never late
    ObjectFactory policy;                 //!< makes the TransferPolicy of one connection
    StreamWindowModel::Rule windowRule{StreamWindowModel::Rule::TWO_TURNS}; //!< flow control
    uint64_t window{28000000};                                              //!< WIN in bytes
    uint64_t lookahead{0};     //!< bytes beyond WIN, as StreamWindowModel takes them
    ConnectionWindows windows; //!< WIN by connection; empty: all have `window`
    std::optional<ObjectFactory>
        batchControl;                      //!< makes the BatchSizeControl; none: batch sizes stay
    std::optional<ObjectFactory> shedding; //!< makes the WorkShedding; none: samples stay in a step
    ObjectFactory sync; //!< makes the SyncPolicy of a server; not set: as SyncServer takes null
    std::vector<WorkerCrash> crashes; //!< in any order; not where steps overlap
    /// Seconds from the start of the run: when a server crashes, and all of them load a checkpoint.
    /// All workers crash then, too.
    std::vector<double> restores;
    std::shared_ptr<const Elasticity>
        elastic;           //!< how the others go on then, without servers; null: as `crashes` says
    uint32_t batchSize{1}; //!< samples per step of the profile
    std::vector<std::string> aggregators; //!< names of those of the plan
    std::vector<WorkerCompute> compute;   //!< by worker; empty: all as in the profile
    /// By server: how fast it parses and updates; empty or null: always 1.
    std::vector<std::shared_ptr<const DeviceSpeed>> serverSpeeds;
    uint32_t serverCores{0}; //!< cores of a server shared by all workers; 0: private to each worker
    std::optional<PluginSpec> tcp; //!< congestion control of its connections; none: the network's
};

/**
 * @brief A run of which only this is said: parameters are placed greedily, the profile's samples
 * follow in order, workers start together, steps are never late, and tensors take turns as gRPC's
 * streams do.
 * @param profile of one worker
 * @param workers number of workers, at least 1
 * @param servers number of parameter servers, at least 1
 * @param steps of each worker, at least 1
 * @return the run, for more to be said
 * @throws InputError if one of them is 0
 */
TrainingRun MakeTrainingRun(const Profile& profile,
                            uint32_t workers,
                            uint32_t servers,
                            uint32_t steps);

/// @param run a run @return a new policy of its kind, or null
Ptr<SyncPolicy> MakeSyncPolicy(const TrainingRun& run);

/**
 * @brief What multiplies the durations of a worker's compute ops.
 * @param compute what it computes on
 * @param profiled samples per step of the profile
 * @param batch samples of the step; 0: as profiled, on the profile's device
 * @return 1 where all is as in the profile; without a model, time is proportional to the batch size
 */
double GetComputeScale(const WorkerCompute& compute, uint32_t profiled, uint32_t batch);

} // namespace ns3::dml

#endif /* DML_TRAINING_RUN_H */
