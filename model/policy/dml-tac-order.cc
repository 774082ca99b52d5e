/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tac-order.h"

#include "ns3/dml-instant.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

/// Whether pull @p a is to go strictly before pull @p b.
bool
GoesBefore(const TransferProperties& properties, double bytesPerSecond, uint32_t a, uint32_t b)
{
    // compute of one pull that runs while the other is transferred
    const auto overlap = [&](uint32_t first, uint32_t second) {
        return InstantOf(
            std::min(properties.GetLoad(first), properties.GetCost(second) / bytesPerSecond));
    };
    const int64_t aFirst = overlap(a, b);
    const int64_t bFirst = overlap(b, a);
    return aFirst != bFirst ? bFirst < aFirst
                            : properties.GetImpendingCost(a) < properties.GetImpendingCost(b);
}

} // namespace

std::vector<RankedPull>
MakeTacOrder(const Profile& profile,
             const TransferDependencies& dependencies,
             double bytesPerSecond)
{
    const auto& pulls = dependencies.GetPulls();
    std::vector<uint64_t> bytes;
    for (const OpIndex op : pulls)
    {
        bytes.push_back(profile.tensors[profile.graph.Get(op).tensor].bytes);
    }
    TransferProperties properties(dependencies, bytes);
    std::vector<RankedPull> order;
    while (order.size() < pulls.size())
    {
        uint32_t best = NO_INDEX;
        for (uint32_t pull = 0; pull < pulls.size(); ++pull)
        {
            if (properties.IsReady(pull) &&
                (best == NO_INDEX || GoesBefore(properties, bytesPerSecond, pull, best)))
            {
                best = pull;
            }
        }
        order.push_back({best, properties.GetLoad(best), properties.GetImpendingCost(best)});
        properties.Complete(best);
    }
    return order;
}

} // namespace ns3::dml
