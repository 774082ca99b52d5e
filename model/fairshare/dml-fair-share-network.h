/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FAIR_SHARE_NETWORK_H
#define DML_FAIR_SHARE_NETWORK_H

#include "dml-bandwidth-sharing.h"
#include "dml-tcp-network.h"

#include "ns3/dml-background-flow.h"
#include "ns3/dml-plugin-kind.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3::dml
{

/// How bandwidth is shared.
enum class SharingRule
{
    EQUAL,     //!< 1/n of a server's link to each of its n active workers
    MAX_MIN,   //!< max-min fair over all links
    TWO_PS,    //!< the rule of Li et al. for two parameter servers
    DROP_TAIL, //!< max-min fair, but for the random shares of drop-tail ports
    FIFO,      //!< fixed windows on first-in first-out queues
    BURSTS,    //!< TCP at the level of GSO bursts
    OWN,       //!< one that is chosen by its TypeId
};

/// A link that changes its rate.
struct CapacityChange
{
    double time;           //!< seconds, from 0
    LinkId link;           //!< the link
    double bytesPerSecond; //!< from then on; 0: down
};

/**
 * @ingroup dml-fairshare
 * @brief The network as the analytical engine sees it.
 */
struct FairShareNetwork
{
    SharingRule rule{SharingRule::EQUAL};   //!< how bandwidth is shared
    PluginSpec ownRule;                     //!< of SharingPolicies(), for OWN
    FlowNetwork links;                      //!< links, and the routes of all flows
    std::vector<BackgroundFlow> background; //!< with ids after those of training
    std::vector<CapacityChange> changes;    //!< in any order
    uint32_t seed{1};                       //!< of the scenario, for rules that draw
    uint32_t replication{0};                //!< number of the replication, likewise
    bool begun{false};                      //!< whether connections have sent before the run
    /// Ports and hosts, for rules that simulate TCP; null: not known.
    std::shared_ptr<const TcpNetwork> tcp{};
};

/**
 * @brief Sharing rule by its name in a scenario.
 * @param name one of those of SharingPolicies()
 * @return the rule
 * @throws InputError for any other name
 */
SharingRule SharingRuleFromString(const std::string& name);

/**
 * @brief See whether a network makes sense, and give background flows the caps that their rates
 * are.
 * @param network the network
 * @throws InputError that says what does not
 */
void PrepareFairShareNetwork(FairShareNetwork& network);

/**
 * @brief Make what shares the links.
 * @param network a prepared network
 * @param observer told of the servers' links; may be null
 * @return the links at work
 */
std::unique_ptr<BandwidthSharing> MakeBandwidthSharing(const FairShareNetwork& network,
                                                       RunObserver* observer);

} // namespace ns3::dml

#endif /* DML_FAIR_SHARE_NETWORK_H */
