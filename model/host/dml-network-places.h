/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_NETWORK_PLACES_H
#define DML_NETWORK_PLACES_H

#include "dml-host-network.h"
#include "dml-host-places.h"
#include "dml-qdisc-counter.h"

#include <map>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-host
 * @brief The nodes of a scenario's network as network namespaces, whose links have been tested.
 */
class NetworkPlaces : public HostPlaces
{
  public:
    /**
     * @brief Make them; the calling process has one thread and becomes root of a user namespace
     * where it is not root.
     * @param network of the spec; must outlive this
     * @param spec the scenario's network
     * @throws InputError if this machine has not what the spec asks for
     * @throws RunError if the system forbids something, or a link is not what it should be
     */
    NetworkPlaces(const ClusterNetwork& network, const NetworkSpec& spec);

    void Enter(uint32_t node) const override;
    Ipv4Address GetAddress(uint32_t node) const override;
    bool SharesAddresses() const override;
    std::string GetCongestionControl() const override;
    std::vector<HostLinkCount> ReadLinks() const override;
    uint64_t CountBytes(DirectedLink link) override;
    std::vector<std::string> GetNotes() const override;

  private:
    explicit NetworkPlaces(const HostAbilities& abilities,
                           const ClusterNetwork& network,
                           const NetworkSpec& spec);

    HostNetwork m_network;                           //!< made of the spec
    std::map<DirectedLink, QdiscCounter> m_counters; //!< of links that were asked for
    std::vector<std::string> m_notes;                //!< what differs, and what the test found
    std::string m_congestion;                        //!< the kernel's name
};

} // namespace ns3::dml

#endif /* DML_NETWORK_PLACES_H */
