/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-fifo-solver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Rates remembered: about 4 MB.
constexpr std::size_t MOST_KNOWN_RATES = 1 << 18;

/// Links beyond which Newton's method costs more than it saves.
constexpr std::size_t MOST_ROWS = 100;

/// Steps of the search for one link's delay; it converges quadratically from below.
constexpr uint32_t MOST_ROOT_STEPS = 60;

/// Sums of the same delays may differ by this part.
constexpr double SAME_ROUND_TRIP = 1e-12;

/// Part of a round trip below which a shrinking delay counts as none.
constexpr double LEAST_DELAY = 0.1 * FifoSolver::TOLERANCE;

/// Pivots below this count as zero where rows and columns are of size 1: delays are not unique
/// then.
constexpr double LEAST_PIVOT = 1e-9;

/**
 * @brief Gauss-Jordan elimination; an unknown that the equations do not determine is 0. Of several
 * that could be it is the last one, which no solver of Eigen's promises: delays would depend on it.
 * @param matrix rows of coefficients, each followed by its right-hand side; overwritten
 * @param size number of rows
 * @return the unknowns
 */
std::vector<double>
SolveLinear(std::vector<double>& matrix, std::size_t size)
{
    const std::size_t width = size + 1;
    const auto at = [&matrix, width](std::size_t row, std::size_t column) -> double& {
        return matrix[row * width + column];
    };
    std::vector<double> unknowns(size, 0);
    std::vector<std::size_t> columns; // by row: the unknown that it determines
    for (std::size_t column = 0; column < size; ++column)
    {
        const std::size_t next = columns.size();
        std::size_t pivot = next;
        for (std::size_t row = next + 1; row < size; ++row)
        {
            pivot = std::abs(at(row, column)) > std::abs(at(pivot, column)) ? row : pivot;
        }
        if (std::abs(at(pivot, column)) < LEAST_PIVOT)
        {
            continue;
        }
        std::swap_ranges(&at(pivot, 0), &at(pivot, 0) + width, &at(next, 0));
        for (std::size_t row = 0; row < size; ++row)
        {
            const double factor = at(row, column) / at(next, column);
            for (std::size_t i = column; row != next && factor != 0 && i < width; ++i)
            {
                at(row, i) -= factor * at(next, i);
            }
        }
        columns.push_back(column);
    }
    for (std::size_t row = 0; row < columns.size(); ++row)
    {
        unknowns[columns[row]] = at(row, size) / at(row, columns[row]);
    }
    return unknowns;
}

} // namespace

FifoSolver::FifoSolver(const FlowNetwork& network)
    : m_capped(network),
      m_delays(network.capacities.size(), 0),
      m_round(network.flows.size(), 0)
{
    for (const double capacity : network.capacities)
    {
        m_links.push_back({capacity});
    }
    for (const auto& flow : network.flows)
    {
        Route route{flow.forward, flow.forward, flow.window, flow.roundTrip, flow.cap > 0};
        for (const LinkId link : flow.reverse)
        {
            if (std::count(route.path.begin(), route.path.end(), link) == 0)
            {
                route.path.push_back(link);
            }
        }
        m_routes.push_back(std::move(route));
    }
}

bool
FifoSolver::SharesByWeight([[maybe_unused]] const std::vector<LinkId>& links,
                           const std::vector<FlowId>& flows) const
{
    const double roundTrip = m_routes[flows.front()].roundTrip;
    return std::all_of(flows.begin(), flows.end(), [&](FlowId flow) {
        const Route& route = m_routes[flow];
        return !route.capped &&
               std::abs(route.roundTrip - roundTrip) <= SAME_ROUND_TRIP * roundTrip;
    });
}

double
FifoSolver::GetWeight([[maybe_unused]] LinkId link, FlowId flow) const
{
    return m_routes[flow].window;
}

double
FifoSolver::GetHighestLevel(FlowId flow) const
{
    return 1 / m_routes[flow].roundTrip; // by 0: infinite
}

void
FifoSolver::SetCapacity(LinkId link, double bytesPerSecond)
{
    m_links[link].capacity = bytesPerSecond;
    m_capped.SetCapacity(link, bytesPerSecond);
    m_known.clear();
    m_knownRates = 0;
}

bool
FifoSolver::IsDown(const Route& route) const
{
    return std::any_of(route.path.begin(), route.path.end(), [this](LinkId link) {
        return m_links[link].capacity == 0;
    });
}

void
FifoSolver::Solve(const std::vector<FlowId>& active, std::vector<double>& rates)
{
    std::vector<FlowId> sorted(active);
    std::sort(sorted.begin(), sorted.end());
    auto known = m_known.find(sorted);
    if (known == m_known.end())
    {
        SolveAnew(sorted, rates);
        if (m_knownRates + sorted.size() > MOST_KNOWN_RATES)
        {
            m_known.clear();
            m_knownRates = 0;
        }
        std::vector<double> solution;
        for (const FlowId flow : sorted)
        {
            solution.push_back(rates[flow]);
        }
        m_knownRates += sorted.size();
        m_known.emplace(std::move(sorted), std::move(solution));
        return;
    }
    for (std::size_t i = 0; i < sorted.size(); ++i)
    {
        rates[sorted[i]] = known->second[i];
    }
}

void
FifoSolver::Prepare(const std::vector<FlowId>& active, std::vector<double>& rates)
{
    std::fill(m_delays.begin(), m_delays.end(), 0);
    m_used.clear();
    m_elastic.clear();
    m_inelastic.clear();
    for (auto& link : m_links)
    {
        link.left = link.capacity;
        link.flows.clear();
        link.all.clear();
    }
    for (const FlowId flow : active)
    {
        const Route& route = m_routes[flow];
        rates[flow] = 0;
        if (!IsDown(route))
        {
            (route.capped ? m_inelastic : m_elastic).push_back(flow);
        }
    }
    for (const FlowId flow : m_elastic)
    {
        m_round[flow] = m_routes[flow].roundTrip;
        for (const LinkId link : m_routes[flow].forward)
        {
            if (m_links[link].flows.empty())
            {
                m_used.push_back(link);
            }
            m_links[link].flows.push_back(flow);
        }
        for (const LinkId link : m_routes[flow].path)
        {
            m_links[link].all.push_back(flow);
        }
    }
    ServeCapped(rates);
}

void
FifoSolver::ServeCapped(std::vector<double>& rates)
{
    if (m_inelastic.empty())
    {
        return;
    }
    for (const LinkId link : m_used)
    {
        m_capped.SetCapacity(link, (1 - LEAST_LEFT) * m_links[link].capacity);
    }
    m_capped.Solve(m_inelastic, rates);
    for (const LinkId link : m_used)
    {
        m_capped.SetCapacity(link, m_links[link].capacity);
    }
    for (const FlowId flow : m_inelastic)
    {
        for (const LinkId link : m_routes[flow].forward)
        {
            m_links[link].left -= rates[flow];
        }
    }
}

void
FifoSolver::SolveAnew(const std::vector<FlowId>& active, std::vector<double>& rates)
{
    Prepare(active, rates);
    std::vector<double> best;
    double leastError = std::numeric_limits<double>::infinity();
    for (m_sweeps = 0; m_sweeps < MOST_SWEEPS && leastError > TOLERANCE; ++m_sweeps)
    {
        const bool damped = m_sweeps % 100 > 50; // against cycles, which the ACKs' way may cause
        for (const LinkId link : m_used)
        {
            const double found = FindDelay(link);
            const double mixed = damped ? 0.5 * (found + m_delays[link]) : found;
            const double round = m_round[m_links[link].flows.front()];
            SetDelay(link, found == 0 && mixed < LEAST_DELAY * round ? 0 : mixed);
        }
        if (m_sweeps % 4 == 3 && m_used.size() <= MOST_ROWS)
        {
            TryNewton();
        }
        const double error = GetError();
        if (error < leastError)
        {
            leastError = error;
            best = m_delays;
        }
    }
    for (const LinkId link : m_used)
    {
        SetDelay(link, best[link]);
    }
    Settle(rates);
}

void
FifoSolver::SetDelay(LinkId link, double delay)
{
    m_delays[link] = delay;
    for (const FlowId flow : m_links[link].all)
    {
        m_round[flow] = m_routes[flow].roundTrip; // summed anew, so that rounding does not pile up
        for (const LinkId other : m_routes[flow].path)
        {
            m_round[flow] += m_delays[other];
        }
    }
}

double
FifoSolver::FindDelay(LinkId id) const
{
    const Link& link = m_links[id];
    double windows = 0;
    double weighted = 0; // of the rest of the round trip
    double delay = 0;
    for (const FlowId flow : link.flows)
    {
        const double window = m_routes[flow].window;
        const double rest = std::max(0.0, m_round[flow] - m_delays[id]);
        windows += window;
        weighted += window * rest;
        delay = std::max(delay, window / link.left - rest); // alone it must fit
    }
    // the load is convex in the delay, so Jensen's inequality gives a start below the root, from
    // which Newton's method rises to it
    delay = std::max(delay, windows / link.left - weighted / windows);
    for (uint32_t step = 0; step < MOST_ROOT_STEPS; ++step)
    {
        double load = 0;
        double slope = 0;
        for (const FlowId flow : link.flows)
        {
            const double round = std::max(0.0, m_round[flow] - m_delays[id]) + delay;
            const double rate = m_routes[flow].window / round;
            load += rate;
            slope += rate / round;
        }
        if (load <= link.left * (1 + 1e-15) || slope == 0)
        {
            break;
        }
        delay += (load - link.left) / slope;
    }
    return delay;
}

double
FifoSolver::GetLoad(LinkId link) const
{
    double load = 0;
    for (const FlowId flow : m_links[link].flows)
    {
        load += m_routes[flow].window / m_round[flow];
    }
    return load;
}

double
FifoSolver::GetError() const
{
    double error = 0;
    for (const LinkId link : m_used)
    {
        const double excess = GetLoad(link) / m_links[link].left - 1;
        error = std::max(error, m_delays[link] > 0 ? std::abs(excess) : excess);
    }
    return error;
}

void
FifoSolver::FillMatrix(const std::vector<LinkId>& rows)
{
    const std::size_t width = rows.size() + 1;
    m_matrix.assign(rows.size() * width, 0);
    for (std::size_t row = 0; row < rows.size(); ++row)
    {
        // relative to the link's rate and to its delay: rows and columns of like size
        const Link& link = m_links[rows[row]];
        m_matrix[row * width + rows.size()] = GetLoad(rows[row]) / link.left - 1;
        for (const FlowId flow : link.flows)
        {
            const double slope =
                m_routes[flow].window / (m_round[flow] * m_round[flow]) / link.left;
            for (const LinkId other : m_routes[flow].path)
            {
                if (m_delays[other] > 0)
                {
                    m_matrix[row * width + m_links[other].row] += slope * m_delays[other];
                }
            }
        }
    }
}

void
FifoSolver::TryNewton()
{
    std::vector<LinkId> rows;
    for (const LinkId link : m_used)
    {
        if (m_delays[link] > 0)
        {
            m_links[link].row = rows.size();
            rows.push_back(link);
        }
    }
    FillMatrix(rows);
    const std::vector<double> steps = SolveLinear(m_matrix, rows.size());
    const double before = GetError();
    const std::vector<double> delays = m_delays;
    for (std::size_t row = 0; row < rows.size(); ++row)
    {
        SetDelay(rows[row], std::max(0.0, delays[rows[row]] * (1 + steps[row])));
    }
    if (!(GetError() < before))
    {
        for (const LinkId link : rows)
        {
            SetDelay(link, delays[link]);
        }
    }
}

void
FifoSolver::Settle(std::vector<double>& rates) const
{
    for (const FlowId flow : m_elastic)
    {
        const double rate = m_routes[flow].window / m_round[flow];
        double fit = 1;
        for (const LinkId link : m_routes[flow].forward)
        {
            fit = std::min(fit, m_links[link].left / GetLoad(link));
        }
        rates[flow] = fit * rate;
    }
}

} // namespace ns3::dml
