/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-credit-policy.h"

#include "ns3/dml-grow.h"
#include "ns3/uinteger.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(CreditPolicy);

TypeId
CreditPolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::CreditPolicy")
            .SetParent<TransferPolicy>()
            .SetGroupName("Dml")
            .AddConstructor<CreditPolicy>()
            .AddAttribute("Credit",
                          "Bytes that may be outstanding; 0: exactly one transfer.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&CreditPolicy::m_credit),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Overhead",
                          "How long the sender is busy with a transfer before its first byte.",
                          TimeValue(Seconds(0)),
                          MakeTimeAccessor(&CreditPolicy::m_overhead),
                          MakeTimeChecker(Seconds(0)));
    return tid;
}

void
CreditPolicy::Prepare(const std::vector<TransferInfo>& transfers,
                      [[maybe_unused]] uint32_t connection,
                      PolicyClock& clock)
{
    m_ready.Prepare(transfers);
    m_clock = &clock;
}

void
CreditPolicy::Add(OpIndex transfer, uint64_t bytes)
{
    if (transfer >= m_bytes.size())
    {
        m_bytes.resize(transfer + 1);
    }
    m_bytes[transfer] = bytes;
    m_ready.Push(transfer, bytes);
    Commit();
}

Turn
CreditPolicy::Next([[maybe_unused]] const WindowView& windows)
{
    if (m_committed.empty())
    {
        return Turn{};
    }
    if (!m_handling)
    {
        const double overhead = m_overhead.GetSeconds();
        m_handling = true;
        m_handled = m_clock->GetNow() + overhead;
        if (overhead > 0)
        {
            m_clock->WakeUp(overhead);
        }
    }
    return m_clock->HasCome(m_handled) ? m_committed.front() : Turn{};
}

bool
CreditPolicy::TurnEnded()
{
    m_committed.pop_front();
    m_handling = false;
    return true;
}

void
CreditPolicy::Acknowledged(OpIndex transfer)
{
    m_outstandingBytes -= m_bytes[transfer];
    --m_outstanding;
    Commit();
}

void
CreditPolicy::Commit()
{
    while (!m_ready.IsEmpty() &&
           (m_outstanding == 0 ||
            (m_credit > 0 && m_outstandingBytes + m_ready.GetFirst().bytes <= m_credit)))
    {
        const Turn transfer = m_ready.Pop();
        m_outstandingBytes += transfer.bytes;
        ++m_outstanding;
        PushBackGrowing(m_committed, transfer);
    }
}

} // namespace ns3::dml
