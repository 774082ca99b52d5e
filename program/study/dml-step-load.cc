/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-step-load.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

/// Bytes that the bins of a server's link take, and their rows on the way to a file.
constexpr double LINK_METER_BYTES = 60e3;

} // namespace

StepLoad
MakeLoad(const PreparedJob& job, uint32_t workers)
{
    const auto plan = job.GetPlan(workers);
    StepLoad load;
    load.transfers = plan->CountSent();
    load.bytes = plan->CountSentBytes();
    load.channels = plan->ListSentChannels().size();
    // a move of a collective is an op at both of its ends
    const double moves = plan->collectives.empty() ? 0 : 2 * load.transfers;
    load.ops = plan->ops.size() + moves;
    load.turns = plan->collectives.empty() ? job.oneWorker.turns : load.transfers;
    return load;
}

double
GuessStep(const PreparedScenario& prepared, uint32_t workers)
{
    const PreparedJob& job = prepared.GetJob();
    const double bytes = MakeLoad(job, workers).bytes;
    const double busiest = job.HasServers() ? workers * bytes / 2 / job.spec.parameterServers
                                            : bytes; // each way over one link
    return std::max(job.oneWorker.step, busiest / prepared.goodput);
}

double
GetSampleBytes(const PreparedScenario& prepared)
{
    // the rows of the op graph's samples, and the bins of the link meter, in parent and child
    return prepared.GetJob().run.plan->seconds.size() * sizeof(double) +
           LINK_METER_BYTES * prepared.scenario.job.parameterServers;
}

} // namespace ns3::dml
