/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-closed-network.h"

#include <cmath>

namespace ns3::dml
{

std::optional<ClosedNetworkSolution>
SolveClosedNetwork(const ClosedNetwork& network, uint32_t customers)
{
    bool valid = std::isfinite(network.delay) && network.delay >= 0;
    double cycle = network.delay;
    for (const double demand : network.demands)
    {
        valid = valid && std::isfinite(demand) && demand >= 0;
        cycle += demand;
    }
    if (!valid || !(cycle > 0) || customers == 0)
    {
        return std::nullopt;
    }
    ClosedNetworkSolution solution;
    solution.residenceTimes.assign(network.demands.size(), 0);
    solution.queueLengths.assign(network.demands.size(), 0);
    for (uint32_t n = 1; n <= customers; ++n)
    {
        double total = network.delay;
        for (size_t k = 0; k < network.demands.size(); ++k)
        {
            solution.residenceTimes[k] = network.demands[k] * (1 + solution.queueLengths[k]);
            total += solution.residenceTimes[k];
        }
        solution.throughput = n / total;
        for (size_t k = 0; k < network.demands.size(); ++k)
        {
            solution.queueLengths[k] = solution.throughput * solution.residenceTimes[k];
        }
    }
    return solution;
}

} // namespace ns3::dml
