/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The sections of a scenario, each read by a file dml-scenario-reader-*.cc.

#ifndef DML_SCENARIO_SECTIONS_H
#define DML_SCENARIO_SECTIONS_H

#include "dml-batch-control-spec.h"
#include "dml-device-spec.h"
#include "dml-key-values.h"
#include "dml-key.h"
#include "dml-scenario.h"

#include "ns3/dml-network-spec.h"
#include "ns3/dml-transfer-spec.h"
#include "ns3/dml-yaml-node.h"
#include "ns3/dml-yaml-path.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// @return `network.multipath`: a word, or a map with one of ecmp, spray, flowlet
Value<MultipathSpec> MultipathValue();

/// @return the keys of `job`
const Keys<JobSpec>& JobKeys();

/// @return an item of `other_jobs`: a job without steps and warm-up, and with one number of workers
Value<JobSpec> OtherJobValue();

/// Most workers of a job.
constexpr uint64_t MAX_WORKERS = 100000;
/// Most parameter servers of a job.
constexpr uint64_t MAX_SERVERS = 10000;

/// @return `job.workers`: a number, or a list of them
Value<std::vector<uint32_t>> WorkersValue();

/// @return `job.placement`: a rule, or a map of servers by tensor
Value<PlacementSpec> PlacementValue();

/// @return of `workers_per_host`: a number, or one for each host
Value<WorkersPerHost> WorkersPerHostValue();

/// @return `job.sampling`: a rule, or a list of sample indices for each worker
Value<SamplingSpec> SamplingValue();

/// @return `job.start`: a rule, or a time for each worker
Value<StartSpec> StartValue();

/// @return `job.step_jitter`: a time, or a map
Value<StepJitterSpec> StepJitterValue();

/// Most steps per worker.
constexpr uint64_t MAX_STEPS = 100000000;

/**
 * @return `job.steps` and `job.warmup`: how long a run is
 *
 * Steps are a number, or `auto`, or {auto: TARGET, at_most: STEPS} with a target such as 2% or
 * 0.02. The warm-up is a number, or `auto`, which goes with steps that are `auto` and is what they
 * have by default.
 */
const Keys<JobSpec>& StepKeys();

/// @return the keys of a job that say what workers and servers compute on
const Keys<JobSpec>& DeviceKeys();

/// @return `trace` of a device: a path, or a map
Value<SpeedTraceSpec> SpeedTraceValue();

/// @return `changes` of a device
Value<SpeedProcessSpec> SpeedChangesValue();

/// @return `spikes` of a device
Value<SpeedProcessSpec> SpeedSpikesValue();

/// @return `job.batch_control`: off, cpu, gpu, or a map with one of the last two
Value<BatchControlSpec> BatchControlValue();

/// @return `job.shedding`: off, or a map
Value<SheddingSpec> SheddingValue();

/// @return `job.sharded`: a map
Value<ShardedSpec> ShardedValue();

/// @return `job.all_reduce`: a map
Value<AllReduceSpec> AllReduceValue();

/// @return `job.gradient_groups`: a map with a rule, a list of lists of names, or a word
Value<GradientGroupSpec> GradientGroupsValue();

/// @return the keys of `transfer`; reading fills in the defaults that depend on the policy
const Keys<TransferSpec>& TransferKeys();

/// @return the keys of `network`
const Keys<NetworkSpec>& NetworkKeys();

/// @return a queue: its size, or a map
Value<QueueSpec> QueueValue();

/// @return the queue of a host's port, which shares no memory
Value<QueueSpec> HostQueueValue();

/// @return bytes of an IP packet
Value<uint64_t> MtuValue();

/// @return rates of a link of a host or between switches: a rate, or a map with `up` and `down`
Value<LinkRates> HostRatesValue();

/// @return rates of a link of a list: a rate, or a list of what each end sends
Value<LinkRates> EndRatesValue();

/// @return what a link may have that differs from the network's others
const Keys<LinkSpec>& LinkKeys();

/// @return a map of LinkKeys()
Value<LinkSpec> LinkValue();

/// @return of the links of a host
Value<LinkSpec> HostLinkValue();

/// @return how many network cards a host has
Value<uint64_t> NicsValue();

/// @return a map with the rate and delay of a local link
Value<LocalLinkSpec> LocalLinkValue();

/// @return a flow of `network.background`
Value<BackgroundSpec> BackgroundValue();

/// @return the list `faults`: what happens to links goes into `network.faults`, the rest into
/// `processFaults`
Key<Scenario> FaultsKey();

/**
 * @ingroup dml-scenario
 * @brief One combination of the values under `sweep`.
 */
struct SweepVariant
{
    YamlNodePtr document; //!< the scenario with the values put in their places, without its sweep
    /// Key paths and values, in the order of the sweep.
    std::vector<std::pair<std::string, std::string>> values;
};

/**
 * @brief Unfold the key `sweep` of a scenario.
 *
 * A map of lists is a grid: all combinations, first key slowest. A list of maps is a list of cases,
 * each of which gives its keys one value; a key `sweep` in a case is a sweep again, of that case.
 * Values may be of any shape. A path may lead through a single value, which then becomes a map.
 * @param document the scenario after its overrides
 * @param overrides paths of the overrides; keys that they give leave the sweep
 * @return all variants; the document alone if there is no sweep, or nothing is left of it
 * @throws InputError if the sweep is malformed, names one place twice or overwrites an override
 * only in part, has a variant twice or more than 10000 of them
 */
std::vector<SweepVariant> UnfoldSweep(const YamlNodePtr& document,
                                      const std::vector<YamlPath>& overrides);

} // namespace ns3::dml

#endif /* DML_SCENARIO_SECTIONS_H */
