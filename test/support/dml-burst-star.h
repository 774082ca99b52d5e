/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BURST_STAR_H
#define DML_BURST_STAR_H

#include "ns3/dml-burst-sharing.h"

#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace ns3::dml
{

/// Workers and a server around a switch, whose connections are simulated burst by burst.
class BurstStar
{
  public:
    /// What a test can change.
    struct Options
    {
        uint32_t workers{1};
        double rate{1.25e8}; //!< of every link, bytes per second
        double delay{10e-6}; //!< of every link, seconds
        QueueSpec queue{};   //!< of the switch's ports
        uint32_t gsoSize{15000};
        TcpSpec tcp{};
        uint32_t replication{0};
        bool changes{false};                 //!< links will change their rates
        std::vector<double> workerDelays{};  //!< of their links; empty: as the others
        uint64_t tokenBucket{0};             //!< bytes that every link sends at once after a pause
        std::vector<std::string> variants{}; //!< congestion controls of workers; empty: tcp's
    };

    /// When the parts of a turn ended.
    struct Ends
    {
        double accepted{-1}; //!< seconds
        double arrived{-1};  //!< seconds
    };

    explicit BurstStar(const Options& options)
        : m_options(options)
    {
        m_network.rule = SharingRule::BURSTS;
        m_network.replication = options.replication;
        m_network.links = MakeStarFlowNetwork({options.workers, 1}, options.rate, options.rate);
        auto tcp = std::make_shared<TcpNetwork>();
        tcp->tcp = options.tcp;
        tcp->variants = options.variants;
        for (uint32_t worker = 0; worker < options.variants.size(); ++worker)
        {
            m_network.links.flows[Push(worker)].control = worker;
            m_network.links.flows[Pull(worker)].control = worker;
        }
        for (LinkId link = 0; link < m_network.links.capacities.size(); ++link)
        {
            const bool atSwitch = link % 2 == 1;
            const double own = link > 1 && !options.workerDelays.empty()
                                   ? options.workerDelays[link / 2 - 1]
                                   : options.delay;
            tcp->ports.push_back(
                {own, options.queue, options.gsoSize, atSwitch, options.tokenBucket});
            if (!atSwitch)
            {
                tcp->ports.back().queue = {QueueSpec::Kind::FAIR, 0};
            }
        }
        m_network.tcp = tcp;
        if (options.changes)
        {
            m_network.changes.push_back({1e6, 0, options.rate});
        }
        m_sharing = std::make_unique<BurstSharing>(m_network, nullptr);
    }

    /// @return the flow of a worker to the server
    static FlowId Push(uint32_t worker)
    {
        return 2 * worker + 1;
    }

    /// @return the flow of the server to a worker
    static FlowId Pull(uint32_t worker)
    {
        return 2 * worker;
    }

    /// @brief Send. @return number of the turn
    std::size_t Send(FlowId flow, double bytes, double now)
    {
        m_sharing->Start(flow, bytes, m_ends.size(), now);
        m_ends.emplace_back();
        return m_ends.size() - 1;
    }

    /// @brief Go on until a time. @param until seconds @param step asks that often
    void Run(double until = std::numeric_limits<double>::infinity(),
             double step = std::numeric_limits<double>::infinity())
    {
        double horizon = std::min(until, step);
        for (uint32_t asked = 0; asked < MOST_ASKED; ++asked)
        {
            const FlowEnd end = m_sharing->GetNextEnd(horizon);
            if (end.instant == FlowEnd::NEVER)
            {
                if (horizon >= until)
                {
                    return;
                }
                horizon = std::min(until, horizon + step);
                continue;
            }
            m_sharing->Finish();
            m_order.push_back(end);
            Ends& ends = m_ends.at(end.order);
            (end.kind == FlowEnd::Kind::ACCEPTED ? ends.accepted : ends.arrived) = end.time;
        }
    }

    const Ends& Get(std::size_t turn) const
    {
        return m_ends.at(turn);
    }

    const std::vector<FlowEnd>& GetOrder() const
    {
        return m_order;
    }

    BurstSharing& operator*()
    {
        return *m_sharing;
    }

    /// @return segments that found no room anywhere
    uint64_t CountDrops() const
    {
        uint64_t drops = 0;
        const auto totals = m_sharing->GetTotals();
        for (const auto& link : totals->links)
        {
            drops += link.dropped;
        }
        return drops;
    }

    /// @return what a link did
    LinkUse GetUse(LinkId link) const
    {
        return m_sharing->GetTotals()->links.at(link);
    }

    /// @return seconds that payload takes on a link
    double Seconds(double bytes) const
    {
        return bytes / m_options.rate;
    }

    /// @return bytes per second on a link, headers included, for a capacity in payload
    double LinkRate() const
    {
        return m_options.rate * 1502 / 1448;
    }

  private:
    static constexpr uint32_t MOST_ASKED = 10000000;

    Options m_options;
    std::unique_ptr<FairShareNetwork> m_owned{std::make_unique<FairShareNetwork>()};
    FairShareNetwork& m_network{*m_owned}; // stays where it is when a star is moved
    std::unique_ptr<BurstSharing> m_sharing;
    std::vector<Ends> m_ends;
    std::vector<FlowEnd> m_order;
};

} // namespace ns3::dml

#endif /* DML_BURST_STAR_H */
