/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HOST_SOCKETS_H
#define DML_HOST_SOCKETS_H

#include "dml-configured-tcp-factory.h"

#include "ns3/dml-network-spec.h"

#include <cstdint>

namespace ns3::dml
{

/// What the sockets of a host have.
struct HostSockets
{
    TcpSpec tcp;         //!< of the network
    PluginSpec control;  //!< one of CongestionControls()
    uint32_t segment{0}; //!< payload bytes of a full segment
    uint32_t burst{0};   //!< bytes of the host's largest burst; 0: single segments
    bool marks{false};   //!< a queue of the network marks packets (ECN)
};

/**
 * @ingroup dml-packet
 * @brief Make what makes the sockets of a host.
 * @param sockets what they have
 * @param number of the factory among those of the host, see ConfiguredTcpFactory::GetNumberedType()
 * @param[in,out] stream next random stream
 * @return the factory
 * @throws InputError if there is no such congestion control
 */
Ptr<ConfiguredTcpFactory> MakeTcpFactory(const HostSockets& sockets,
                                         uint32_t number,
                                         int64_t& stream);

} // namespace ns3::dml

#endif /* DML_HOST_SOCKETS_H */
