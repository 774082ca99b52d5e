/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_NS3_COMPAT_H
#define DML_NS3_COMPAT_H

// What differs between the releases of ns-3 that dml builds with, 3.35 to 3.48, and cannot be
// written in one way for all of them.

#include "ns3/net-device-container.h"
#include "ns3/node.h"
#include "ns3/tcp-socket-base.h"

#include <cstdint>
#include <type_traits>

namespace ns3
{

class DataRate;
class Time;

namespace dml
{

/**
 * @brief Join two nodes by a point-to-point link whose devices have no flow control, so that no
 * queue disc is installed on them.
 *
 * PointToPointHelper::DisableFlowControl(), which ns-3.35 does not have.
 *
 * @param a one node
 * @param b the other
 * @param rate of both devices
 * @param mtu of both devices, in bytes
 * @param delay of the link
 * @return the device of a and the device of b
 */
NetDeviceContainer InstallPointToPoint(Ptr<Node> a,
                                       Ptr<Node> b,
                                       const DataRate& rate,
                                       uint16_t mtu,
                                       const Time& delay);

/**
 * @brief What a subclass of a class of ns-3 derives from, with its own name for Self.
 *
 * Attributes are set for the TypeId that GetInstanceTypeId() returns. Until ns-3.44 classes such as
 * TcpSocketBase override it, so that a subclass has to do so again; from ns-3.45 on Object finds
 * the TypeId of the object's class, and the method is final.
 *
 * @tparam Self the subclass
 * @tparam Parent the class of ns-3
 * @tparam OVERRIDDEN whether Parent overrides the method
 */
template <typename Self,
          typename Parent,
          bool OVERRIDDEN =
              std::is_same_v<decltype(&Parent::GetInstanceTypeId), TypeId (Parent::*)() const>>
class Ns3Parent : public Parent
{
  public:
    TypeId GetInstanceTypeId() const override
    {
        return Self::GetTypeId();
    }
};

template <typename Self, typename Parent>
class Ns3Parent<Self, Parent, false> : public Parent
{
};

} // namespace dml
} // namespace ns3

#endif /* DML_NS3_COMPAT_H */
