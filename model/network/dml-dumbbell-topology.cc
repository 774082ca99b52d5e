/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-topologies.h"

#include <set>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(DumbbellTopology);

TypeId
DumbbellTopology::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::DumbbellTopology")
                            .SetParent<Topology>()
                            .SetGroupName("Dml")
                            .AddConstructor<DumbbellTopology>();
    return tid;
}

void
DumbbellTopology::Build(NetworkBuilder& builder) const
{
    const NetworkSpec& spec = builder.GetSpec();
    const HostNames& hosts = builder.GetHosts();
    const uint32_t left = builder.AddSwitch("left");
    const uint32_t right = builder.AddSwitch("right");
    builder.Connect(builder.MakeLink(left, right, spec.topology.trunk));
    std::set<std::string> onLeft(hosts.GetServers().begin(), hosts.GetServers().end());
    for (std::size_t i = 0; i < spec.extraHosts.size(); i += 2)
    {
        onLeft.insert(spec.extraHosts[i]);
    }
    for (const auto& name : hosts.GetOwnNodes())
    {
        builder.ConnectHost(name, onLeft.count(name) > 0 ? left : right);
    }
}

} // namespace ns3::dml
