/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-credit-policy.h"

#include "ns3/dml-grow.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace dml
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
                          "How long after its acknowledgement a transfer counts as outstanding.",
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
    // what came back while a turn was open went to those that were ready then
    TakeReturns();
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
    TakeReturns();
    return m_committed.empty() ? Turn{} : m_committed.front();
}

bool
CreditPolicy::TurnEnded()
{
    m_committed.pop_front();
    return true;
}

uint32_t
CreditPolicy::GetSize() const
{
    return m_ready.GetSize() + m_committed.size();
}

bool
CreditPolicy::WantsAcknowledgements() const
{
    return true;
}

void
CreditPolicy::Acknowledged(OpIndex transfer)
{
    const double overhead = m_overhead.GetSeconds();
    PushBackGrowing(m_returns, Return{m_clock->GetNow() + overhead, m_bytes[transfer]});
    if (overhead > 0)
    {
        m_clock->WakeUp(overhead);
    }
    TakeReturns();
}

void
CreditPolicy::TakeReturns()
{
    while (!m_returns.empty() && m_clock->HasCome(m_returns.front().time))
    {
        m_outstandingBytes -= m_returns.front().bytes;
        --m_outstanding;
        m_returns.pop_front();
        Commit();
    }
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

} // namespace dml
} // namespace ns3
