/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-clock-objective.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlopt.hpp>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Points of a grid along one offset.
constexpr int GRID = 129;
/// Passes over all offsets at most.
constexpr int PASSES = 10;
constexpr int MOST_EVALUATIONS = 2000;
/// Precision of offsets, seconds.
constexpr double PRECISION = 1e-8;
/// Least extent of a grid on the side without a bound, seconds.
constexpr double LEAST_SPAN = 1e-3;

/// One search.
class ClockSearch
{
  public:
    ClockSearch(const ClockObjective& objective,
                const std::vector<ClockMessage>& messages,
                const ClockBounds& bounds,
                const std::vector<double>& start)
        : m_objective(objective),
          m_messages(messages),
          m_bounds(bounds),
          m_offsets(start),
          m_steps(start.size(), PRECISION)
    {
        for (const ClockMessage& message : messages)
        {
            m_span = std::max(m_span, -GetExcess(message, start));
        }
        m_allowed = bounds.relaxation + GetViolation(start) + PRECISION;
    }

    std::vector<double> Run()
    {
        if (m_offsets.size() < 2)
        {
            return m_offsets;
        }
        for (int pass = 0; pass < PASSES; ++pass)
        {
            bool better = false;
            for (std::size_t machine = 1; machine < m_offsets.size(); ++machine)
            {
                better = TryGrid(machine) || better;
            }
            if (!better)
            {
                break;
            }
        }
        Refine();
        return m_offsets;
    }

  private:
    /// @return by how much @p message arrives too early with @p offsets
    static double GetExcess(const ClockMessage& message, const std::vector<double>& offsets)
    {
        return offsets[message.receiver] - offsets[message.sender] -
               (message.received - message.sent);
    }

    /// @return the largest excess of all messages, at least 0
    double GetViolation(const std::vector<double>& offsets) const
    {
        double violation = 0;
        for (const ClockMessage& message : m_messages)
        {
            violation = std::max(violation, GetExcess(message, offsets));
        }
        return violation;
    }

    /// @param machine whose offset is changed if that is better; @return whether it was
    bool TryGrid(std::size_t machine)
    {
        const ClockBound& bound = m_bounds.machines[machine];
        const double low = std::isfinite(bound.lower) ? bound.lower : m_offsets[machine] - m_span;
        const double high = std::isfinite(bound.upper) ? bound.upper : m_offsets[machine] + m_span;
        m_steps[machine] = std::max(PRECISION, (high - low) / (GRID - 1));
        double least = m_objective(m_offsets);
        bool better = false;
        std::vector<double> tried = m_offsets;
        for (int point = 0; point < GRID; ++point)
        {
            tried[machine] = low + m_steps[machine] * point;
            const double value = m_objective(tried);
            if (value < least && GetViolation(tried) <= m_allowed)
            {
                least = value;
                m_offsets[machine] = tried[machine];
                better = true;
            }
        }
        return better;
    }

    /// Go to a local minimum nearby.
    void Refine()
    {
        const auto unpack = [](const std::vector<double>& x) {
            std::vector<double> all{0};
            all.insert(all.end(), x.begin(), x.end());
            return all;
        };
        using Function = std::function<double(const std::vector<double>&)>;
        const double unit = std::max(1e-18, m_objective(m_offsets)); // NLopt likes values near 1
        Function value = [&](const std::vector<double>& x) {
            return m_objective(unpack(x)) / unit;
        };
        Function excess = [&](const std::vector<double>& x) {
            return GetViolation(unpack(x)) - m_allowed;
        };
        const auto call = [](const std::vector<double>& x, std::vector<double>&, void* data) {
            return (*static_cast<Function*>(data))(x);
        };
        nlopt::opt search(nlopt::LN_COBYLA, m_offsets.size() - 1);
        search.set_min_objective(call, &value);
        search.add_inequality_constraint(call, &excess, PRECISION);
        search.set_initial_step(std::vector<double>(m_steps.begin() + 1, m_steps.end()));
        search.set_xtol_abs(PRECISION);
        search.set_maxeval(MOST_EVALUATIONS);
        std::vector<double> x(m_offsets.begin() + 1, m_offsets.end());
        double least = 0;
        try
        {
            search.optimize(x, least);
        }
        catch (const nlopt::roundoff_limited&)
        {
            // x is as good as rounding allows
        }
        const std::vector<double> refined = unpack(x);
        if (m_objective(refined) < m_objective(m_offsets) &&
            GetViolation(refined) <= m_allowed + PRECISION)
        {
            m_offsets = refined;
        }
    }

    const ClockObjective& m_objective;           //!< to be made least
    const std::vector<ClockMessage>& m_messages; //!< the constraints
    const ClockBounds& m_bounds;                 //!< intervals of the offsets
    std::vector<double> m_offsets;               //!< the best so far
    std::vector<double> m_steps;                 //!< widths of the grids
    double m_span{LEAST_SPAN};                   //!< of a grid on the side without a bound, seconds
    double m_allowed{0};                         //!< a violation up to this is none
};

} // namespace

std::vector<double>
MinimiseClocks(const ClockObjective& objective,
               const std::vector<ClockMessage>& messages,
               const ClockBounds& bounds,
               const std::vector<double>& start)
{
    return ClockSearch(objective, messages, bounds, start).Run();
}

} // namespace ns3::dml
