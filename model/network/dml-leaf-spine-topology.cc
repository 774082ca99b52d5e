/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-topologies.h"

#include <algorithm>
#include <sstream>

namespace ns3::dml
{

namespace
{

/// Fastest trunk that a ratio may give, bits/s.
constexpr double MAX_TRUNK = 1e13;

/// @param way of the hosts' links @return the largest rate of the hosts of a leaf together, bits/s
double
GetBusiestLeaf(const NetworkBuilder& builder, DataRate LinkRates::*way)
{
    std::vector<double> bits(builder.GetSpec().topology.leaves);
    uint32_t next = 0;
    for (const auto& name : builder.GetHosts().GetOwnNodes())
    {
        const LinkRates rates = builder.GetHostLink(name).rate.value_or(builder.GetSpec().rate);
        bits[next++ % bits.size()] +=
            static_cast<double>((rates.*way).GetBitRate()) * builder.GetHosts().CountNics(name);
    }
    return *std::max_element(bits.begin(), bits.end());
}

/// @return whether a leaf sends over all of its trunks, else over one only
bool
UsesAllTrunks(const NetworkBuilder& builder)
{
    return builder.GetSpec().multipath.IsOn();
}

/// @param way of the hosts' links and of the trunks @return what `oversubscription` makes of it
DataRate
FindTrunkRate(const NetworkBuilder& builder, DataRate LinkRates::*way)
{
    const TopologySpec& topology = builder.GetSpec().topology;
    const double ratio = topology.oversubscription;
    const uint32_t trunks = UsesAllTrunks(builder) ? topology.spines : 1;
    const double bits = GetBusiestLeaf(builder, way) / ratio / trunks;
    if (!(bits >= 1 && bits <= MAX_TRUNK))
    {
        std::ostringstream found;
        found << ratio << ", which makes trunks of " << bits << " bit/s";
        throw NetworkError("topology.oversubscription",
                           found.str(),
                           "a ratio that gives trunks of 1 to 1e+13 bit/s");
    }
    return DataRate(static_cast<uint64_t>(bits));
}

} // namespace

NS_OBJECT_ENSURE_REGISTERED(LeafSpineTopology);

TypeId
LeafSpineTopology::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::LeafSpineTopology")
                            .SetParent<Topology>()
                            .SetGroupName("Dml")
                            .AddConstructor<LeafSpineTopology>();
    return tid;
}

void
LeafSpineTopology::Build(NetworkBuilder& builder) const
{
    const TopologySpec& topology = builder.GetSpec().topology;
    std::vector<uint32_t> leaves;
    for (uint32_t leaf = 0; leaf < topology.leaves; ++leaf)
    {
        leaves.push_back(builder.AddSwitch("leaf" + std::to_string(leaf)));
    }
    LinkSpec trunk = topology.trunk;
    if (!trunk.rate)
    {
        trunk.rate = LinkRates(FindTrunkRate(builder, &LinkRates::up),
                               FindTrunkRate(builder, &LinkRates::down));
    }
    for (uint32_t spine = 0; spine < topology.spines; ++spine)
    {
        const uint32_t node = builder.AddSwitch("spine" + std::to_string(spine));
        for (uint32_t leaf = 0; leaf < topology.leaves; ++leaf)
        {
            NetworkLink link = builder.MakeLink(leaves[leaf], node, trunk);
            // upwards, a leaf's own spine is the nearest
            const uint32_t rank =
                (spine + topology.spines - leaf % topology.spines) % topology.spines;
            link.metrics = {NetworkBuilder::UNIT_METRIC + (UsesAllTrunks(builder) ? 0 : rank),
                            NetworkBuilder::UNIT_METRIC};
            builder.Connect(link);
        }
    }
    builder.Deal(leaves);
}

} // namespace ns3::dml
