/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-sharing-policies.h"

#include "dml-drop-tail-solver.h"
#include "dml-equal-sharing.h"
#include "dml-fifo-solver.h"
#include "dml-max-min-solver.h"
#include "dml-sharing-policy.h"
#include "dml-two-server-solver.h"

#include "ns3/dml-burst-sharing.h"
#include "ns3/dml-channel-label.h"
#include "ns3/dml-suggestion.h"
#include "ns3/double.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>

namespace ns3::dml
{

namespace
{

/// @return what ns-3 knows of a rule without attributes yet
template <typename Rule, typename Parent>
TypeId
MakeTypeId(const char* name)
{
    return TypeId(name).SetParent<Parent>().SetGroupName("Dml").template AddConstructor<Rule>();
}

/// 1/n of a server's link to each of its n active workers.
class EqualSharingPolicy : public SharingPolicy
{
  public:
    static TypeId GetTypeId();
    std::unique_ptr<BandwidthSharing> MakeSharing(const FairShareNetwork& network,
                                                  RunObserver* observer) const override;
};

/// Max-min fair over all links.
class MaxMinSharingPolicy : public RateSharingPolicy
{
  public:
    static TypeId GetTypeId();
    std::unique_ptr<RateSolver> MakeSolver(const FairShareNetwork& network) const override;
};

/// The rule of Li et al. for two parameter servers.
class TwoServerSharingPolicy : public RateSharingPolicy
{
  public:
    static TypeId GetTypeId();
    std::unique_ptr<RateSolver> MakeSolver(const FairShareNetwork& network) const override;
};

/// Random shares of drop-tail ports, else max-min.
class DropTailSharingPolicy : public RateSharingPolicy
{
  public:
    static TypeId GetTypeId();
    std::unique_ptr<RateSolver> MakeSolver(const FairShareNetwork& network) const override;

  private:
    static constexpr double BY_PORT = -1; //!< an attribute that is not fixed

    /// @param value of an attribute @param name of it @return it; empty: it is not fixed
    /// @throws SharingError for other negative values
    static std::optional<double> GetFixed(double value, const std::string& name);

    double m_spread{BY_PORT}; //!< attribute
    double m_memory{BY_PORT}; //!< attribute
    double m_newcomer{1};     //!< attribute
};

/// Fixed windows on first-in first-out queues.
class FifoSharingPolicy : public RateSharingPolicy
{
  public:
    static TypeId GetTypeId();
    std::unique_ptr<RateSolver> MakeSolver(const FairShareNetwork& network) const override;
};

/// TCP at the level of GSO bursts.
class BurstSharingPolicy : public SharingPolicy
{
  public:
    static TypeId GetTypeId();
    std::unique_ptr<BandwidthSharing> MakeSharing(const FairShareNetwork& network,
                                                  RunObserver* observer) const override;
};

NS_OBJECT_ENSURE_REGISTERED(EqualSharingPolicy);
NS_OBJECT_ENSURE_REGISTERED(MaxMinSharingPolicy);
NS_OBJECT_ENSURE_REGISTERED(TwoServerSharingPolicy);
NS_OBJECT_ENSURE_REGISTERED(DropTailSharingPolicy);
NS_OBJECT_ENSURE_REGISTERED(FifoSharingPolicy);
NS_OBJECT_ENSURE_REGISTERED(BurstSharingPolicy);

/// @throws InputError for what a rule that knows servers' links only cannot express
void
CheckForEqualSharing(const FairShareNetwork& network)
{
    const std::string accepted = "another sharing rule, such as max-min";
    if (!network.background.empty())
    {
        throw SharingError("equal", "background flows", accepted);
    }
    const auto& servers = network.links.serverLinks;
    for (const auto& change : network.changes)
    {
        if (std::none_of(servers.begin(), servers.end(), [&change](const ServerLink& server) {
                return server.link == change.link;
            }))
        {
            throw SharingError("equal", "a change of a link that is no server's", accepted);
        }
    }
    for (std::size_t i = 0; i < network.links.training.size(); ++i)
    {
        const TransferChannel& flow = network.links.training[i];
        const auto& path = network.links.flows[i].forward;
        if (path.empty())
        {
            continue; // within a host
        }
        const auto server = std::find_if(servers.begin(), servers.end(), [&flow](const auto& link) {
            return link.IsOn(flow);
        });
        if (server == servers.end())
        {
            throw SharingError("equal",
                               GetDirection(flow) == Direction::PEER
                                   ? "workers that send to each other"
                                   : "no link of server " + std::to_string(GetServer(flow)),
                               accepted);
        }
        const auto& capacities = network.links.capacities;
        const double least = capacities[server->link] * (1 - 1e-9);
        if (std::any_of(path.begin(), path.end(), [&](LinkId link) {
                return capacities[link] < least;
            }))
        {
            throw SharingError("equal", "a link that is slower than a server's", accepted);
        }
    }
}

/// @throws InputError for a congestion control that bursts do not have
void
CheckBurstVariant(const std::string& variant)
{
    const auto known = BurstCongestionNames();
    if (std::find(known.begin(), known.end(), variant) == known.end())
    {
        const bool isType = variant.find(':') != std::string::npos;
        throw SharingError("bursts",
                           "congestion control " + variant +
                               (isType ? ", a class that only packets run" : ""),
                           JoinWords(known));
    }
}

/// @throws InputError for what TCP by bursts does not know
void
CheckForBursts(const FairShareNetwork& network)
{
    const std::string rule = "bursts";
    if (!network.tcp)
    {
        throw SharingError(rule, "a network without ports", "one of a scenario");
    }
    if (network.links.capacities.size() > network.tcp->ports.size())
    {
        throw SharingError(rule,
                           "links that the packets of a connection are spread over",
                           "none or ecmp, which keep bursts of a connection in order");
    }
    const TcpSpec& tcp = network.tcp->tcp;
    if (!network.tcp->isLinux)
    {
        throw SharingError(rule, "hosts that are not those of Linux", "transport linux");
    }
    if (!network.links.delaysRequests)
    {
        throw SharingError(rule,
                           "fair_share.one_way_delay",
                           "the delays of links, without that key");
    }
    for (const auto& port : network.tcp->ports)
    {
        const bool simple = port.queue.kind == QueueSpec::Kind::FAIR ||
                            port.queue.kind == QueueSpec::Kind::DROP_TAIL;
        if (!port.atSwitch && (!simple || port.queue.bytes > 0))
        {
            throw SharingError(rule,
                               "a host_queue that drops or marks",
                               "{fair: 0B} or 0B, which hold sockets back");
        }
    }
    if (!tcp.sack)
    {
        throw SharingError(rule, "network.tcp.sack: false", "selective acknowledgements");
    }
    for (const auto& flow : network.links.flows)
    {
        const bool isTcp = flow.cap == 0;
        if (isTcp)
        {
            CheckBurstVariant(network.tcp->GetVariant(flow.control));
        }
    }
}

TypeId
EqualSharingPolicy::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<EqualSharingPolicy, SharingPolicy>("ns3::dml::EqualSharingPolicy");
    return tid;
}

TypeId
MaxMinSharingPolicy::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<MaxMinSharingPolicy, RateSharingPolicy>("ns3::dml::MaxMinSharingPolicy");
    return tid;
}

TypeId
TwoServerSharingPolicy::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<TwoServerSharingPolicy, RateSharingPolicy>("ns3::dml::TwoServerSharingPolicy");
    return tid;
}

TypeId
DropTailSharingPolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::DropTailSharingPolicy")
            .SetParent<RateSharingPolicy>()
            .SetGroupName("Dml")
            .AddConstructor<DropTailSharingPolicy>()
            .AddAttribute("Spread",
                          "Standard deviation of the logarithm of a connection's weight; -1: by "
                          "the size and rate of the port and the number of connections there.",
                          DoubleValue(BY_PORT),
                          MakeDoubleAccessor(&DropTailSharingPolicy::m_spread),
                          MakeDoubleChecker<double>(BY_PORT, 5))
            .AddAttribute("Memory",
                          "Correlation of a connection's weight with the one it had when it sent "
                          "last; -1: weights begin equal and change with losses, by the size and "
                          "rate of the port and the number of connections there.",
                          DoubleValue(BY_PORT),
                          MakeDoubleAccessor(&DropTailSharingPolicy::m_memory),
                          MakeDoubleChecker<double>(BY_PORT, 1))
            .AddAttribute(
                "Newcomer",
                "Part of its weight that a connection has which sends for the first time, "
                "through a port that others fill, for 2 s, or until it is alone there or "
                "pauses.",
                DoubleValue(0.43),
                MakeDoubleAccessor(&DropTailSharingPolicy::m_newcomer),
                MakeDoubleChecker<double>(0.001, 1));
    return tid;
}

TypeId
FifoSharingPolicy::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<FifoSharingPolicy, RateSharingPolicy>("ns3::dml::FifoSharingPolicy");
    return tid;
}

TypeId
BurstSharingPolicy::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<BurstSharingPolicy, SharingPolicy>("ns3::dml::BurstSharingPolicy");
    return tid;
}

std::unique_ptr<BandwidthSharing>
EqualSharingPolicy::MakeSharing(const FairShareNetwork& network, RunObserver* observer) const
{
    CheckForEqualSharing(network);
    return std::make_unique<EqualSharing>(network.links, observer);
}

std::unique_ptr<RateSolver>
MaxMinSharingPolicy::MakeSolver(const FairShareNetwork& network) const
{
    return std::make_unique<MaxMinSolver>(network.links);
}

std::unique_ptr<RateSolver>
TwoServerSharingPolicy::MakeSolver(const FairShareNetwork& network) const
{
    auto solver = std::make_unique<TwoServerSolver>(network.links);
    for (const auto& change : network.changes)
    {
        solver->SetCapacity(change.link, change.bytesPerSecond); // which it refuses
    }
    return solver;
}

std::optional<double>
DropTailSharingPolicy::GetFixed(double value, const std::string& name)
{
    if (value < 0 && value != BY_PORT)
    {
        throw SharingError("drop-tail", name + " " + fmt::format("{}", value), "-1, or from 0 on");
    }
    return value < 0 ? std::nullopt : std::optional(value);
}

std::unique_ptr<RateSolver>
DropTailSharingPolicy::MakeSolver(const FairShareNetwork& network) const
{
    return std::make_unique<DropTailSolver>(network.links,
                                            DropTailSolver::Shares{GetFixed(m_spread, "Spread"),
                                                                   GetFixed(m_memory, "Memory"),
                                                                   network.seed,
                                                                   network.replication,
                                                                   m_newcomer,
                                                                   network.begun});
}

std::unique_ptr<RateSolver>
FifoSharingPolicy::MakeSolver(const FairShareNetwork& network) const
{
    return std::make_unique<FifoSolver>(network.links);
}

std::unique_ptr<BandwidthSharing>
BurstSharingPolicy::MakeSharing(const FairShareNetwork& network, RunObserver* observer) const
{
    CheckForBursts(network);
    return std::make_unique<BurstSharing>(network, observer);
}

} // namespace

const PluginKind&
SharingPolicies()
{
    static const PluginKind KIND("sharing rule",
                                 &SharingPolicy::GetTypeId,
                                 {{"equal", &EqualSharingPolicy::GetTypeId, {}},
                                  {"max-min", &MaxMinSharingPolicy::GetTypeId, {}},
                                  {"two-ps", &TwoServerSharingPolicy::GetTypeId, {}},
                                  {"drop-tail", &DropTailSharingPolicy::GetTypeId, {}},
                                  {"fifo", &FifoSharingPolicy::GetTypeId, {}},
                                  {"bursts", &BurstSharingPolicy::GetTypeId, {}}});
    return KIND;
}

} // namespace ns3::dml
