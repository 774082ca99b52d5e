/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-load-meter.h"

#include <algorithm>
#include <cmath>

namespace ns3::dml
{

LoadMeter::LoadMeter(const FlowNetwork& network, double interval, RunObserver* observer)
    : m_network(network),
      m_interval(interval),
      m_observer(observer),
      m_meters(observer ? network.capacities.size() : 0)
{
    for (uint32_t server = 0; observer && server < network.serverLinks.size(); ++server)
    {
        m_meters[network.serverLinks[server].link].server = server;
    }
}

void
LoadMeter::CountServer(Meter& meter, double bytes, double time)
{
    const auto interval = static_cast<int64_t>(std::floor((m_origin + time) / m_interval));
    if (interval != meter.interval)
    {
        Report(meter, static_cast<double>(meter.interval + 1) * m_interval);
        meter.interval = interval;
    }
    meter.bytes += bytes;
}

void
LoadMeter::Report(Meter& meter, double end)
{
    const double begin = static_cast<double>(meter.interval) * m_interval;
    if (meter.bytes > 0 && end > begin)
    {
        const ServerLink& server = m_network.serverLinks[meter.server];
        m_observer->Observe(
            {server.job, LinkRecord{server.access, begin, end, meter.bytes / (end - begin)}});
    }
    meter.bytes = 0;
}

void
LoadMeter::Flush(double now)
{
    for (auto& meter : m_meters)
    {
        const double end = static_cast<double>(meter.interval + 1) * m_interval;
        Report(meter, std::min(end, m_origin + now));
    }
}

} // namespace ns3::dml
