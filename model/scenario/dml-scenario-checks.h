/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The parts of CheckScenario(), each in a file dml-scenario-check-*.cc of its own.

#ifndef DML_SCENARIO_CHECKS_H
#define DML_SCENARIO_CHECKS_H

#include "dml-scenario-check.h"

#include "ns3/dml-cluster-network.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/// A job of a scenario that is checked.
struct CheckedJob
{
    const Scenario& scenario; //!< of the job
    std::string key;          //!< path of the job
    const JobSpec& job;       //!< it

    /// @param name of a key of the job, with its dot @param found @param accepted @param meant as
    /// ScenarioError() takes them @throws InputError always
    [[noreturn]] void Refuse(const std::string& name,
                             const std::string& found,
                             const std::string& accepted,
                             const std::string& meant = "") const
    {
        throw ScenarioError(scenario, key + name, found, accepted, meant);
    }
};

/**
 * @brief Check the network of a scenario, for every number of workers.
 *
 * Checked: TCP's buffers, variant and queues fit together; queues hold a packet; the network can be
 * built; hosts and links that are named exist.
 * @param scenario scenario whose values are each in their range
 * @throws InputError as ScenarioError()
 */
void CheckNetwork(const Scenario& scenario);

/**
 * @brief Check the queues of a network.
 *
 * Checked: each has room for a packet or a burst, and more than its threshold; memories that ports
 * share are those of switches, of one size each, and leave every port that much when all are full;
 * bursts that are one packet meet no queue that takes a part of them.
 * @param scenario scenario whose values are each in their range
 * @param network of one number of workers
 * @throws InputError as ScenarioError(), or NetworkError
 */
void CheckQueues(const Scenario& scenario, const ClusterNetwork& network);

/**
 * @brief Choose numbers of workers whose networks stand for all: workers that the scenario does not
 * name are alike, so that two networks differ in kind only by the workers named in them, and by the
 * leaf at which a host of a leaf-spine comes to lie.
 * @param scenario the scenario
 * @return those of `job.workers` that are the first of their kind, in its order, the smallest and
 * the largest always among them
 */
std::vector<uint32_t> ListUnlikeClusters(const Scenario& scenario);

/**
 * @brief Check what happens to workers and servers against the jobs; CheckNetwork() checks the
 * faults of links.
 *
 * Checked, for every number of workers that is swept: there is such a worker or server; only a
 * worker of the first job crashes, not while it is gone already, and with the protocol run-graph.
 * @param scenario scenario whose values are each in their range
 * @throws InputError as ScenarioError()
 */
void CheckProcessFaults(const Scenario& scenario);

/**
 * @brief Check the order of transfers and flow control against each other and the job.
 *
 * Checked: connections that exist; windows that the grant rule takes; keys that the policy uses. A
 * key of another policy is accepted where the policy comes from a sweep or an override: it is there
 * for the sweep's other values.
 * @param scenario scenario whose values are each in their range
 * @throws InputError as ScenarioError()
 */
void CheckTransfer(const Scenario& scenario);

/**
 * @brief Find out whether a key is a mistake that goes with other values of the key that chooses.
 * It is none where a sweep, or an override of what the file has, chooses: then it is there for the
 * other values.
 * @param scenario the scenario
 * @param key path of the key
 * @param chooser path of the key whose value does not use it
 * @return whether it is given by mistake
 */
bool IsMisplaced(const Scenario& scenario, const std::string& key, const std::string& chooser);

/// Check a job's keys against what it does: with servers or without, training or inference.
/// @param checked the job @throws InputError that says where and what
void CheckWorkload(const CheckedJob& checked);

/// Check what a job with shards can have. @param checked a job whose protocol is ShardedProtocol
/// @throws InputError that says where and what
void CheckSharded(const CheckedJob& checked);

} // namespace ns3::dml

#endif /* DML_SCENARIO_CHECKS_H */
