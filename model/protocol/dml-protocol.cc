/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-protocol.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(Protocol);

TypeId
Protocol::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::Protocol").SetParent<Object>().SetGroupName("Dml");
    return tid;
}

bool
Protocol::StepsOverlap() const
{
    return false;
}

bool
Protocol::HasServers() const
{
    return true;
}

} // namespace ns3::dml
