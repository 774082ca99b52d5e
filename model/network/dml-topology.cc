/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-topology.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(Topology);

TypeId
Topology::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::Topology").SetParent<Object>().SetGroupName("Dml");
    return tid;
}

} // namespace ns3::dml
