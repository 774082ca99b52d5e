/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-check.h"

#include "ns3/dml-plural.h"
#include "ns3/dml-suggestion.h"

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace ns3::dml
{

namespace
{

/// Room that a message's header needs beside the tensor, in bytes.
constexpr uint64_t MESSAGE_OVERHEAD = 64;

void
CheckSampling(const Scenario& scenario,
              const std::string& key,
              const JobSpec& job,
              const Profile& profile)
{
    const uint32_t samples = profile.GetSampleCount();
    const auto& lists = job.sampling.lists;
    for (std::size_t worker = 0; worker < lists.size(); ++worker)
    {
        for (std::size_t i = 0; i < lists[worker].size(); ++i)
        {
            if (lists[worker][i] >= samples)
            {
                throw ScenarioError(
                    scenario,
                    key + ".sampling[" + std::to_string(worker) + "][" + std::to_string(i) + "]",
                    QuoteNumber(lists[worker][i]),
                    "an integer from 0 to " + std::to_string(samples - 1) + " (the profile has " +
                        Plural(samples, "measured step") + ")");
            }
        }
    }
}

void
CheckPlacement(const Scenario& scenario,
               const std::string& key,
               const JobSpec& job,
               const Profile& profile)
{
    if (job.placement.rule != "explicit")
    {
        return;
    }
    const auto& table = job.placement.table;
    std::set<std::string> names;
    for (const auto& tensor : profile.tensors)
    {
        names.insert(tensor.name);
        if (table.count(tensor.name) == 0)
        {
            throw ScenarioError(scenario,
                                key + ".placement",
                                "no server for tensor '" + tensor.name + "'",
                                "a server for each of the profile's " +
                                    Plural(profile.tensors.size(), "tensor"));
        }
    }
    for (const auto& entry : table)
    {
        if (names.count(entry.first) == 0)
        {
            throw ScenarioError(scenario,
                                key + ".placement." + entry.first,
                                "a tensor that the profile does not have",
                                "names of tensors in " + job.profile);
        }
    }
}

/// @return names of the tensors that have an op of @p kind
std::set<std::string>
TensorsWith(const Profile& profile, OpKind kind)
{
    std::set<std::string> names;
    for (OpIndex i = 0; i < profile.graph.GetSize(); ++i)
    {
        const Op& op = profile.graph.Get(i);
        if (op.kind == kind)
        {
            names.insert(profile.tensors[op.tensor].name);
        }
    }
    return names;
}

/**
 * @brief Check a name in a list that takes each tensor once.
 * @param scenario the scenario
 * @param key of the name
 * @param name the name
 * @param accepted what may be named
 * @param what of @p accepted, for the error
 * @param seen names so far
 */
void
CheckName(const Scenario& scenario,
          const std::string& key,
          const std::string& name,
          const std::set<std::string>& accepted,
          const std::string& what,
          std::set<std::string>& seen)
{
    if (accepted.count(name) == 0)
    {
        throw ScenarioError(scenario,
                            key,
                            "'" + name + "'",
                            what,
                            Suggest(name, {accepted.begin(), accepted.end()}));
    }
    if (!seen.insert(name).second)
    {
        throw ScenarioError(scenario, key, "'" + name + "' a second time", "each tensor once");
    }
}

void
CheckGroups(const Scenario& scenario,
            const std::string& key,
            const JobSpec& job,
            const Profile& profile)
{
    const std::set<std::string> gradients = TensorsWith(profile, OpKind::PUSH);
    const auto& groups = job.gradientGroups.names;
    std::set<std::string> seen;
    for (std::size_t group = 0; group < groups.size(); ++group)
    {
        for (std::size_t i = 0; i < groups[group].size(); ++i)
        {
            CheckName(scenario,
                      key + ".gradient_groups[" + std::to_string(group) + "][" + std::to_string(i) +
                          "]",
                      groups[group][i],
                      gradients,
                      "names of tensors whose gradients " + job.profile + " pushes",
                      seen);
        }
    }
}

void
CheckOrder(const Scenario& scenario, const JobSpec& job, const Profile& profile)
{
    if (scenario.transfer.policy != "explicit")
    {
        return;
    }
    const std::set<std::string> pulled = TensorsWith(profile, OpKind::PULL);
    std::set<std::string> seen;
    for (std::size_t i = 0; i < scenario.transfer.order.size(); ++i)
    {
        CheckName(scenario,
                  "transfer.order[" + std::to_string(i) + "]",
                  scenario.transfer.order[i],
                  pulled,
                  "names of tensors that " + job.profile + " pulls",
                  seen);
    }
    for (const auto& name : pulled)
    {
        if (seen.count(name) == 0)
        {
            throw ScenarioError(scenario,
                                "transfer.order",
                                "no place for tensor '" + name + "'",
                                "a place for each of the " + Plural(pulled.size(), "tensor") +
                                    " that " + job.profile + " pulls");
        }
    }
}

} // namespace

void
CheckAgainstProfile(const Scenario& scenario, uint32_t index, const Profile& profile)
{
    const JobSpec& job = GetJob(scenario, index);
    const std::string key = JobKey(index);
    CheckSampling(scenario, key, job, profile);
    CheckPlacement(scenario, key, job, profile);
    CheckGroups(scenario, key, job, profile);
    CheckOrder(scenario, job, profile);
}

void
CheckForPacketEngine(const Scenario& scenario, uint32_t index, const Profile& profile)
{
    constexpr uint64_t MOST = std::numeric_limits<uint32_t>::max() - MESSAGE_OVERHEAD;
    for (const auto& tensor : profile.tensors)
    {
        if (tensor.bytes > MOST)
        {
            throw ScenarioError(scenario,
                                JobKey(index) + ".profile",
                                "tensor '" + tensor.name + "' of " + std::to_string(tensor.bytes) +
                                    " bytes",
                                "tensors of at most " + std::to_string(MOST) +
                                    " bytes in the packet engine (a gRPC message has a length of "
                                    "32 bits)");
        }
    }
}

} // namespace ns3::dml
