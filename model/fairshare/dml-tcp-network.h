/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TCP_NETWORK_H
#define DML_TCP_NETWORK_H

#include "ns3/dml-network-spec.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/// The port from which a directed link is fed, and the link.
struct TcpPort
{
    double delay{0};         //!< propagation of the link, seconds
    QueueSpec queue;         //!< discipline and size
    uint32_t gsoSize{0};     //!< of a host: bytes of its largest burst; 0: single segments
    bool atSwitch{false};    //!< whether a switch owns it; hosts hold back what does not fit
    uint64_t tokenBucket{0}; //!< bytes that it sends at once after a pause
    uint32_t node{0};        //!< the switch whose memory it shares, if `queue` says so
};

/**
 * @ingroup dml-fairshare
 * @brief What sharing rules need that simulate TCP, beside rates and routes.
 */
struct TcpNetwork
{
    std::vector<TcpPort> ports; //!< by directed link; links without one have no delay and no limit
    TcpSpec tcp;                //!< of all hosts
    /// Congestion controls by NetworkFlow::control; empty: all connections have that of `tcp`.
    std::vector<std::string> variants;
    bool isLinux{true};     //!< whether the transport is that of Linux
    uint32_t segment{1448}; //!< payload bytes of a full segment
    uint32_t header{54};    //!< bytes on the link beside the payload of a segment
    double framing{1};      //!< TCP payload bytes for a byte of a tensor: headers of messages

    /// @param control of a flow @return the name of its congestion control, or its TypeId
    const std::string& GetVariant(uint32_t control) const
    {
        return variants.empty() ? tcp.variant : variants[control];
    }
};

} // namespace ns3::dml

#endif /* DML_TCP_NETWORK_H */
