/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-ns3-compat.h"

#include "ns3/data-rate.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/mac48-address.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-cubic.h"
#include "ns3/uinteger.h"

#include <type_traits>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Whether a helper can leave flow control out.
template <typename Helper, typename = void>
constexpr bool CAN_DISABLE_FLOW_CONTROL = false;

template <typename Helper>
constexpr bool
    CAN_DISABLE_FLOW_CONTROL<Helper,
                             std::void_t<decltype(std::declval<Helper&>().DisableFlowControl())>> =
        true;

/// A template, so that what a release does not have is not looked for there.
template <typename Helper>
NetDeviceContainer
Install(Ptr<Node> a, Ptr<Node> b, const DataRate& rate, uint16_t mtu, const Time& delay)
{
    if constexpr (CAN_DISABLE_FLOW_CONTROL<Helper>)
    {
        Helper helper;
        helper.SetDeviceAttribute("DataRate", DataRateValue(rate));
        helper.SetDeviceAttribute("Mtu", UintegerValue(mtu));
        helper.SetChannelAttribute("Delay", TimeValue(delay));
        helper.DisableFlowControl();
        return helper.Install(a, b);
    }
    else
    {
        const auto channel =
            CreateObjectWithAttributes<PointToPointChannel>("Delay", TimeValue(delay));
        NetDeviceContainer devices;
        for (const auto& node : {a, b})
        {
            const auto device =
                CreateObjectWithAttributes<PointToPointNetDevice>("DataRate",
                                                                  DataRateValue(rate),
                                                                  "Mtu",
                                                                  UintegerValue(mtu));
            device->SetAddress(Mac48Address::Allocate());
            node->AddDevice(device);
            device->SetQueue(CreateObject<DropTailQueue<Packet>>());
            device->Attach(channel);
            devices.Add(device);
        }
        return devices;
    }
}

/// ns-3.37 declares TcpCubic a child of TcpSocketBase, of which its C++ class is none: it could not
/// be chosen as a congestion control, and listed the attributes of sockets as its own.
[[maybe_unused]] const TypeId CUBIC_WITH_ITS_PARENT = [] {
    TypeId cubic = TcpCubic::GetTypeId();
    return cubic.IsChildOf(TcpCongestionOps::GetTypeId()) ? cubic
                                                          : cubic.SetParent<TcpCongestionOps>();
}();

} // namespace

NetDeviceContainer
InstallPointToPoint(Ptr<Node> a, Ptr<Node> b, const DataRate& rate, uint16_t mtu, const Time& delay)
{
    return Install<PointToPointHelper>(a, b, rate, mtu, delay);
}

} // namespace ns3::dml
