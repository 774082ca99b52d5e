/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-round-robin-policy.h"

#include "ns3/uinteger.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(RoundRobinPolicy);

TypeId
RoundRobinPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::RoundRobinPolicy")
                            .SetParent<Http2WindowPolicy>()
                            .SetGroupName("Dml")
                            .AddConstructor<RoundRobinPolicy>()
                            .AddAttribute("Quantum",
                                          "Bytes of one turn at most.",
                                          UintegerValue(DEFAULT_QUANTUM),
                                          MakeUintegerAccessor(&RoundRobinPolicy::m_quantum),
                                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

uint64_t
RoundRobinPolicy::GetTurnLimit() const
{
    return m_quantum;
}

} // namespace ns3::dml
