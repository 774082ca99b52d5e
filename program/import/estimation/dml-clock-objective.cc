/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-clock-objective.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Variance of times that are rounded to microseconds, s^2, about.
constexpr double LEAST_VARIANCE = 1e-12;

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

ClockObjective::ClockObjective(std::vector<std::vector<FamilyMember>> families)
    : m_families(std::move(families))
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
ClockObjective::operator()(const std::vector<double>& offsets) const
{
    double sum = 0;
    for (const auto& family : m_families)
    {
        sum += GetVariance(family, offsets);
    }
    return sum;
}

double
ClockObjective::GetDeviance(uint32_t machine,
                            const std::vector<double>& before,
                            const std::vector<double>& after) const
{
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
