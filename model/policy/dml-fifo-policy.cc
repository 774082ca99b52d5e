/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-fifo-policy.h"

#include "ns3/dml-grow.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(FifoPolicy);

TypeId
FifoPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::FifoPolicy")
                            .SetParent<TransferPolicy>()
                            .SetGroupName("Dml")
                            .AddConstructor<FifoPolicy>();
    return tid;
}

void
FifoPolicy::Add(OpIndex transfer, uint64_t bytes)
{
    PushBackGrowing(m_queue, Turn{transfer, bytes});
}

Turn
FifoPolicy::Next([[maybe_unused]] const WindowView& windows)
{
    return m_queue.empty() ? Turn{} : m_queue.front();
}

bool
FifoPolicy::TurnEnded()
{
    m_queue.pop_front();
    return true;
}

} // namespace ns3::dml
