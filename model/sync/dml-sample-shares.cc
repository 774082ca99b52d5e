/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-sample-shares.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ns3::dml
{

namespace
{

/// The shares before rounding.
class Quotas
{
  public:
    Quotas(const std::vector<double>& speeds, double total, const std::vector<uint32_t>& largest)
        : m_speeds(speeds),
          m_largest(largest),
          m_quotas(speeds.size()),
          m_settled(speeds.size(), false)
    {
        // Settling whichever bound is missed by more in all keeps what is left divisible.
        for (bool again = true; again;)
        {
            Divide(total);
            double excess = 0;
            double lack = 0;
            for (std::size_t i = 0; i < m_quotas.size(); ++i)
            {
                excess += std::max(0.0, m_quotas[i] - m_largest[i]);
                lack += std::max(0.0, 1 - m_quotas[i]);
            }
            again = excess > 0 || lack > 0;
            for (std::size_t i = 0; again && i < m_quotas.size(); ++i)
            {
                const bool outside = excess >= lack ? m_quotas[i] > m_largest[i] : m_quotas[i] < 1;
                if (outside)
                {
                    m_quotas[i] = excess >= lack ? m_largest[i] : 1;
                    m_settled[i] = true;
                }
            }
        }
    }

    const std::vector<double>& Get() const
    {
        return m_quotas;
    }

  private:
    /// Gives those that are not settled what the others leave.
    void Divide(double total)
    {
        double speed = 0;
        for (std::size_t i = 0; i < m_quotas.size(); ++i)
        {
            total -= m_settled[i] ? m_quotas[i] : 0;
            speed += m_settled[i] ? 0 : m_speeds[i];
        }
        for (std::size_t i = 0; i < m_quotas.size(); ++i)
        {
            if (!m_settled[i])
            {
                m_quotas[i] = m_speeds[i] / speed * total;
            }
        }
    }

    const std::vector<double>& m_speeds;    //!< by worker
    const std::vector<uint32_t>& m_largest; //!< by worker
    std::vector<double> m_quotas;           //!< by worker
    std::vector<bool> m_settled;            //!< at a bound, for good
};

/// Share of all samples below which a difference of remainders is rounding: speeds are quotients of
/// sums of times.
constexpr double ROUNDING = 1e-9;

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
    const std::vector<double> quotas = Quotas(speeds, total, largest).Get();
    std::vector<uint32_t> shares;
    std::vector<double> remainders;
    uint64_t left = total;
    for (const double quota : quotas)
    {
        shares.push_back(static_cast<uint32_t>(quota));
        remainders.push_back(quota - shares.back());
        left -= shares.back();
    }
    for (const std::size_t i : OrderRemainders(remainders, ROUNDING * total))
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
