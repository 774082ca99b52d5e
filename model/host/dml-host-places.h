/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HOST_PLACES_H
#define DML_HOST_PLACES_H

#include "dml-host-link-count.h"

#include "ns3/dml-cluster-network.h"
#include "ns3/ipv4-address.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-host
 * @brief Where the processes of the host engine live: for each node of a network a place in the
 * kernel, with an address that the others reach.
 */
class HostPlaces
{
  public:
    virtual ~HostPlaces() = default;

    /// @brief The calling process goes there. @param node of the network
    virtual void Enter(uint32_t node) const = 0;

    /// @param node of the network @return its address
    virtual Ipv4Address GetAddress(uint32_t node) const = 0;

    /// @return whether processes must name their own address when they connect
    virtual bool SharesAddresses() const = 0;

    /// @return the kernel's name of the congestion control of all connections; empty: its default
    virtual std::string GetCongestionControl() const = 0;

    /// @return what all directed links have done so far, bytes as in the other engines
    virtual std::vector<HostLinkCount> ReadLinks() const = 0;

    /// @param link a direction of a link @return bytes that it has carried so far; cheap
    virtual uint64_t CountBytes(DirectedLink link) = 0;

    /// @return what is not as the scenario says, a sentence each
    virtual std::vector<std::string> GetNotes() const = 0;
};

/**
 * @ingroup dml-host
 * @brief All nodes on this machine's loopback interface: no network, for tests of all the rest.
 */
class LoopbackPlaces : public HostPlaces
{
  public:
    LoopbackPlaces();
    void Enter(uint32_t node) const override;
    Ipv4Address GetAddress(uint32_t node) const override;
    bool SharesAddresses() const override;
    std::string GetCongestionControl() const override;
    std::vector<HostLinkCount> ReadLinks() const override;
    uint64_t CountBytes(DirectedLink link) override;
    std::vector<std::string> GetNotes() const override;

  private:
    uint32_t m_first; //!< address of the first node
};

} // namespace ns3::dml

#endif /* DML_HOST_PLACES_H */
