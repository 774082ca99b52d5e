/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-host-sockets.h"

#include "dml-congestion-controls.h"
#include "dml-linux-cubic.h"
#include "dml-linux-rtt-estimator.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/string.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

constexpr uint64_t FIRST_SEND_BUFFER = 30; //!< segments, as Linux begins with 46080 bytes

/// @return what makes the congestion control of each socket
ObjectFactory
MakeControlFactory(const HostSockets& sockets)
{
    // plain TCP is ns-3's own
    if (sockets.tcp.IsPlain() && sockets.control.name == "cubic")
    {
        return ObjectFactory("ns3::TcpCubic");
    }
    ObjectFactory control = CongestionControls().MakeFactory(sockets.control);
    if (control.GetTypeId() == LinuxCubic::GetTypeId())
    {
        const PluginAttributes& given = sockets.control.attributes;
        SetUnlessGiven(control, given, "HyStart", BooleanValue(sockets.tcp.hystart));
        SetUnlessGiven(control, given, "GsoSize", UintegerValue(sockets.burst));
    }
    return control;
}

/// Let a host's sockets do what those of Linux do. @param[in,out] stream next random stream
void
SetLinuxParts(const HostSockets& sockets, int64_t& stream, ConfiguredTcpFactory& factory)
{
    const TcpSpec& tcp = sockets.tcp;
    const auto set = [&factory](const std::string& name, const AttributeValue& value) {
        factory.SetSocketAttribute(name, value);
    };
    ObjectFactory estimator(LinuxRttEstimator::GetTypeId().GetName());
    estimator.Set("LeastVariation", TimeValue(tcp.minRto / int64_t(4)));
    factory.SetAttribute("RttEstimator", ObjectFactoryValue(estimator));
    set("GsoSize", UintegerValue(sockets.burst));
    set("Trains", BooleanValue(tcp.trains));
    set("SmallQueues", BooleanValue(tcp.smallQueues));
    set("WindowValidation", BooleanValue(tcp.windowValidation));
    set("IdleRestart", BooleanValue(tcp.idleRestart));
    set("RecentAck", BooleanValue(tcp.rack));
    set("TailLossProbe", BooleanValue(tcp.rack));
    set("MaxSendBuffer", UintegerValue(tcp.autotuning ? tcp.sendBuffer : 0));
    const Time wait = GetAckJitter(tcp);
    if (wait.IsStrictlyPositive())
    {
        const auto jitter = CreateObject<ExponentialRandomVariable>();
        jitter->SetAttribute("Mean", DoubleValue(wait.GetSeconds()));
        jitter->SetStream(stream++);
        set("AckJitter", PointerValue(jitter));
    }
}

} // namespace

Ptr<ConfiguredTcpFactory>
MakeTcpFactory(const HostSockets& sockets, uint32_t number, int64_t& stream)
{
    const TcpSpec& tcp = sockets.tcp;
    const bool isPlain = tcp.IsPlain();
    ObjectFactory type;
    type.SetTypeId(ConfiguredTcpFactory::GetNumberedType(number));
    const auto factory = type.Create<ConfiguredTcpFactory>();
    const auto set = [&factory](const std::string& name, const AttributeValue& value) {
        factory->SetSocketAttribute(name, value);
    };
    factory->SetAttribute("CongestionControl", ObjectFactoryValue(MakeControlFactory(sockets)));
    if (isPlain)
    {
        factory->SetAttribute("SocketType", TypeIdValue(TcpSocketBase::GetTypeId()));
        factory->SetAttribute("RttEstimator",
                              ObjectFactoryValue(ObjectFactory("ns3::RttMeanDeviation")));
    }
    else
    {
        SetLinuxParts(sockets, stream, *factory);
    }
    set("SegmentSize", UintegerValue(sockets.segment));
    set("SndBufSize",
        UintegerValue(!isPlain && tcp.autotuning
                          ? std::min(tcp.sendBuffer, FIRST_SEND_BUFFER * sockets.segment)
                          : tcp.sendBuffer));
    set("RcvBufSize", UintegerValue(tcp.receiveBuffer));
    set("InitialCwnd", UintegerValue(tcp.initialWindow));
    // as often as Linux (tcp_retries2), where ns-3 gives up after 6
    set("DataRetries", UintegerValue(15));
    set("DelAckTimeout", TimeValue(tcp.delayedAckTimeout));
    set("MinRto", TimeValue(tcp.minRto));
    set("Sack", BooleanValue(tcp.sack));
    set("Timestamp", BooleanValue(tcp.timestamps));
    set("TcpNoDelay", BooleanValue(true));
    set("UseEcn", StringValue(sockets.marks || IsDctcp(sockets.control) ? "On" : "Off"));
    return factory;
}

} // namespace ns3::dml
