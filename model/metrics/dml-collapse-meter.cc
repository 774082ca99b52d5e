/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-collapse-meter.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Part of the least rate below which a connection has collapsed.
constexpr double LEAST_GOODPUT = 0.01;
/// Retransmission timeouts that a collapse takes at least.
constexpr double LEAST_TIMEOUTS = 10;
/// Round trips of a transfer besides its bytes: the request, and the last byte's.
constexpr double ROUND_TRIPS = 2;
/// Stretches of time that are kept of a channel, for transfers that began before others ended.
constexpr std::size_t MOST_KEPT = 64;

} // namespace

CollapseMeter::CollapseMeter(std::vector<uint64_t> bytes, const Path& path)
    : m_bytes(std::move(bytes)),
      m_path(path)
{
}

void
CollapseMeter::On(const TransferRecord& record)
{
    const Endpoint& from = record.channel.from;
    const Endpoint& to = record.channel.to;
    Sum& sum = m_channels[{from.role, from.index, to.role, to.index}];
    sum.channel = record.channel;
    AddInterval(sum.busy, record.firstByte, record.lastByte);
    if (sum.busy.size() > MOST_KEPT)
    {
        const IntervalUnion old(sum.busy.begin(), sum.busy.begin() + MOST_KEPT / 2);
        sum.before += GetLength(old);
        sum.busy.erase(sum.busy.begin(), sum.busy.begin() + MOST_KEPT / 2);
    }
    sum.allowed += m_bytes[record.tensor] / m_path.bytesPerSecond + ROUND_TRIPS * m_path.roundTrip;
}

std::optional<CollapseMeter::Collapse>
CollapseMeter::GetWorst() const
{
    std::optional<Collapse> worst;
    for (const auto& [ends, sum] : m_channels)
    {
        const double busy = sum.before + GetLength(sum.busy);
        const bool collapsed =
            sum.allowed < LEAST_GOODPUT * busy && busy >= LEAST_TIMEOUTS * m_path.timeout;
        if (collapsed && (!worst || sum.allowed / busy < worst->goodput))
        {
            worst = {sum.channel, sum.allowed / busy, busy};
        }
    }
    return worst;
}

} // namespace ns3::dml
