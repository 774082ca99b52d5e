/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-clock-objective.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Variance of times that are rounded to microseconds, s^2, about.
constexpr double LEAST_VARIANCE = 1e-12;
/// The variance on a host is less if it is at most this share.
constexpr double LESS_OF_HOST = 0.99;

/// Variance of values that come one by one (Welford).
class Variance
{
  public:
    /// @param value the next one
    void Add(double value)
    {
        ++m_count;
        const double before = value - m_mean;
        m_mean += before / m_count;
        m_squares += before * (value - m_mean);
    }

    /// @return mean square distance from the mean
    double Get() const
    {
        return m_squares / m_count;
    }

  private:
    double m_count{0};   //!< of values
    double m_mean{0};    //!< of values
    double m_squares{0}; //!< sum of squares of distances from the mean
};

} // namespace

ClockObjective::ClockObjective(std::vector<std::vector<FamilyMember>> families,
                               std::vector<std::vector<uint32_t>> hosts,
                               std::vector<double> origins,
                               double familyWeight,
                               double hostWeight)
    : m_families(std::move(families)),
      m_hosts(std::move(hosts)),
      m_origins(std::move(origins)),
      m_familyWeight(familyWeight),
      m_hostWeight(hostWeight)
{
}

double
ClockObjective::GetVariance(const std::vector<FamilyMember>& family,
                            const std::vector<double>& offsets)
{
    Variance variance;
    for (const FamilyMember& member : family)
    {
        const double late = offsets[member.receiver] - offsets[member.sender];
        variance.Add(member.end - std::max(member.start, member.ready + late));
    }
    return variance.Get();
}

double
ClockObjective::GetHostVariance(const std::vector<uint32_t>& host,
                                const std::vector<double>& offsets) const
{
    Variance variance;
    for (const uint32_t machine : host)
    {
        variance.Add(m_origins[machine] + offsets[machine]);
    }
    return variance.Get();
}

double
ClockObjective::operator()(const std::vector<double>& offsets) const
{
    double sum = 0;
    for (const auto& family : m_families)
    {
        sum += m_familyWeight * GetVariance(family, offsets);
    }
    for (const auto& host : m_hosts)
    {
        sum += m_hostWeight * GetHostVariance(host, offsets);
    }
    return sum;
}

double
ClockObjective::GetDeviance(uint32_t machine,
                            const std::vector<double>& before,
                            const std::vector<double>& after) const
{
    for (const auto& host : m_hosts)
    {
        if (m_hostWeight > 0 && std::find(host.begin(), host.end(), machine) != host.end() &&
            GetHostVariance(host, after) <
                LESS_OF_HOST * GetHostVariance(host, before) - LEAST_VARIANCE)
        {
            return std::numeric_limits<double>::infinity();
        }
    }
    double deviance = 0;
    for (const auto& family : m_families)
    {
        // All members have the same machines.
        if (family.front().sender == machine || family.front().receiver == machine)
        {
            deviance += static_cast<double>(family.size() - 1) *
                        std::log((GetVariance(family, before) + LEAST_VARIANCE) /
                                 (GetVariance(family, after) + LEAST_VARIANCE));
        }
    }
    return deviance;
}

} // namespace ns3::dml
