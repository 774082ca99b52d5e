/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-match-effects.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace ns3::dml
{

namespace
{

/// For how long something has been the case until an instant.
class BusyTime
{
  public:
    /// @param pieces begin and end of each, s; those of one flow do not overlap
    explicit BusyTime(const std::vector<std::pair<double, double>>& pieces)
    {
        std::vector<std::pair<double, int>> changes;
        for (const auto& [begin, end] : pieces)
        {
            changes.emplace_back(begin, 1);
            changes.emplace_back(end, -1);
        }
        std::sort(changes.begin(), changes.end());
        double sum = 0;
        int active = 0;
        double before = 0;
        for (const auto& [time, change] : changes)
        {
            sum += active * (time - before);
            active += change;
            before = time;
            m_points.push_back({time, sum, active});
        }
    }

    /// @param begin s @param end s, later @return mean number of pieces that are under way
    double GetMean(double begin, double end) const
    {
        return (Integrate(end) - Integrate(begin)) / (end - begin);
    }

  private:
    struct Point
    {
        double time; //!< s
        double sum;  //!< of the time of all pieces until then, s
        int active;  //!< pieces under way from then on
    };

    double Integrate(double time) const
    {
        const auto next =
            std::upper_bound(m_points.begin(),
                             m_points.end(),
                             time,
                             [](double value, const Point& point) { return value < point.time; });
        return next == m_points.begin() ? 0
                                        : std::prev(next)->sum + std::prev(next)->active *
                                                                     (time - std::prev(next)->time);
    }

    std::vector<Point> m_points; //!< in their order
};

/// @param pieces begin and end of each, s @return the same time in pieces that do not overlap
std::vector<std::pair<double, double>>
Join(std::vector<std::pair<double, double>> pieces)
{
    std::sort(pieces.begin(), pieces.end());
    std::vector<std::pair<double, double>> joined;
    for (const auto& piece : pieces)
    {
        if (joined.empty() || piece.first > joined.back().second)
        {
            joined.push_back(piece);
        }
        joined.back().second = std::max(joined.back().second, piece.second);
    }
    return joined;
}

/// Tells which link limits the transfers of a run.
class PortFinder
{
  public:
    explicit PortFinder(const RecordedRun& run)
        : m_run(run)
    {
        const FlowNetwork& network = run.links;
        for (std::size_t flow = 0; flow < network.training.size(); ++flow)
        {
            const auto& [from, to] = network.training[flow];
            const bool pull = to.role == Role::WORKER;
            m_flows[{pull ? to.index : from.index, pull ? from.index : to.index, pull}] = flow;
            for (const LinkId link : network.flows[flow].forward)
            {
                m_workers[link].insert(pull ? to.index : from.index);
            }
        }
        std::map<std::size_t, std::vector<std::pair<double, double>>> pieces; // by flow
        for (std::size_t step = 0; step < run.steps.size(); ++step)
        {
            for (const auto& [transfer, first, last] : run.transfers[step])
            {
                if (const auto flow = FindFlow(step, transfer))
                {
                    pieces[*flow].emplace_back(first, last);
                }
            }
        }
        std::map<LinkId, std::vector<std::pair<double, double>>> all;
        for (auto& [flow, list] : pieces)
        {
            const auto joined = Join(std::move(list));
            for (const LinkId link : network.flows[flow].forward)
            {
                all[link].insert(all[link].end(), joined.begin(), joined.end());
            }
        }
        for (const auto& [link, list] : all)
        {
            m_busy.emplace(link, BusyTime(list));
        }
    }

    /// @return name of the link that leaves a transfer least; empty: its hosts are the same
    std::string Find(std::size_t step, const TimedTransfer& transfer) const
    {
        constexpr double NEAR = 1.01; // shares that are taken for the same
        const auto flow = FindFlow(step, transfer.transfer);
        if (!flow || m_run.links.flows[*flow].forward.empty() || transfer.last <= transfer.first)
        {
            return "";
        }
        std::vector<std::pair<double, LinkId>> shares; // bytes per second
        for (const LinkId link : m_run.links.flows[*flow].forward)
        {
            const double active =
                std::max(1.0, m_busy.at(link).GetMean(transfer.first, transfer.last));
            shares.emplace_back(m_run.links.capacities[link] / active, link);
        }
        std::sort(shares.begin(), shares.end());
        const bool several = shares.size() > 1 && shares[1].first < NEAR * shares[0].first;
        return several ? "several links alike" : Name(shares.front().second);
    }

  private:
    std::optional<std::size_t> FindFlow(std::size_t step, const StepTransfer& transfer) const
    {
        const auto found = m_flows.find({m_run.steps[step].worker, transfer.server, transfer.pull});
        return found == m_flows.end() ? std::nullopt : std::optional(found->second);
    }

    std::string Name(LinkId link) const
    {
        for (const auto& known : m_run.links.serverLinks)
        {
            if (known.link == link)
            {
                return ServerName(0, known.access.endpoint.index) +
                       (known.access.way == AccessLink::Way::OUT ? ", out" : ", in");
            }
        }
        return m_workers.at(link).size() == 1 ? "a worker's own" : "between switches";
    }

    const RecordedRun& m_run;                                            //!< see the constructor
    std::map<std::tuple<uint32_t, uint32_t, bool>, std::size_t> m_flows; //!< worker, server, pull
    std::map<LinkId, std::set<uint32_t>> m_workers;                      //!< whose flows cross it
    std::map<LinkId, BusyTime> m_busy;                                   //!< flows on it
};

EffectParts
DivideByPort(const RecordedRun& run)
{
    const PortFinder finder(run);
    std::map<std::pair<std::size_t, StepTransfer>, std::string> ports;
    std::map<std::string, std::size_t> places;
    for (std::size_t step = 0; step < run.steps.size(); ++step)
    {
        for (const auto& transfer : run.transfers[step])
        {
            const std::string port = finder.Find(step, transfer);
            if (!port.empty())
            {
                places[port];
                ports[{step, transfer.transfer}] = port;
            }
        }
    }
    EffectParts parts;
    for (auto& [name, place] : places)
    {
        place = parts.names.size();
        parts.names.push_back(name);
    }
    parts.find = [=](std::size_t step, const StepTransfer& transfer) -> std::optional<std::size_t> {
        const auto found = ports.find({step, transfer});
        return found == ports.end() ? std::nullopt : std::optional(places.at(found->second));
    };
    return parts;
}

} // namespace

MatchEffect
PortEffect()
{
    return {"port",
            "the link that leaves a transfer least, by how many share it",
            DivideByPort,
            nullptr};
}

} // namespace ns3::dml
