/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-step-load.h"

#include <algorithm>

namespace ns3
{
namespace dml
{

namespace
{

/// Bytes that the bins of a server's link take, and their rows on the way to a file.
constexpr double LINK_METER_BYTES = 60e3;

} // namespace

StepLoad
MakeLoad(const PreparedJob& job)
{
    StepLoad load;
    load.ops = job.run.plan->ops.size();
    load.turns = job.oneWorker.turns;
    for (const auto& op : job.run.plan->ops)
    {
        load.transfers += op.dispatch == Dispatch::SEND ? 1 : 0;
        load.bytes += op.dispatch == Dispatch::SEND ? op.bytes : 0;
    }
    return load;
}

double
GuessStep(const PreparedScenario& prepared, uint32_t workers)
{
    const PreparedJob& job = prepared.GetJob();
    const double bytes = MakeLoad(job).bytes / 2; // each direction
    return std::max(job.oneWorker.step,
                    workers * bytes / (job.spec.parameterServers * prepared.goodput));
}

double
GetSampleBytes(const PreparedScenario& prepared)
{
    // the rows of the op graph's samples, and the bins of the link meter, in parent and child
    return prepared.GetJob().run.plan->seconds.size() * sizeof(double) +
           LINK_METER_BYTES * prepared.scenario.job.parameterServers;
}

} // namespace dml
} // namespace ns3
