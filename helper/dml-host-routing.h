/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HOST_ROUTING_H
#define DML_HOST_ROUTING_H

#include "ns3/ipv4-global-routing.h"
#include "ns3/ipv4-routing-helper.h"

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-helper
 * @brief ns-3's global routing for a node with one name: that of its first link.
 *
 * Whatever leaves the node comes from the address of its first link, whichever link it takes, so
 * that peers recognise it; and what it sends to that address goes over its loopback device, where
 * global routing would send it to the next switch and back.
 */
class HostRouting : public Ipv4GlobalRouting
{
  public:
    /// @return the type
    static TypeId GetTypeId();

    Ptr<Ipv4Route> RouteOutput(Ptr<Packet> packet,
                               const Ipv4Header& header,
                               Ptr<NetDevice> device,
                               Socket::SocketErrno& error) override;
    void SetIpv4(Ptr<Ipv4> ipv4) override;

  protected:
    void DoDispose() override;

  private:
    Ptr<Ipv4> m_own; //!< of the node
};

/// Installs HostRouting.
class HostRoutingHelper : public Ipv4RoutingHelper
{
  public:
    HostRoutingHelper* Copy() const override;
    Ptr<Ipv4RoutingProtocol> Create(Ptr<Node> node) const override;
};

} // namespace dml
} // namespace ns3

#endif /* DML_HOST_ROUTING_H */
