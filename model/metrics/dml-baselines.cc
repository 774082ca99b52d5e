/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-baselines.h"

#include "dml-closed-network.h"

#include <algorithm>
#include <cmath>

namespace ns3::dml
{

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
    network.demands = {means.downlinkPhase, means.uplinkPhase};
    network.delay = means.computePhase + means.updatePhase;
    const auto solution = SolveClosedNetwork(network, workers);
    if (!solution)
    {
        return std::nullopt;
    }
    return batch * solution->throughput;
}

} // namespace ns3::dml
