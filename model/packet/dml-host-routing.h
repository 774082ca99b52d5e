/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HOST_ROUTING_H
#define DML_HOST_ROUTING_H

#include "ns3/ipv4-routing-helper.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/ipv4.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ns3::dml
{

/// Types of the callbacks that RouteInput() takes: by value or, in later releases of ns-3, by
/// reference.
template <typename Function>
struct RouteInputCallbacks;

template <typename UnicastT, typename MulticastT, typename LocalT, typename ErrorT>
struct RouteInputCallbacks<bool (Ipv4RoutingProtocol::*)(Ptr<const Packet>,
                                                         const Ipv4Header&,
                                                         Ptr<const NetDevice>,
                                                         UnicastT,
                                                         MulticastT,
                                                         LocalT,
                                                         ErrorT)>
{
    using Unicast = UnicastT;     //!< forwards to one node
    using Multicast = MulticastT; //!< forwards to many
    using Local = LocalT;         //!< delivers here
    using Error = ErrorT;         //!< reports a failure
};

/// Those of this release.
using InputCallbacks = RouteInputCallbacks<decltype(&Ipv4RoutingProtocol::RouteInput)>;

/**
 * @ingroup dml-packet
 * @brief ns-3's global routing for a node with one name: that of its first link.
 *
 * It asks the protocol that ns-3's helper makes, whose class has another header since ns-3.47.
 *
 * Whatever leaves the node comes from the address of its first link, whichever link it takes, so
 * that peers recognise it; and what it sends to that address goes over its loopback device, where
 * global routing would send it to the next switch and back.
 *
 * What global routing has found is kept for the next packet to the same place: it walks through all
 * routes, of which a switch has two for each host. That takes addresses and routes which stay as
 * they are once time has begun to pass; nothing is kept where the attributes RandomEcmpRouting or
 * RespondToInterfaceEvents say that they do not.
 *
 * A host with several network cards on one switch has a name for each. Global routing takes its
 * links for one, so they are told by AddNic() and, at the switch, AddNeighbour(). What the host
 * sends to itself comes from the address that it goes to, as Linux has it.
 */
class HostRouting : public Ipv4RoutingProtocol
{
  public:
    /// @return the type
    static TypeId GetTypeId();

    /// @param routes ns-3's global routing of the node
    void SetGlobalRouting(Ptr<Ipv4RoutingProtocol> routes)
    {
        m_routes = routes;
    }

    /**
     * @brief Let the node be a host with several network cards: what it sends leaves over the card
     * of the device or source address that it has, and over the first one if it has neither.
     * @param interface of a card; each once
     */
    void AddNic(uint32_t interface);

    /**
     * @brief Let packets for a neighbour leave over the link to that address, where several links
     * lead to the neighbour.
     * @param address at the other end @param interface of the link
     */
    void AddNeighbour(Ipv4Address address, uint32_t interface);

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

    void NotifyInterfaceUp(uint32_t interface) override
    {
        m_routes->NotifyInterfaceUp(interface);
    }

    void NotifyInterfaceDown(uint32_t interface) override
    {
        m_routes->NotifyInterfaceDown(interface);
    }

    void NotifyAddAddress(uint32_t interface, Ipv4InterfaceAddress address) override
    {
        m_routes->NotifyAddAddress(interface, address);
    }

    void NotifyRemoveAddress(uint32_t interface, Ipv4InterfaceAddress address) override
    {
        m_routes->NotifyRemoveAddress(interface, address);
    }

    void SetIpv4(Ptr<Ipv4> ipv4) override;

    void PrintRoutingTable(Ptr<OutputStreamWrapper> stream, Time::Unit unit) const override
    {
        m_routes->PrintRoutingTable(stream, unit);
    }

  protected:
    void DoDispose() override;

    /// @return ns-3's global routing of the node
    const Ptr<Ipv4RoutingProtocol>& GetGlobalRouting() const
    {
        return m_routes;
    }

    /// @return the node's
    const Ptr<Ipv4>& GetIpv4() const
    {
        return m_own;
    }

    /// @param header of a packet @param device over which it is to leave; null: any
    /// @return the route that AddNic() or AddNeighbour() prescribe; null: none
    Ptr<Ipv4Route> FindPrescribed(const Ipv4Header& header, Ptr<NetDevice> device);

    /// @return whether routes that were found may be kept now: before the first event, they are
    /// still being made
    bool Keeps();

  private:
    /// What becomes of packets that come for an address.
    struct Arrival
    {
        /// Callback: they are for this node.
        void Deliver(Ptr<const Packet> packet, const Ipv4Header& header, uint32_t interface);
        /// Callback: nobody wants them.
        void Fail(Ptr<const Packet> packet, const Ipv4Header& header, Socket::SocketErrno error);
        /// Callback: they go on.
        void Forward(Ptr<Ipv4Route> route, Ptr<const Packet> packet, const Ipv4Header& header);

        bool here{false};      //!< they are for this node
        Ptr<Ipv4Route> onward; //!< else: where they go; null: not known
    };

    /// A device on which packets come.
    struct Input
    {
        uint32_t interface {
            0
        };                                              //!< its number
        std::unordered_map<uint32_t, Arrival> arrivals; //!< by destination
    };

    /// @return a route over a link, or the loopback device
    Ptr<Ipv4Route> MakeRoute(Ipv4Address destination, uint32_t interface) const;
    /// @return whether the attributes let what was found once be kept
    bool MayKeep() const;
    /// Find the route to the header's destination as global routing and this node's name have it.
    Ptr<Ipv4Route> FindOutput(Ptr<Packet> packet,
                              const Ipv4Header& header,
                              Ptr<NetDevice> device,
                              Socket::SocketErrno& error);
    /// Find what becomes of a packet that came on a device.
    const Arrival& FindArrival(Ptr<const Packet> packet,
                               const Ipv4Header& header,
                               Ptr<const NetDevice> device,
                               Input& input);

    Ptr<Ipv4RoutingProtocol> m_routes;                      //!< ns-3's
    Ptr<Ipv4> m_own;                                        //!< of the node
    bool m_mayKeep{false};                                  //!< MayKeep(), once m_own is known
    bool m_keeps{false};                                    //!< Keeps(), once it is true
    std::unordered_map<uint32_t, Ptr<Ipv4Route>> m_outputs; //!< by destination
    std::unordered_map<const NetDevice*, Input> m_inputs;   //!< by device
    std::vector<uint32_t> m_nics;                           //!< interfaces of network cards
    std::unordered_map<uint32_t, uint32_t> m_nicOf;         //!< the same by address
    std::unordered_map<uint32_t, Ptr<Ipv4Route>> m_nearby;  //!< by address of a neighbour
    std::unordered_map<uint64_t, Ptr<Ipv4Route>> m_leaving; //!< by interface and destination
};

/// Installs HostRouting.
class HostRoutingHelper : public Ipv4RoutingHelper
{
  public:
    HostRoutingHelper* Copy() const override;
    Ptr<Ipv4RoutingProtocol> Create(Ptr<Node> node) const override;
};

} // namespace ns3::dml

#endif /* DML_HOST_ROUTING_H */
