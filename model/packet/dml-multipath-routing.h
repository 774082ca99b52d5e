/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_MULTIPATH_ROUTING_H
#define DML_MULTIPATH_ROUTING_H

#include "dml-host-routing.h"

#include "ns3/dml-multipath-policy.h"
#include "ns3/dml-network-spec.h"
#include "ns3/node-container.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-packet
 * @brief HostRouting that uses all of several equally short routes which ns-3's global routing has
 * found.
 *
 * A MultipathPolicy chooses. ns-3's own attribute RandomEcmpRouting chooses at random for each
 * packet, as SprayMultipath does.
 */
class MultipathRouting : public HostRouting
{
  public:
    /// @return the type
    static TypeId GetTypeId();

    /// @param spec how to choose @param node number of the node, which its hashes depend on
    void SetChoice(const MultipathSpec& spec, uint32_t node);

    /// @param stream of ns-3's random variables @return how many it uses
    int64_t AssignStreams(int64_t stream);

    Ptr<Ipv4Route> RouteOutput(Ptr<Packet> packet,
                               const Ipv4Header& header,
                               Ptr<NetDevice> device,
                               Socket::SocketErrno& error) override;
    bool RouteInput(Ptr<const Packet> packet,
                    const Ipv4Header& header,
                    Ptr<const NetDevice> device,
                    InputCallbacks::Unicast forward,
                    InputCallbacks::Multicast forwardToMany,
                    InputCallbacks::Local deliver,
                    InputCallbacks::Error fail) override;

  protected:
    void DoDispose() override;

  private:
    using Routes = std::vector<Ptr<Ipv4Route>>;

    /// @return the equally short routes, by interface
    const Routes& FindRoutes(const Ipv4Header& header);
    uint32_t Choose(const Packet& packet, const Ipv4Header& header, uint32_t choices);

    Ptr<MultipathPolicy> m_policy;                //!< chooses; null: the first one is taken
    uint32_t m_node{0};                           //!< number of the node
    std::unordered_map<uint32_t, Routes> m_found; //!< by destination
};

/// Installs MultipathRouting.
class MultipathRoutingHelper : public Ipv4RoutingHelper
{
  public:
    /// @param spec how nodes choose; by default their numbers are ns-3's
    explicit MultipathRoutingHelper(const MultipathSpec& spec)
        : m_spec(spec)
    {
    }

    MultipathRoutingHelper* Copy() const override;
    Ptr<Ipv4RoutingProtocol> Create(Ptr<Node> node) const override;

    /// @param nodes that have such a routing, and others @param stream of ns-3's random variables
    /// @return how many they use
    static int64_t AssignStreams(const NodeContainer& nodes, int64_t stream);

  private:
    MultipathSpec m_spec; //!< how nodes choose
};

} // namespace ns3::dml

#endif /* DML_MULTIPATH_ROUTING_H */
