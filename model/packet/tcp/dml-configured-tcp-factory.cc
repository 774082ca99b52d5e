/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-configured-tcp-factory.h"

#include "dml-linux-cubic.h"
#include "dml-linux-rtt-estimator.h"
#include "dml-linux-tcp-socket.h"

#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rtt-estimator.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-recovery-ops.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(ConfiguredTcpFactory);

TypeId
ConfiguredTcpFactory::MakeType(const std::string& name)
{
    return TypeId(name.c_str()) // until ns-3.36 it takes no std::string
        .SetParent<SocketFactory>()
        .SetGroupName("Dml")
        .AddConstructor<ConfiguredTcpFactory>()
        .AddAttribute("SocketType",
                      "TcpSocketBase, or a class derived from it.",
                      TypeIdValue(LinuxTcpSocket::GetTypeId()),
                      MakeTypeIdAccessor(&ConfiguredTcpFactory::m_socket),
                      MakeTypeIdChecker())
        .AddAttribute("CongestionControl",
                      "Makes the congestion control of each socket.",
                      ObjectFactoryValue(ObjectFactory(LinuxCubic::GetTypeId().GetName())),
                      MakeObjectFactoryAccessor(&ConfiguredTcpFactory::m_congestion),
                      MakeObjectFactoryChecker())
        .AddAttribute("RttEstimator",
                      "Makes what each socket knows of its round trips.",
                      ObjectFactoryValue(ObjectFactory(LinuxRttEstimator::GetTypeId().GetName())),
                      MakeObjectFactoryAccessor(&ConfiguredTcpFactory::m_estimator),
                      MakeObjectFactoryChecker());
}

TypeId
ConfiguredTcpFactory::GetTypeId()
{
    static TypeId tid = MakeType("ns3::dml::ConfiguredTcpFactory");
    return tid;
}

TypeId
ConfiguredTcpFactory::GetNumberedType(uint32_t number)
{
    if (number == 0)
    {
        return GetTypeId();
    }
    const std::string name = "ns3::dml::ConfiguredTcpFactory" + std::to_string(number + 1);
    TypeId type;
    return TypeId::LookupByNameFailSafe(name, &type) ? type : MakeType(name);
}

void
ConfiguredTcpFactory::SetSocketAttribute(const std::string& name, const AttributeValue& value)
{
    m_values[name] = value.Copy();
}

int64_t
ConfiguredTcpFactory::AssignStreams(int64_t stream)
{
    int64_t used = 0;
    for (const auto& [name, value] : m_values)
    {
        const auto* pointer = dynamic_cast<const PointerValue*>(PeekPointer(value));
        const auto random =
            pointer ? DynamicCast<RandomVariableStream>(pointer->GetObject()) : nullptr;
        if (random)
        {
            random->SetStream(stream + used++);
        }
    }
    return used;
}

Ptr<Socket>
ConfiguredTcpFactory::CreateSocket()
{
    const auto node = GetObject<Node>();
    const auto tcp = node->GetObject<TcpL4Protocol>();
    const auto make = [&tcp](const std::string& attribute) {
        TypeIdValue type;
        tcp->GetAttribute(attribute, type);
        return ObjectFactory(type.Get().GetName());
    };
    // as TcpL4Protocol::CreateSocket() does it, which knows TcpSocketBase alone
    const auto socket = ObjectFactory(m_socket.GetName()).Create<TcpSocketBase>();
    socket->SetNode(node);
    socket->SetTcp(tcp);
    socket->SetRtt(m_estimator.Create<RttEstimator>());
    socket->SetCongestionControlAlgorithm(m_congestion.Create<TcpCongestionOps>());
    socket->SetRecoveryAlgorithm(make("RecoveryType").Create<TcpRecoveryOps>());
    tcp->AddSocket(socket);
    for (const auto& [name, value] : m_values)
    {
        socket->SetAttribute(name, *value);
    }
    return socket;
}

} // namespace ns3::dml
