/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-prophet-policy.h"

#include "ns3/dml-error.h"
#include "ns3/dml-grow.h"

#include <algorithm>
#include <cmath>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(ProphetPolicy);

void
GradientForecast::Prepare(const std::vector<TransferInfo>& transfers)
{
    m_gradients.clear();
    m_places.clear();
    for (const auto& info : transfers)
    {
        if (info.generated >= 0)
        {
            m_gradients.push_back({info});
        }
    }
    std::stable_sort(
        m_gradients.begin(),
        m_gradients.end(),
        [](const Gradient& a, const Gradient& b) { return a.info.rank < b.info.rank; });
    for (uint32_t place = 0; place < m_gradients.size(); ++place)
    {
        const OpIndex transfer = m_gradients[place].info.transfer;
        if (transfer >= m_places.size())
        {
            m_places.resize(transfer + 1, NO_INDEX);
        }
        m_places[transfer] = place;
    }
}

void
GradientForecast::Generated(OpIndex transfer, double now)
{
    if (transfer >= m_places.size() || m_places[transfer] == NO_INDEX)
    {
        return;
    }
    Gradient& gradient = m_gradients[m_places[transfer]];
    if (gradient.come)
    {
        for (auto& other : m_gradients)
        {
            other.come = false;
        }
        m_toCome = m_gradients.size();
    }
    gradient.come = true;
    --m_toCome;
    m_offset = now - gradient.info.generated;
}

GradientForecast::Prediction
GradientForecast::GetNextBefore(uint32_t rank) const
{
    Prediction next;
    if (m_toCome == 0)
    {
        return next;
    }
    for (const auto& gradient : m_gradients)
    {
        if (gradient.info.rank >= rank)
        {
            break;
        }
        if (!gradient.come && m_offset + gradient.info.generated < next.time)
        {
            next = {gradient.info.transfer, m_offset + gradient.info.generated};
        }
    }
    return next;
}

RateMonitor::RateMonitor(double rate, double interval)
    : m_rate(rate),
      m_interval(interval),
      m_nextLook(interval)
{
}

void
RateMonitor::Sent(uint64_t bytes, double start, double end)
{
    if (m_interval > 0 && end > m_nextLook)
    {
        Look();
        m_nextLook = m_interval * std::ceil(end / m_interval);
    }
    m_bytes += bytes;
    m_busy += end - start;
}

double
RateMonitor::GetRate(double now)
{
    if (now >= m_nextLook)
    {
        Look();
        m_nextLook = m_interval > 0 ? m_interval * (std::floor(now / m_interval) + 1) : now;
    }
    return m_rate;
}

void
RateMonitor::Look()
{
    if (m_bytes > 0 && m_busy > 0)
    {
        m_rate = m_bytes / m_busy;
    }
    m_bytes = 0;
    m_busy = 0;
}

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

} // namespace ns3::dml
