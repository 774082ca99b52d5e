/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A topology of one's own: switches in a ring, to which the hosts are dealt in turn.
// doc/extending.rst shows how a scenario chooses it.

#include "ns3/data-rate.h"
#include "ns3/dml-topology.h"
#include "ns3/uinteger.h"

#include <string>
#include <vector>

namespace example
{

using namespace ns3;
using namespace ns3::dml;

class RingTopology : public Topology
{
  public:
    static TypeId GetTypeId();

    void Build(NetworkBuilder& builder) const override;

  private:
    uint32_t m_switches{3}; //!< attribute
    DataRate m_rate;        //!< attribute
};

NS_OBJECT_ENSURE_REGISTERED(RingTopology);

TypeId
RingTopology::GetTypeId()
{
    static TypeId tid = TypeId("example::RingTopology")
                            .SetParent<Topology>()
                            .AddConstructor<RingTopology>()
                            .AddAttribute("Switches",
                                          "Number of switches.",
                                          UintegerValue(3),
                                          MakeUintegerAccessor(&RingTopology::m_switches),
                                          MakeUintegerChecker<uint32_t>(3, 1000))
                            .AddAttribute("Rate",
                                          "Rate of the links between switches, each direction.",
                                          DataRateValue(DataRate("1Gbps")),
                                          MakeDataRateAccessor(&RingTopology::m_rate),
                                          MakeDataRateChecker());
    return tid;
}

void
RingTopology::Build(NetworkBuilder& builder) const
{
    std::vector<uint32_t> ring;
    for (uint32_t i = 0; i < m_switches; ++i)
    {
        ring.push_back(builder.AddSwitch("ring" + std::to_string(i)));
    }
    LinkSpec trunk; // what it does not say is as in the scenario's network
    trunk.rate = m_rate;
    for (uint32_t i = 0; i < m_switches; ++i)
    {
        builder.Connect(builder.MakeLink(ring[i], ring[(i + 1) % m_switches], trunk));
    }
    builder.Deal(ring);
}

} // namespace example
