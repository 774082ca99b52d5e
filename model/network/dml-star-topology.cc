/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-topologies.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(StarTopology);

TypeId
StarTopology::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::StarTopology")
                            .SetParent<Topology>()
                            .SetGroupName("Dml")
                            .AddConstructor<StarTopology>();
    return tid;
}

void
StarTopology::Build(NetworkBuilder& builder) const
{
    builder.Deal({builder.AddSwitch("switch")});
}

} // namespace ns3::dml
