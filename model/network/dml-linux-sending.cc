/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-linux-sending.h"

#include <algorithm>
#include <cmath>

namespace ns3::dml
{

namespace
{

// the names in the comments are the kernel's
constexpr double PACING_TIME = 1.0 / 1024; //!< of data in a burst (sk_pacing_shift), s
constexpr double GSO_ROUND_TRIP = 512e-6;  //!< halves a burst's allowance (tcp_tso_rtt_log), s
constexpr double MOST_HALVINGS = 32;       //!< leave nothing of the allowance
constexpr uint32_t LEAST_SEGMENTS = 2;     //!< of a burst (tcp_min_tso_segs)
constexpr uint64_t WINDOW_DIVISOR = 3;     //!< of a window is worth a burst (tcp_tso_win_divisor)
constexpr double RECENT_WRITE = 1e-3;      //!< may be followed by a deferred one, s
constexpr uint32_t BUFFERED_WINDOWS = 3;   //!< twice the window, of skbs that are 2/3 payload
constexpr uint64_t FIRST_SEGMENTS = 10;    //!< in a new send buffer (TCP_INIT_CWND)

} // namespace

double
GetPacingRate(const SenderView& view)
{
    const double ratio = view.window < view.threshold / 2 ? 2.0 : 1.2;
    return ratio * view.window / std::max(view.roundTrip, 1e-6);
}

SendingLimits
GetSendingLimits(const SenderView& view)
{
    const double paced = GetPacingRate(view) * PACING_TIME;
    uint32_t burst = view.segment;
    if (view.gsoSize > 0)
    {
        const double halvings =
            std::min(MOST_HALVINGS, std::floor(view.shortestRoundTrip / GSO_ROUND_TRIP));
        const double bytes =
            std::min<double>(view.gsoSize, paced + view.gsoSize / std::exp2(halvings));
        burst =
            std::max(static_cast<uint32_t>(bytes) / view.segment, LEAST_SEGMENTS) * view.segment;
    }
    return {burst, std::max(2.0 * burst, paced)};
}

uint64_t
GetBurstQuota(uint32_t segment, uint64_t window, uint64_t room)
{
    const uint64_t half = std::max<uint64_t>(window / segment / 2, 1) * segment;
    return std::min(half, room);
}

uint64_t
GetSendBuffer(uint32_t segment, uint64_t window)
{
    return BUFFERED_WINDOWS * std::max(window, FIRST_SEGMENTS * segment);
}

bool
IsWorthDeferring(uint32_t burst, double roundTrip, const DeferralView& now)
{
    if (now.sinceLastWrite > RECENT_WRITE || now.room >= now.unsent || now.room >= burst ||
        now.room >= now.window / WINDOW_DIVISOR)
    {
        return false;
    }
    // the next ACK is likely to come soon
    return now.sinceOldest >= roundTrip / 2;
}

} // namespace ns3::dml
