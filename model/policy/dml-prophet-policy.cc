/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-prophet-policy.h"

#include "ns3/dml-error.h"
#include "ns3/dml-grow.h"

#include <algorithm>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(ProphetPolicy);

TypeId
ProphetPolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::ProphetPolicy")
            .SetParent<TransferPolicy>()
            .SetGroupName("Dml")
            .AddConstructor<ProphetPolicy>()
            .AddAttribute("Interval",
                          "Time between two looks at the rate of the connection; 0: before every "
                          "block.",
                          TimeValue(Seconds(5)),
                          MakeTimeAccessor(&ProphetPolicy::m_interval),
                          MakeTimeChecker(Seconds(0)))
            .AddAttribute("Rate",
                          "Estimate of the rate of the connection before the first look.",
                          DataRateValue(DataRate("1Gbps")),
                          MakeDataRateAccessor(&ProphetPolicy::m_firstRate),
                          MakeDataRateChecker())
            .AddAttribute("Overhead",
                          "Time from forming a block to its first byte.",
                          TimeValue(Seconds(0)),
                          MakeTimeAccessor(&ProphetPolicy::m_overhead),
                          MakeTimeChecker(Seconds(0)));
    return tid;
}

void
ProphetPolicy::Prepare(const std::vector<TransferInfo>& transfers,
                       [[maybe_unused]] uint32_t connection,
                       PolicyClock& clock)
{
    if (m_firstRate.GetBitRate() == 0)
    {
        throw InputError("Prophet's first estimate of the rate: found 0; accepted: above 0");
    }
    m_clock = &clock;
    m_ready.Prepare(transfers);
    m_forecast.Prepare(transfers);
    m_rate = RateMonitor(m_firstRate.GetBitRate() / 8.0, m_interval.GetSeconds());
}

void
ProphetPolicy::Add(OpIndex transfer, uint64_t bytes)
{
    m_forecast.Generated(transfer, m_clock->GetNow());
    m_ready.Push(transfer, bytes);
    m_added = true;
    m_awaited = NO_INDEX; // the forecast has changed
}

Turn
ProphetPolicy::Next([[maybe_unused]] const WindowView& windows)
{
    if (m_block.empty() && m_added)
    {
        m_added = false;
        m_clock->WakeUp(0); // others may follow in this instant, and belong before it
        return Turn{};
    }
    if (m_block.empty())
    {
        FormBlock();
    }
    if (m_block.empty() || !m_clock->HasCome(m_blockStart))
    {
        return Turn{};
    }
    m_turnStart = m_clock->GetNow();
    return m_block.front();
}

void
ProphetPolicy::FormBlock()
{
    const double now = m_clock->GetNow();
    const double rate = m_rate.GetRate(now);
    double overhead = m_overhead.GetSeconds();
    double end = now + overhead;
    while (!m_ready.IsEmpty())
    {
        const auto next = m_forecast.GetNextBefore(m_ready.GetFirstRank());
        end += m_ready.GetFirst().bytes / rate;
        if (next.transfer == NO_INDEX || end > next.time + PolicyClock::GetRounding(end))
        {
            break;
        }
        PushBackGrowing(m_block, m_ready.Pop());
    }
    if (m_block.empty() && !m_ready.IsEmpty() && MayGoAlone())
    {
        const bool last = m_forecast.GetNextBefore(m_ready.GetFirstRank()).transfer == NO_INDEX;
        if (last && now <= m_sentUntil + PolicyClock::GetRounding(now))
        {
            overhead = 0; // lines 13 and 14: it starts when the one before it has been sent
        }
        PushBackGrowing(m_block, m_ready.Pop());
    }
    m_blockStart = now + overhead;
    if (!m_block.empty() && overhead > 0)
    {
        m_clock->WakeUp(overhead);
    }
}

bool
ProphetPolicy::MayGoAlone()
{
    const auto next = m_forecast.GetNextBefore(m_ready.GetFirstRank());
    if (next.transfer == NO_INDEX)
    {
        return true;
    }
    if (m_awaited == next.transfer)
    {
        return m_clock->HasCome(next.time); // it is late, or the profile is wrong
    }
    m_awaited = next.transfer;
    m_clock->WakeUp(std::max(0.0, next.time - m_clock->GetNow()));
    return false;
}

bool
ProphetPolicy::TurnEnded()
{
    m_sentUntil = m_clock->GetNow();
    m_rate.Sent(m_block.front().bytes, m_turnStart, m_sentUntil);
    m_block.pop_front();
    return true;
}

uint32_t
ProphetPolicy::GetSize() const
{
    return m_ready.GetSize() + m_block.size();
}

} // namespace ns3::dml
