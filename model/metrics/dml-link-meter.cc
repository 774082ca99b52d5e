/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-link-meter.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

namespace ns3
{
namespace dml
{

LinkMeter::LinkMeter(std::vector<double> capacities, uint32_t maxBins)
    : m_capacities(std::move(capacities)),
      m_maxBins(maxBins + maxBins % 2),
      m_bytes(2 * m_capacities.size(), std::vector<double>(m_maxBins, 0))
{
}

size_t
LinkMeter::GetLink(Direction direction, uint32_t server) const
{
    return 2 * static_cast<size_t>(server) + (direction == Direction::UPLINK ? 1 : 0);
}

void
LinkMeter::Widen()
{
    for (auto& bins : m_bytes)
    {
        for (uint32_t i = 0; i < m_maxBins / 2; ++i)
        {
            bins[i] = bins[2 * i] + bins[2 * i + 1];
        }
        std::fill(bins.begin() + m_maxBins / 2, bins.end(), 0);
    }
    m_width *= 2;
}

void
LinkMeter::LinkUsed(const LinkRecord& record)
{
    const bool sane = std::isfinite(record.start) && std::isfinite(record.end) &&
                      std::isfinite(record.bytesPerSecond) && record.start >= 0 &&
                      record.end >= record.start;
    if (record.server >= GetServers() || !sane)
    {
        throw RunError("link meter: a record of server " + std::to_string(record.server) +
                       " from " + std::to_string(record.start) + " s to " +
                       std::to_string(record.end) + " s, " +
                       std::to_string(record.bytesPerSecond) + " bytes/s, makes no sense in a "
                       "run with " + std::to_string(GetServers()) + " parameter servers");
    }
    while (record.end > m_width * m_maxBins)
    {
        Widen();
    }
    m_end = std::max(m_end, record.end);
    auto& bins = m_bytes[GetLink(record.direction, record.server)];
    const auto first = static_cast<uint32_t>(record.start / m_width);
    for (uint32_t i = first; i < m_maxBins && i * m_width < record.end; ++i)
    {
        const double from = std::max(record.start, i * m_width);
        const double to = std::min(record.end, (i + 1) * m_width);
        bins[i] += std::max(0.0, to - from) * record.bytesPerSecond;
    }
}

uint32_t
LinkMeter::GetServers() const
{
    return m_capacities.size();
}

double
LinkMeter::GetBinWidth() const
{
    return m_width;
}

double
LinkMeter::GetEnd() const
{
    return m_end;
}

uint32_t
LinkMeter::GetBinCount() const
{
    return std::min<uint32_t>(m_maxBins, std::ceil(m_end / m_width));
}

std::vector<double>
LinkMeter::GetUtilisation(Direction direction, uint32_t server) const
{
    const auto& bins = m_bytes.at(GetLink(direction, server));
    std::vector<double> result(GetBinCount());
    for (uint32_t i = 0; i < result.size(); ++i)
    {
        const double width = std::min(m_width, m_end - i * m_width);
        result[i] = bins[i] / (m_capacities[server] * width);
    }
    return result;
}

double
LinkMeter::GetMeanUtilisation(Direction direction, uint32_t server, double t0, double t1) const
{
    if (!(t1 > t0))
    {
        return std::numeric_limits<double>::quiet_NaN();
    }
    const auto& bins = m_bytes.at(GetLink(direction, server));
    double bytes = 0;
    for (uint32_t i = 0; i < GetBinCount(); ++i)
    {
        const double start = i * m_width;
        const double end = std::min(start + m_width, m_end);
        const double overlap = std::min(end, t1) - std::max(start, t0);
        if (overlap > 0)
        {
            bytes += bins[i] * overlap / (end - start);
        }
    }
    return bytes / (m_capacities[server] * (t1 - t0));
}

double
LinkMeter::GetBytes(Direction direction, uint32_t server) const
{
    const auto& bins = m_bytes.at(GetLink(direction, server));
    return std::accumulate(bins.begin(), bins.end(), 0.0);
}

} // namespace dml
} // namespace ns3
