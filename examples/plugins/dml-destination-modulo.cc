/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A choice of one's own among equally short paths: by the destination alone, modulo the number of
// links, as fat trees are routed (D-mod-k: Zahavi, "D-Mod-K routing providing non-blocking traffic
// for shift permutations on real life fat trees", 2010). All that goes to a host shares a path.
// doc/extending.rst shows how a scenario chooses it.

#include "ns3/dml-multipath-policy.h"
#include "ns3/uinteger.h"

namespace example
{

using namespace ns3;
using namespace ns3::dml;

class DestinationModulo : public MultipathPolicy
{
  public:
    static TypeId GetTypeId();

    Spread GetSpread() const override
    {
        return Spread::BY_CONNECTION; // so that engines without packets know each one's path
    }

    uint32_t Choose(const PathQuestion& question) override
    {
        const uint32_t host = question.tuple.destination / m_addresses; // of subnets of 4 addresses
        return (host + m_offset) % question.choices;
    }

  private:
    uint32_t m_addresses{4}; //!< attribute
    uint32_t m_offset{0};    //!< attribute
};

NS_OBJECT_ENSURE_REGISTERED(DestinationModulo);

TypeId
DestinationModulo::GetTypeId()
{
    static TypeId tid = TypeId("example::DestinationModulo")
                            .SetParent<MultipathPolicy>()
                            .AddConstructor<DestinationModulo>()
                            .AddAttribute("Addresses",
                                          "Addresses that have the same path.",
                                          UintegerValue(4),
                                          MakeUintegerAccessor(&DestinationModulo::m_addresses),
                                          MakeUintegerChecker<uint32_t>(1))
                            .AddAttribute("Offset",
                                          "Added before the remainder is taken.",
                                          UintegerValue(0),
                                          MakeUintegerAccessor(&DestinationModulo::m_offset),
                                          MakeUintegerChecker<uint32_t>());
    return tid;
}

} // namespace example
