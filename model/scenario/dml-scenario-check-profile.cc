/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-checks.h"

#include "ns3/dml-plural.h"
#include "ns3/dml-suggestion.h"

#include <cstdint>
#include <fmt/core.h>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

/// Room that a message's header needs beside the tensor, in bytes.
constexpr uint64_t MESSAGE_OVERHEAD = 64;

void
CheckSampling(const CheckedJob& checked, const Profile& profile)
{
    const uint32_t samples = profile.GetSampleCount();
    const auto& lists = checked.job.sampling.lists;
    for (std::size_t worker = 0; worker < lists.size(); ++worker)
    {
        for (std::size_t i = 0; i < lists[worker].size(); ++i)
        {
            if (lists[worker][i] >= samples)
            {
                checked.Refuse(fmt::format(".sampling[{}][{}]", worker, i),
                               QuoteNumber(lists[worker][i]),
                               fmt::format("an integer from 0 to {} (the profile has {})",
                                           samples - 1,
                                           Plural(samples, "measured step")));
            }
        }
    }
}

void
CheckPlacement(const CheckedJob& checked, const Profile& profile)
{
    const JobSpec& job = checked.job;
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
            checked.Refuse(".placement",
                           "no server for tensor '" + tensor.name + "'",
                           "a server for each of the profile's " +
                               Plural(profile.tensors.size(), "tensor"));
        }
    }
    for (const auto& entry : table)
    {
        if (names.count(entry.first) == 0)
        {
            checked.Refuse(".placement." + entry.first,
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
 * @brief Check lists of names that take each tensor once.
 * @param scenario the scenario
 * @param names by key
 * @param accepted what may be named
 * @param what of @p accepted, for the error
 */
void
CheckNames(const Scenario& scenario,
           const std::vector<std::pair<std::string, std::string>>& names,
           const std::set<std::string>& accepted,
           const std::string& what)
{
    std::set<std::string> seen;
    for (const auto& [key, name] : names)
    {
        const std::string quoted = "'" + name + "'";
        if (accepted.count(name) == 0)
        {
            throw ScenarioError(scenario,
                                key,
                                quoted,
                                what,
                                Suggest(name, {accepted.begin(), accepted.end()}));
        }
        if (!seen.insert(name).second)
        {
            throw ScenarioError(scenario, key, quoted + " a second time", "each tensor once");
        }
    }
}

void
CheckGroups(const CheckedJob& checked, const Profile& profile)
{
    const auto& groups = checked.job.gradientGroups.names;
    std::vector<std::pair<std::string, std::string>> names;
    for (std::size_t group = 0; group < groups.size(); ++group)
    {
        for (std::size_t i = 0; i < groups[group].size(); ++i)
        {
            names.emplace_back(fmt::format("{}.gradient_groups[{}][{}]", checked.key, group, i),
                               groups[group][i]);
        }
    }
    CheckNames(checked.scenario,
               names,
               TensorsWith(profile, OpKind::PUSH),
               "names of tensors whose gradients " + checked.job.profile + " pushes");
}

void
CheckOrder(const CheckedJob& checked, const Profile& profile)
{
    const TransferSpec& transfer = checked.scenario.transfer;
    if (transfer.policy != "explicit")
    {
        return;
    }
    const std::set<std::string> pulled = TensorsWith(profile, OpKind::PULL);
    std::vector<std::pair<std::string, std::string>> names;
    for (std::size_t i = 0; i < transfer.order.size(); ++i)
    {
        names.emplace_back(JoinPath("transfer.order", i), transfer.order[i]);
    }
    const std::string& path = checked.job.profile;
    CheckNames(checked.scenario, names, pulled, "names of tensors that " + path + " pulls");
    const std::set<std::string> given(transfer.order.begin(), transfer.order.end());
    for (const auto& name : pulled)
    {
        if (given.count(name) == 0)
        {
            throw ScenarioError(checked.scenario,
                                "transfer.order",
                                "no place for tensor '" + name + "'",
                                "a place for each of the " + Plural(pulled.size(), "tensor") +
                                    " that " + path + " pulls");
        }
    }
}

} // namespace

void
CheckAgainstProfile(const Scenario& scenario, uint32_t index, const Profile& profile)
{
    const CheckedJob job{scenario, JobKey(index), GetJob(scenario, index)};
    CheckSampling(job, profile);
    CheckPlacement(job, profile);
    CheckGroups(job, profile);
    CheckOrder(job, profile);
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
