/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-connection-end.h"

#include "ns3/inet-socket-address.h"
#include "ns3/uinteger.h"

namespace ns3::dml
{

bool
IsAccepted(const Socket& socket, const StepApplication& application)
{
    Address name;
    UintegerValue port;
    application.GetAttribute("Port", port);
    return socket.GetSockName(name) == 0 && InetSocketAddress::IsMatchingType(name) &&
           InetSocketAddress::ConvertFrom(name).GetPort() == port.Get();
}

} // namespace ns3::dml
