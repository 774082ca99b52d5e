/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-stale-synchronous-sync.h"

#include "ns3/uinteger.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(StaleSynchronousSync);

TypeId
StaleSynchronousSync::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::StaleSynchronousSync")
                            .SetParent<SyncPolicy>()
                            .SetGroupName("Dml")
                            .AddConstructor<StaleSynchronousSync>()
                            .AddAttribute("Bound",
                                          "Steps that a worker may be ahead of the slowest one.",
                                          UintegerValue(3),
                                          MakeUintegerAccessor(&StaleSynchronousSync::m_bound),
                                          MakeUintegerChecker<uint32_t>());
    return tid;
}

bool
StaleSynchronousSync::HasRounds() const
{
    return m_bound == 0;
}

bool
StaleSynchronousSync::MayBegin(uint32_t step, const SyncView& view) const
{
    return step <= m_bound || step - m_bound <= view.slowest;
}

uint32_t
StaleSynchronousSync::GetJoiningStep(const SyncView& view) const
{
    return view.slowest;
}

} // namespace ns3::dml
