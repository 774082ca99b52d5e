/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-compute-order.h"

#include "dml-one-worker-run.h"

#include "ns3/dml-placement.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

namespace ns3::dml
{

namespace
{

/// A network that takes no time that could be seen.
constexpr double INSTANT_BYTES_PER_SECOND = 1e18;

/// Notes when compute ops start.
class ComputeStarts : public RunListener<ComputeStarts>
{
  public:
    void On(const ChunkRecord& record)
    {
        starts.emplace_back(record.start, record.op);
    }

    std::vector<std::pair<double, OpIndex>> starts; //!< in the order in which ops ended
};

} // namespace

std::vector<OpIndex>
FindComputeOrder(const Profile& profile)
{
    Profile mean = profile;
    for (auto& row : mean.samples)
    {
        if (!row.empty())
        {
            row = {std::accumulate(row.begin(), row.end(), 0.0) / row.size()};
        }
    }
    ComputeStarts observer;
    const auto plan = std::make_shared<StepPlan>(
        MakeStepPlan(mean, Placement(mean.tensors.size(), 0), 1, ParseOverhead()));
    RunOneWorker(MakeOneWorkerRun(plan, 1), INSTANT_BYTES_PER_SECOND, 0, &observer);
    // ops that end together are told in the order in which they started
    std::stable_sort(observer.starts.begin(),
                     observer.starts.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<OpIndex> order;
    for (const auto& [start, op] : observer.starts)
    {
        if (RunsOnDevice(profile.graph.Get(op).kind))
        {
            order.push_back(op);
        }
    }
    return order;
}

} // namespace ns3::dml
