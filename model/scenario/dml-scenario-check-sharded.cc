/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What jobs with shards can have.

#include "dml-job-plugins.h"
#include "dml-scenario-checks.h"

#include "ns3/dml-plural.h"
#include "ns3/dml-sharded-protocol.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3::dml
{

namespace
{

/// What gathers parameters is of stage 3.
void
CheckStage(const CheckedJob& checked, const ShardedProtocol& protocol)
{
    const auto& [scenario, key, job] = checked;
    if (protocol.GetStage() == 3)
    {
        if (job.batchControl.rule != "off")
        {
            checked.Refuse(".batch_control",
                           "'" + job.batchControl.rule + "' with job.protocol " + job.protocol +
                               " and stage 3, in which no worker computes without waiting for "
                               "parameters of others, so that its own speed is not known",
                           "off, or stage 1 or 2");
        }
        return;
    }
    for (const std::string name :
         {"reshard_after_forward", "backward_prefetch", "limit_all_gathers"})
    {
        const std::string path = key + ".sharded.";
        if (IsMisplaced(scenario, path + name, path + "stage"))
        {
            checked.Refuse(".sharded." + name,
                           "the key with stage " + std::to_string(protocol.GetStage()) +
                               ", in which parameters are on all workers",
                           "it with stage 3");
        }
    }
}

/// What shards of hosts need: hosts of several workers, as many on each.
void
CheckHybrid(const CheckedJob& checked)
{
    const JobSpec& job = checked.job;
    if (!job.workersPerHost.AreShared())
    {
        checked.Refuse(".sharded.hybrid",
                       "true, where each worker has a host of its own",
                       "false, or " + checked.key + ".workers_per_host");
    }
    const uint64_t total = job.workersPerHost.GetTotal();
    for (const uint32_t workers : job.workers)
    {
        std::vector<uint32_t> counts; // by host
        for (uint32_t worker = 0; worker < workers && (total == 0 || worker < total); ++worker)
        {
            const uint32_t host = job.workersPerHost.FindHost(worker);
            counts.resize(std::max<std::size_t>(counts.size(), host + 1), 0);
            ++counts[host];
        }
        const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
        if (*least != *most)
        {
            checked.Refuse(".sharded.hybrid",
                           "true with " + Plural(workers, "worker") + ", of which hosts have " +
                               std::to_string(*least) + " and " + std::to_string(*most),
                           "false, or as many workers on each host");
        }
    }
}

} // namespace

void
CheckSharded(const CheckedJob& checked)
{
    const auto& [scenario, key, job] = checked;
    const auto protocol = DynamicCast<ShardedProtocol>(MakeProtocol(job));
    const std::string with = " with job.protocol " + job.protocol;
    const auto algorithm = protocol->GetAlgorithm();
    if (algorithm && !algorithm->HasShards())
    {
        checked.Refuse(".all_reduce.algorithm",
                       "'" + job.allReduce.algorithm + "'" + with +
                           ", which has no reduce-scatter and no all-gather",
                       "ring, halving-doubling, auto, or a class that has them");
    }
    if (!job.allReduce.barrier)
    {
        checked.Refuse(".all_reduce.barrier",
                       "false" + with + ", whose updates wait for all gradients",
                       "true, or job.protocol all-reduce");
    }
    if (!job.allReduce.rebuild.IsZero())
    {
        checked.Refuse(".all_reduce.on_crash",
                       "{rebuild: DURATION}" + with +
                           ", whose shards are gone with the worker that had them",
                       "stop, or job.protocol all-reduce");
    }
    if (scenario.transfer.partition > 0)
    {
        throw ScenarioError(scenario,
                            "transfer.partition",
                            "a size" + with + ", whose units are cut into shards",
                            "off; job.gradient_groups says what a unit is");
    }
    CheckStage(checked, *protocol);
    if (protocol->IsHybrid())
    {
        CheckHybrid(checked);
    }
}

} // namespace ns3::dml
