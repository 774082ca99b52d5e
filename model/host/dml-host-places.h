/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HOST_PLACES_H
#define DML_HOST_PLACES_H

#include "dml-host-network.h"

#include "ns3/dml-cluster-network.h"
#include "ns3/dml-congestion-choice.h"
#include "ns3/ipv4-address.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-host
 * @brief Where the processes of the host engine live: for each node of a network a place in the
 * kernel, with an address that the others reach.
 */
struct HostPlaces
{
    virtual ~HostPlaces() = default;

    /// @brief The calling process goes there. @param node of the network
    virtual void Enter(uint32_t node) const = 0;

    /// @param node of the network @return its address
    virtual Ipv4Address GetAddress(uint32_t node) const = 0;

    /// @return what all directed links have done so far, bytes as in the other engines
    virtual std::vector<HostLinkCount> ReadLinks() const = 0;

    /// @return what TCP of all hosts together has met so far
    virtual KernelTcpCounts CountTcp() const = 0;

    /// @param link a direction of a link @return bytes that it has carried so far; cheap
    virtual uint64_t CountBytes(DirectedLink link) = 0;

    /// @param job number of a job @return the kernel's name of its congestion control; empty: its
    /// default
    std::string GetCongestion(uint32_t job) const
    {
        return job < congestion.size() ? congestion[job] : "";
    }

    bool sharesAddresses{false}; //!< processes must name their own address when they connect
    /// By job: the kernel's name of the congestion control; of jobs beyond, and empty: its default.
    std::vector<std::string> congestion;
    std::vector<std::string> notes; //!< what is not as the scenario says, a sentence each
};

/**
 * @ingroup dml-host
 * @brief Make the nodes of a scenario's network as network namespaces, and test their links. The
 * calling process has one thread and becomes root of a user namespace where it is not root.
 * @param network of the spec; must outlive the result
 * @param spec the scenario's network
 * @param choice congestion controls of its jobs, by names that CongestionControls() has
 * @return the places
 * @throws InputError if this machine has not what the spec asks for
 * @throws RunError if the system forbids something, or a link is not what it should be
 */
std::unique_ptr<HostPlaces> MakeNetworkPlaces(const ClusterNetwork& network,
                                              const NetworkSpec& spec,
                                              const CongestionChoice& choice);

} // namespace ns3::dml

#endif /* DML_HOST_PLACES_H */
