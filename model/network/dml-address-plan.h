/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ADDRESS_PLAN_H
#define DML_ADDRESS_PLAN_H

#include "dml-cluster-network.h"
#include "dml-five-tuple.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-network
 * @brief The addresses and ports of a network's hosts, which all engines use, so that connections
 * have the same hashes in all of them.
 *
 * A link is a subnet of four addresses: 10.0.0.0/30, 10.0.0.4/30, ... A host is known by the
 * address on its first link. Endpoints that share a host listen on ports of their own.
 */
class AddressPlan
{
  public:
    /// @param network with its jobs; must outlive this
    explicit AddressPlan(const ClusterNetwork& network);

    /// The first endpoint of each host listens on this port, others on the ports after it.
    static constexpr uint16_t FIRST_PORT = 50051;
    /// Connections of endpoints begin at this port and at those after it.
    static constexpr uint16_t FIRST_CLIENT = 10000;
    /// Background flows are sent from this port and those after it.
    static constexpr uint16_t FIRST_SOURCE = 55000;
    /// Background flows arrive at this port and those after it.
    static constexpr uint16_t FIRST_SINK = 60000;
    static constexpr uint32_t MOST_BACKGROUND = FIRST_SINK - FIRST_SOURCE; //!< such flows

    /// @param connections of an endpoint to another one @return whether there are ports for so many
    /// from each endpoint to each other one
    bool HasPorts(uint32_t connections = 1) const;

    /// @param link any @return its subnet's address
    static uint32_t GetSubnet(uint32_t link)
    {
        return FIRST_SUBNET + 4 * link;
    }

    /// @param name of a worker, server, other host or aggregator @return its address: that of its
    /// network card
    uint32_t GetAddress(const std::string& name) const;
    /// @param node with a link @return its address
    uint32_t GetAddress(uint32_t node) const;

    /// @param endpoint name of a worker, server or aggregator @return whether the network has it
    bool IsKnown(const std::string& endpoint) const
    {
        return m_places.count(endpoint) > 0;
    }

    /// @param endpoint name of a worker, server or aggregator @return where it listens
    uint16_t GetPort(const std::string& endpoint) const
    {
        return FIRST_PORT + m_places.at(endpoint).resident;
    }

    /**
     * @param endpoint name of a worker, server or aggregator
     * @param peer name of another one
     * @return from where it connects to the peer, if HasPorts()
     */
    uint16_t GetClientPort(const std::string& endpoint, const std::string& peer) const;

    /**
     * @brief From where an endpoint connects to another one: where paths are chosen by a hash, the
     * first connection has a known port; where endpoints share hosts, whose address is no name of
     * an endpoint, all have.
     * @param endpoint name of a worker or server
     * @param peer name of another one
     * @return ports, if HasPorts()
     */
    ClientPorts GetClientPorts(const std::string& endpoint, const std::string& peer) const;

    /**
     * @brief Who receives on a channel has opened its connection.
     * @param from name of the endpoint that sends
     * @param to name of the one that receives
     * @return of the packets with data
     */
    FiveTuple FindChannel(const std::string& from, const std::string& to) const;

    /// @param flow number of a background flow @return on which port it arrives
    static uint16_t GetSinkPort(uint32_t flow)
    {
        return FIRST_SINK + flow;
    }

    /// @param flow number of a background flow @return from where it is sent
    static uint16_t GetSourcePort(uint32_t flow)
    {
        return FIRST_SOURCE + flow;
    }

    /// @param flow of the scenario @param number its number @return of its data's packets
    FiveTuple FindBackground(const BackgroundSpec& flow, uint32_t number) const;

  private:
    static constexpr uint32_t FIRST_SUBNET = 10u << 24; //!< 10.0.0.0

    /// Where an endpoint is.
    struct Place
    {
        uint32_t number{0};   //!< among all endpoints
        uint16_t resident{0}; //!< among those of its host
    };

    /// @return ports between those of two connections of an endpoint to the same one
    uint32_t GetStride() const
    {
        return m_places.size() * m_mostResidents;
    }

    const ClusterNetwork& m_network;       //!< whose addresses these are
    std::map<std::string, Place> m_places; //!< by name of a worker, server or aggregator
    uint32_t m_mostResidents{0};           //!< endpoints of the host that has most
};

} // namespace ns3::dml

#endif /* DML_ADDRESS_PLAN_H */
