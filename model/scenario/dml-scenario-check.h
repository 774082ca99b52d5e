/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_CHECK_H
#define DML_SCENARIO_CHECK_H

#include "dml-scenario.h"

#include "ns3/dml-error.h"
#include "ns3/dml-host-names.h"
#include "ns3/dml-profile.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @brief An error about a key of a scenario, with its position if the scenario was read from YAML.
 * @param scenario the scenario
 * @param key key path, such as "job.workers[2]"
 * @param found what was found (for text of the user, with its quotes)
 * @param accepted what is accepted
 * @param meant what was probably meant, or nothing
 * @return "file:line:column: key: found ...; accepted: ...", to be thrown; a key that was not
 * given has the position of the map around it
 */
InputError ScenarioError(const Scenario& scenario,
                         const std::string& key,
                         const std::string& found,
                         const std::string& accepted,
                         const std::string& meant = "");

/**
 * @param scenario a scenario
 * @param key key path of something in it
 * @return "file:line:column: key: ", of the map around a key that was not given
 */
std::string LocateKey(const Scenario& scenario, const std::string& key);

/**
 * @brief Find which host or switch was probably meant; one of another number never was.
 * @param scenario a scenario
 * @param name as typed
 * @param workers number of workers of the first job
 * @return its name, or an empty text
 */
std::string SuggestNode(const Scenario& scenario, const std::string& name, uint32_t workers);

/// @param number a value of the user @return it in quotes, for ScenarioError()
std::string QuoteNumber(uint64_t number);

/// @param scenario the scenario @param key key path @return true if its YAML file has the key
bool IsGiven(const Scenario& scenario, const std::string& key);

/**
 * @brief Check the values of a scenario against each other.
 *
 * Checked: workers named once each; warmup < steps; a start offset and a list of samples for every
 * worker; batch_control with bsp only; shedding with bsp and ssp; servers of an explicit placement;
 * packet.replications <= replications; TCP buffers (a receive buffer below twice the send buffer
 * crashes ns-3.37 under loss); a queue that holds a packet; faults of links and hosts that exist.
 * @param scenario scenario whose values are each in their range
 * @throws InputError as ScenarioError()
 */
void CheckScenario(const Scenario& scenario);

/// @param scenario a scenario @param index 0: `job`, from 1: `other_jobs` @return the job
const JobSpec& GetJob(const Scenario& scenario, uint32_t index);

/**
 * @param scenario a scenario
 * @param workers number of workers of `job`
 * @return how many hosts each job has, `job` first
 */
std::vector<JobSize> GetJobSizes(const Scenario& scenario, uint32_t workers);

/// @param index 0: `job`, from 1: `other_jobs` @return the job's key, such as "other_jobs[0]"
std::string JobKey(uint32_t index);

/**
 * @brief Check a scenario against the profile that it names.
 *
 * Checked: sample indices below the number of measured steps; an explicit placement has a server
 * for every tensor, and no other tensors; an explicit order has every tensor that is pulled, once;
 * gradient groups name tensors that are pushed, each once.
 * @param scenario scenario that CheckScenario() accepts
 * @param index of the job, 0 for the one that is studied
 * @param profile the job's profile
 * @throws InputError as ScenarioError()
 */
void CheckAgainstProfile(const Scenario& scenario, uint32_t index, const Profile& profile);

/**
 * @brief Check that the packet engine can carry a profile's tensors: the length of a gRPC message
 * has 32 bits, and a message holds a header besides the tensor.
 * @param scenario the scenario, for the position of the profile's name
 * @param index of the job, 0 for the one that is studied
 * @param profile the job's profile
 * @throws InputError as ScenarioError(), naming the tensor
 */
void CheckForPacketEngine(const Scenario& scenario, uint32_t index, const Profile& profile);

} // namespace ns3::dml

#endif /* DML_SCENARIO_CHECK_H */
