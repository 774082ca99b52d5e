/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-link-meter.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <numeric>
#include <utility>

namespace ns3::dml
{

LinkMeter::LinkMeter(std::vector<LinkCapacity> capacities, uint32_t maxBins)
    : m_capacities(std::move(capacities)),
      m_bytes(2 * m_capacities.size(), maxBins)
{
}

void
LinkMeter::On(const LinkRecord& record)
{
    const bool sane = std::isfinite(record.start) && std::isfinite(record.end) &&
                      std::isfinite(record.bytesPerSecond) && record.start >= 0 &&
                      record.end >= record.start;
    const uint32_t server = record.link.endpoint.index;
    if (record.link.endpoint.role != Role::SERVER || server >= GetServers() || !sane)
    {
        throw RunError(fmt::format("link meter: a record of server {} from {:f} s to {:f} s, {:f} "
                                   "bytes/s, makes no sense in a run with {} parameter servers",
                                   server,
                                   record.start,
                                   record.end,
                                   record.bytesPerSecond,
                                   GetServers()));
    }
    m_bytes.Add(GetLink(GetDirection(record.link), server),
                record.start,
                record.end,
                record.bytesPerSecond);
}

std::vector<double>
LinkMeter::GetUtilisation(Direction direction, uint32_t server) const
{
    std::vector<double> utilisation = m_bytes.GetRates(GetLink(direction, server));
    for (double& value : utilisation)
    {
        value /= GetCapacity(direction, server);
    }
    return utilisation;
}

double
LinkMeter::GetMeanUtilisation(Direction direction, uint32_t server, double t0, double t1) const
{
    if (!(t1 > t0))
    {
        return std::numeric_limits<double>::quiet_NaN();
    }
    const auto& bins = m_bytes.Get(GetLink(direction, server));
    double bytes = 0;
    for (uint32_t i = 0; i < GetBinCount(); ++i)
    {
        const double start = i * GetBinWidth();
        const double end = std::min(start + GetBinWidth(), GetEnd());
        const double overlap = std::min(end, t1) - std::max(start, t0);
        if (overlap > 0)
        {
            bytes += bins[i] * overlap / (end - start);
        }
    }
    return bytes / (GetCapacity(direction, server) * (t1 - t0));
}

double
LinkMeter::GetBytes(Direction direction, uint32_t server) const
{
    const auto& bins = m_bytes.Get(GetLink(direction, server));
    return std::accumulate(bins.begin(), bins.end(), 0.0);
}

} // namespace ns3::dml
