/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-fair-share-network.h"

#include "dml-equal-sharing.h"
#include "dml-fifo-solver.h"
#include "dml-max-min-solver.h"
#include "dml-rate-sharing.h"
#include "dml-two-server-solver.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-error.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3
{
namespace dml
{

namespace
{

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
        const bool local = network.links.flows[i].forward.empty();
        if (!local && std::none_of(servers.begin(),
                                   servers.end(),
                                   [&flow](const ServerLink& server) { return server.IsOn(flow); }))
        {
            throw SharingError("equal",
                               "no link of server " + std::to_string(GetServer(flow)),
                               accepted);
        }
    }
}

void
CheckChanges(const FairShareNetwork& network)
{
    for (const auto& change : network.changes)
    {
        const bool good = change.time >= 0 && std::isfinite(change.time) &&
                          change.link < network.links.capacities.size() &&
                          change.bytesPerSecond >= 0 && std::isfinite(change.bytesPerSecond);
        if (!good)
        {
            throw InputError("change of a link: found link " + std::to_string(change.link) +
                             " at " + std::to_string(change.time) + " s to " +
                             std::to_string(change.bytesPerSecond) +
                             " bytes/s; accepted: a link of the network, a time and a rate from 0");
        }
    }
}

} // namespace

SharingRule
SharingRuleFromString(const std::string& name)
{
    for (const auto& [known, rule] : {std::pair{"equal", SharingRule::EQUAL},
                                      std::pair{"max-min", SharingRule::MAX_MIN},
                                      std::pair{"two-ps", SharingRule::TWO_PS},
                                      std::pair{"fifo", SharingRule::FIFO}})
    {
        if (name == known)
        {
            return rule;
        }
    }
    throw InputError("sharing rule: found '" + name + "'; accepted: equal, max-min, two-ps, fifo");
}

void
PrepareFairShareNetwork(FairShareNetwork& network)
{
    const std::size_t training = network.links.training.size();
    if (network.links.flows.size() != training + network.background.size())
    {
        throw InputError("network: found " + std::to_string(network.links.flows.size()) +
                         " routes; accepted: one for each of " + std::to_string(training) +
                         " flows of training and " + std::to_string(network.background.size()) +
                         " background flows");
    }
    for (std::size_t i = 0; i < network.background.size(); ++i)
    {
        network.background[i].Check(i);
        network.links.flows[training + i].cap = network.background[i].rate;
    }
    CheckFlowNetwork(network.links);
    CheckChanges(network);
}

std::unique_ptr<BandwidthSharing>
MakeBandwidthSharing(const FairShareNetwork& network, RunObserver* observer)
{
    std::unique_ptr<RateSolver> solver;
    switch (network.rule)
    {
    case SharingRule::EQUAL:
        CheckForEqualSharing(network);
        return std::make_unique<EqualSharing>(network.links, observer);
    case SharingRule::MAX_MIN:
        solver = std::make_unique<MaxMinSolver>(network.links);
        break;
    case SharingRule::TWO_PS:
        solver = std::make_unique<TwoServerSolver>(network.links);
        for (const auto& change : network.changes)
        {
            solver->SetCapacity(change.link, change.bytesPerSecond); // which it refuses
        }
        break;
    case SharingRule::FIFO:
        solver = std::make_unique<FifoSolver>(network.links);
        break;
    }
    return std::make_unique<RateSharing>(network.links, std::move(solver), observer);
}

} // namespace dml
} // namespace ns3
