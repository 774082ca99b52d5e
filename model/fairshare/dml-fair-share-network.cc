/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-fair-share-network.h"

#include "dml-sharing-policies.h"
#include "dml-sharing-policy.h"

#include "ns3/dml-error.h"
#include "ns3/dml-suggestion.h"

#include <algorithm>
#include <cmath>

namespace ns3::dml
{

namespace
{

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
    const auto& names = SharingPolicies().GetNames();
    const auto known = std::find(names.begin(), names.end(), name);
    if (known == names.end())
    {
        throw InputError("sharing rule: found '" + name + "'; accepted: " + JoinWords(names));
    }
    return static_cast<SharingRule>(known - names.begin());
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
    const PluginKind& rules = SharingPolicies();
    const bool own = network.rule == SharingRule::OWN;
    const PluginSpec named{own ? "" : rules.GetNames()[static_cast<std::size_t>(network.rule)], {}};
    return rules.Create<SharingPolicy>(own ? network.ownRule : named)
        ->MakeSharing(network, observer);
}

} // namespace ns3::dml
