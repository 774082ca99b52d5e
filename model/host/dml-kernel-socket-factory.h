/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_KERNEL_SOCKET_FACTORY_H
#define DML_KERNEL_SOCKET_FACTORY_H

#include "ns3/ipv4-address.h"
#include "ns3/tcp-socket-factory.h"

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-host
 * @brief Makes KernelSockets: aggregated to a node, it is what applications get for TCP.
 */
class KernelSocketFactory : public TcpSocketFactory
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    Ptr<Socket> CreateSocket() override;

  private:
    std::string m_congestion; //!< attribute
    Ipv4Address m_address;    //!< attribute
};

} // namespace ns3::dml

#endif /* DML_KERNEL_SOCKET_FACTORY_H */
