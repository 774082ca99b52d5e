/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-sample-shares.h"

#include <algorithm>
#include <numeric>

namespace ns3::dml
{

namespace
{

/// Gives those that are not settled what the others leave.
void
DivideRest(const std::vector<double>& speeds,
           double total,
           const std::vector<bool>& settled,
           std::vector<double>& quotas)
{
    double speed = 0;
    for (std::size_t i = 0; i < quotas.size(); ++i)
    {
        total -= settled[i] ? quotas[i] : 0;
        speed += settled[i] ? 0 : speeds[i];
    }
    for (std::size_t i = 0; i < quotas.size(); ++i)
    {
        quotas[i] = settled[i] ? quotas[i] : speeds[i] / speed * total;
    }
}

/// @return the shares before rounding
std::vector<double>
FindQuotas(const std::vector<double>& speeds, double total, const std::vector<uint32_t>& largest)
{
    std::vector<double> quotas(speeds.size());
    std::vector<bool> settled(speeds.size(), false); // at a bound, for good
    // Settling whichever bound is missed by more in all keeps what is left divisible.
    while (true)
    {
        DivideRest(speeds, total, settled, quotas);
        double excess = 0;
        double lack = 0;
        for (std::size_t i = 0; i < quotas.size(); ++i)
        {
            excess += std::max(0.0, quotas[i] - largest[i]);
            lack += std::max(0.0, 1 - quotas[i]);
        }
        if (!(excess > 0 || lack > 0))
        {
            return quotas;
        }
        for (std::size_t i = 0; i < quotas.size(); ++i)
        {
            if (excess >= lack ? quotas[i] > largest[i] : quotas[i] < 1)
            {
                quotas[i] = excess >= lack ? largest[i] : 1;
                settled[i] = true;
            }
        }
    }
}

/// Share of all samples below which a difference of remainders is rounding: speeds are quotients of
/// sums of times.
constexpr double SHARE_ROUNDING = 1e-9;

/// @return the workers by falling remainder, equal ones by number
std::vector<std::size_t>
OrderRemainders(const std::vector<double>& remainders, double rounding)
{
    std::vector<std::size_t> order(remainders.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return remainders[a] > remainders[b];
    });
    // what differs by rounding from its neighbour is equal to it
    for (auto first = order.begin(); first != order.end();)
    {
        auto last = first + 1;
        while (last != order.end() && remainders[*(last - 1)] - remainders[*last] < rounding)
        {
            ++last;
        }
        std::sort(first, last);
        first = last;
    }
    return order;
}

} // namespace

std::vector<uint32_t>
ShareSamples(const std::vector<double>& speeds,
             uint64_t total,
             const std::vector<uint32_t>& largest)
{
    const uint64_t room = std::accumulate(largest.begin(), largest.end(), uint64_t{0});
    if (total < speeds.size() || total > room)
    {
        return {};
    }
    std::vector<uint32_t> shares;
    std::vector<double> remainders;
    uint64_t left = total;
    for (const double quota : FindQuotas(speeds, total, largest))
    {
        shares.push_back(static_cast<uint32_t>(quota));
        remainders.push_back(quota - shares.back());
        left -= shares.back();
    }
    for (const std::size_t i : OrderRemainders(remainders, SHARE_ROUNDING * total))
    {
        if (left > 0 && shares[i] < largest[i])
        {
            ++shares[i];
            --left;
        }
    }
    return shares;
}

} // namespace ns3::dml
