/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-kernel-socket-factory.h"

#include "dml-kernel-socket.h"

#include "ns3/node.h"
#include "ns3/string.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(KernelSocketFactory);

TypeId
KernelSocketFactory::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::KernelSocketFactory")
                            .SetParent<TcpSocketFactory>()
                            .SetGroupName("Dml")
                            .AddConstructor<KernelSocketFactory>()
                            .AddAttribute("CongestionControl",
                                          "Of the sockets; see KernelSocket.",
                                          StringValue(""),
                                          MakeStringAccessor(&KernelSocketFactory::m_congestion),
                                          MakeStringChecker())
                            .AddAttribute("Address",
                                          "Of the sockets; see KernelSocket.",
                                          Ipv4AddressValue(Ipv4Address::GetAny()),
                                          MakeIpv4AddressAccessor(&KernelSocketFactory::m_address),
                                          MakeIpv4AddressChecker());
    return tid;
}

Ptr<Socket>
KernelSocketFactory::CreateSocket()
{
    const auto socket = CreateObject<KernelSocket>();
    socket->SetNode(GetObject<Node>());
    socket->SetAttribute("CongestionControl", StringValue(m_congestion));
    socket->SetAttribute("Address", Ipv4AddressValue(m_address));
    return socket;
}

} // namespace ns3::dml
