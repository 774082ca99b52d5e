/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-connection-windows.h"

#include "ns3/rng-stream.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr uint64_t WINDOW_STREAM_BASE = 3000000; // connection c uses WINDOW_STREAM_BASE + c

} // namespace

ConnectionWindows::ConnectionWindows(uint32_t workers,
                                     uint32_t servers,
                                     uint64_t min,
                                     uint64_t max,
                                     uint32_t seed,
                                     uint32_t replication,
                                     uint32_t stream)
    : m_servers(servers)
{
    const double range = static_cast<double>(max - min) + 1;
    const uint64_t connections = uint64_t{2} * workers * servers;
    for (uint64_t i = 0; i < connections; ++i)
    {
        const double draw = RngStream(seed, WINDOW_STREAM_BASE + stream + i, replication).RandU01();
        m_windows.push_back({std::min(max, min + static_cast<uint64_t>(draw * range))});
    }
}

ConnectionWindows::ConnectionWindows(uint32_t workers, uint32_t servers, uint64_t window)
    : m_windows(std::size_t{2} * workers * servers, {window}),
      m_servers(servers)
{
}

void
ConnectionWindows::Set(uint32_t worker,
                       uint32_t server,
                       bool downlink,
                       std::vector<uint64_t> windows)
{
    m_windows[GetIndex(worker, server, downlink)] = std::move(windows);
}

uint64_t
ConnectionWindows::Get(uint32_t worker, uint32_t server, bool downlink, uint32_t step) const
{
    const auto& steps = GetSteps(worker, server, downlink);
    return steps[std::min<std::size_t>(step, steps.size() - 1)];
}

const std::vector<uint64_t>&
ConnectionWindows::GetSteps(uint32_t worker, uint32_t server, bool downlink) const
{
    return m_windows[GetIndex(worker, server, downlink)];
}

std::size_t
ConnectionWindows::GetIndex(uint32_t worker, uint32_t server, bool downlink) const
{
    return 2 * (std::size_t{worker} * m_servers + server) + (downlink ? 0 : 1);
}

} // namespace ns3::dml
