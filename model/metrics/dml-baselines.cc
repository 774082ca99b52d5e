/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-baselines.h"

#include <algorithm>
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

CynthiaInputs
ComputeCynthiaInputs(const OneWorkerMeans& means, double goodput)
{
    CynthiaInputs inputs;
    inputs.processing = means.busy;
    inputs.communication = means.bytesOneWay / goodput;
    if (means.step > 0)
    {
        inputs.utilisation = std::min(1.0, 2 * inputs.communication / means.step);
    }
    return inputs;
}

std::optional<double>
PredictCynthia(const CynthiaInputs& inputs, uint32_t batch, uint32_t workers)
{
    const double step =
        inputs.processing * std::max(1.0, workers * inputs.utilisation) + 2 * inputs.communication;
    if (!std::isfinite(step) || step <= 0)
    {
        return std::nullopt;
    }
    return static_cast<double>(workers) * batch / step;
}

std::optional<double>
PredictLin(const OneWorkerMeans& means, uint32_t batch, uint32_t workers)
{
    ClosedNetwork network;
    const double down = std::min(means.downlinkDelay, means.downlinkPhase);
    const double up = std::min(means.uplinkDelay, means.uplinkPhase);
    network.demands = {means.downlinkPhase - down, means.uplinkPhase - up};
    network.delay = means.computePhase + means.updatePhase + down + up;
    const auto solution = SolveClosedNetwork(network, workers);
    if (!solution)
    {
        return std::nullopt;
    }
    return batch * solution->throughput;
}

} // namespace ns3::dml
