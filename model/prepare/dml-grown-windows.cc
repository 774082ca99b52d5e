/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-grown-windows.h"

#include "ns3/rng-stream.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ns3::dml
{

namespace
{

constexpr uint64_t GROWN_STREAM_BASE = 3500000; //!< ns-3 stream of the first run

/// A point of a distribution.
struct Quantile
{
    double part;      //!< of all connections
    double doublings; //!< of 4 MiB
};

using Quantiles = std::array<Quantile, 4>;

// 2592 connections each, W = 1 to 8: how many stay at 4 MiB, median, 90th percentile, most
constexpr Quantiles PARAMETERS{{{0.42, 0}, {0.5, 0.77}, {0.9, 2}, {1, 3}}};
constexpr Quantiles GRADIENTS{{{0.21, 0}, {0.5, 1.25}, {0.9, 2.64}, {1, 3}}};

} // namespace

uint64_t
GetGrownWindow(Direction direction, double part)
{
    constexpr double LEAST = 4 << 20;
    const Quantiles& known = direction == Direction::DOWNLINK ? PARAMETERS : GRADIENTS;
    const auto above = std::find_if(known.begin(), known.end(), [part](const Quantile& quantile) {
        return part <= quantile.part;
    });
    if (above == known.begin())
    {
        return LEAST;
    }
    const Quantile& high = above == known.end() ? known.back() : *above;
    const Quantile& low = *(above - 1);
    const double within = std::min(1.0, (part - low.part) / (high.part - low.part));
    return LEAST * std::exp2(low.doublings + within * (high.doublings - low.doublings));
}

void
DrawGrownWindows(const Scenario& scenario, uint32_t replication, std::vector<TrainingRun>& runs)
{
    if (scenario.transfer.grant != "bdp" || scenario.network.transport != "linux")
    {
        return;
    }
    for (uint32_t job = 0; job < runs.size(); ++job)
    {
        TrainingRun& run = runs[job];
        const uint32_t servers = run.plan->servers;
        RngStream random(scenario.seed, GROWN_STREAM_BASE + job, replication);
        ConnectionWindows windows(run.workers, servers, run.window);
        for (uint32_t connection = 0; connection < run.workers * servers; ++connection)
        {
            for (const auto direction : {Direction::DOWNLINK, Direction::UPLINK})
            {
                windows.Set(connection / servers,
                            connection % servers,
                            direction == Direction::DOWNLINK,
                            {GetGrownWindow(direction, random.RandU01())});
            }
        }
        run.windows = servers > 0 ? std::move(windows) : run.windows;
    }
}

} // namespace ns3::dml
