/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-elasticity.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

namespace ns3::dml
{

std::size_t
Elasticity::Find(const std::vector<uint32_t>& workers) const
{
    const auto found =
        std::find_if(memberships.begin(), memberships.end(), [&](const Membership& membership) {
            return membership.workers == workers;
        });
    if (found == memberships.end())
    {
        throw std::out_of_range("no plan for the workers that are left");
    }
    return found - memberships.begin();
}

std::vector<std::vector<uint32_t>>
ListMemberSets(const std::vector<WorkerCrash>& crashes, uint32_t workers)
{
    std::map<double, std::vector<std::pair<uint32_t, bool>>> changes; // who is up then, or not
    changes[-1];                                                      // nobody: all are there
    for (const auto& crash : crashes)
    {
        changes[crash.at].emplace_back(crash.worker, false);
        changes[crash.rejoin].emplace_back(crash.worker, true);
    }
    changes.erase(std::numeric_limits<double>::infinity());
    std::vector<bool> up(workers, true);
    std::vector<std::vector<uint32_t>> sets;
    for (const auto& [time, changed] : changes)
    {
        for (const auto& [worker, isUp] : changed)
        {
            up[worker] = isUp;
        }
        std::vector<uint32_t> set;
        for (uint32_t worker = 0; worker < workers; ++worker)
        {
            if (up[worker])
            {
                set.push_back(worker);
            }
        }
        if (!set.empty() && std::find(sets.begin(), sets.end(), set) == sets.end())
        {
            sets.push_back(std::move(set));
        }
    }
    return sets;
}

std::vector<Endpoint>
ListMemberPeers(const Membership& membership, uint32_t worker, uint32_t workers)
{
    const auto& members = membership.workers;
    if (std::find(members.begin(), members.end(), worker) == members.end())
    {
        return {};
    }
    std::vector<Endpoint> peers = membership.plan->ListPeers(worker, workers);
    for (const uint32_t member : members)
    {
        const Endpoint other{Role::WORKER, member};
        if ((member == members.front()) != (worker == members.front()) &&
            std::find(peers.begin(), peers.end(), other) == peers.end())
        {
            peers.push_back(other);
        }
    }
    return peers;
}

std::vector<std::shared_ptr<const StepPlan>>
ListPlans(const TrainingRun& run)
{
    if (!run.elastic)
    {
        return {run.plan};
    }
    std::vector<std::shared_ptr<const StepPlan>> plans;
    for (const auto& membership : run.elastic->memberships)
    {
        plans.push_back(membership.plan);
    }
    return plans;
}

} // namespace ns3::dml
