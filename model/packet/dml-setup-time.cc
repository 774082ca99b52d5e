/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-setup-time.h"

#include <algorithm>

namespace ns3::dml
{

Time
GetSetupTime(const ClusterNetwork& network,
             const std::vector<JobEndpoints>& jobs,
             const DataRate& rate,
             uint32_t sockets)
{
    Time delay;
    uint64_t slowest = rate.GetBitRate();
    double pairs = 0;
    for (const auto& job : jobs)
    {
        for (const auto& [endpoint, peer] : job.ListPairs())
        {
            Time path;
            for (const DirectedLink link :
                 network.FindRoute(job.GetName(peer), job.GetName(endpoint)))
            {
                path += network.GetLinks()[link / 2].delay;
                for (const DataRate& each : network.GetLinks()[link / 2].rates)
                {
                    slowest = std::min(slowest, each.GetBitRate());
                }
            }
            delay = Max(delay, path);
            ++pairs;
        }
    }
    // A handshake is two round trips. All of them may queue on one link: SYN, ACK and preface,
    // some 300 bytes for each connection of a pair; each end opens so many.
    const double bits = 8.0 * 2 * 300 * sockets * pairs;
    return MilliSeconds(100) + 4 * delay + Seconds(2 * bits / slowest);
}

} // namespace ns3::dml
