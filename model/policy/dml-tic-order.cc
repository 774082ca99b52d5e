/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tic-order.h"

#include <algorithm>
#include <numeric>

namespace ns3::dml
{

std::vector<RankedPull>
MakeTicOrder(const TransferDependencies& dependencies)
{
    const std::size_t size = dependencies.GetPulls().size();
    const TransferProperties properties(dependencies, std::vector<uint64_t>(size, 1));
    std::vector<uint32_t> wanted(size);
    std::iota(wanted.begin(), wanted.end(), 0);
    std::stable_sort(wanted.begin(), wanted.end(), [&](uint32_t a, uint32_t b) {
        return properties.GetImpendingCost(a) < properties.GetImpendingCost(b);
    });
    std::vector<RankedPull> order;
    for (const uint32_t pull : dependencies.RespectReadiness(std::move(wanted)))
    {
        order.push_back({pull, 0, properties.GetImpendingCost(pull)});
    }
    return order;
}

} // namespace ns3::dml
