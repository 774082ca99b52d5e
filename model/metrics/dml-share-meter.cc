/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-share-meter.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ns3::dml
{

namespace
{

constexpr uint64_t MOST_INTERVALS = 16384;

/// Which part of an interval a worker was active.
enum class Presence
{
    NEVER,
    PARTLY,
    THROUGHOUT,
};

/// Answers for one worker, interval after interval.
class PresenceCursor
{
  public:
    explicit PresenceCursor(const IntervalUnion& active)
        : m_active(active)
    {
    }

    Presence Get(double start, double end)
    {
        while (m_at < m_active.size() && m_active[m_at].second <= start)
        {
            ++m_at;
        }
        if (m_at == m_active.size() || m_active[m_at].first >= end)
        {
            return Presence::NEVER;
        }
        const bool all = m_active[m_at].first <= start && m_active[m_at].second >= end;
        return all ? Presence::THROUGHOUT : Presence::PARTLY;
    }

  private:
    const IntervalUnion& m_active; //!< disjoint, in order
    std::size_t m_at{0};           //!< first that may matter
};

/// @return index of the server's link that a channel crosses
std::size_t
GetLink(const TransferChannel& channel)
{
    return 2 * GetServer(channel) + (GetDirection(channel) == Direction::UPLINK ? 1 : 0);
}

} // namespace

ShareMeter::ShareMeter(uint32_t workers, uint32_t servers)
    : m_workers(workers),
      m_links(2 * servers)
{
    for (auto& link : m_links)
    {
        link.active.resize(workers);
    }
}

void
ShareMeter::On(const TransferRecord& record)
{
    const uint32_t worker = GetWorker(record.channel);
    const std::size_t index = GetLink(record.channel);
    if (worker >= m_workers || index >= m_links.size())
    {
        return;
    }
    // transfers come in the order of their ends
    AddInterval(m_links[index].active[worker], record.firstByte, record.lastByte);
}

void
ShareMeter::On(const FlowRecord& record)
{
    const uint32_t worker = GetWorker(record.channel);
    const std::size_t index = GetLink(record.channel);
    if (worker >= m_workers || index >= m_links.size())
    {
        return;
    }
    const double middle = 0.5 * (record.start + record.end);
    while (GetInterval(middle) >= MOST_INTERVALS)
    {
        Widen();
    }
    auto& bytes = m_links[index].bytes;
    const std::size_t at = GetInterval(middle) * m_workers + worker;
    if (at >= bytes.size())
    {
        bytes.resize((GetInterval(middle) + 1) * m_workers, 0);
    }
    bytes[at] += record.bytes;
}

uint64_t
ShareMeter::GetInterval(double time) const
{
    return static_cast<uint64_t>(std::max(time, 0.0) / m_width);
}

void
ShareMeter::Widen()
{
    m_width *= 2;
    for (auto& link : m_links)
    {
        const std::size_t before = link.bytes.size() / m_workers;
        std::vector<float> merged((before + 1) / 2 * m_workers, 0);
        for (std::size_t i = 0; i < link.bytes.size(); ++i)
        {
            merged[i / m_workers / 2 * m_workers + i % m_workers] += link.bytes[i];
        }
        link.bytes = std::move(merged);
    }
}

void
ShareMeter::ForEach(double t0,
                    double t1,
                    const std::function<void(const ShareSample&)>& visit) const
{
    for (uint32_t index = 0; index < m_links.size(); ++index)
    {
        const Link& link = m_links[index];
        std::vector<PresenceCursor> cursors(link.active.begin(), link.active.end());
        std::vector<uint32_t> present;
        for (std::size_t interval = 0; interval < link.bytes.size() / m_workers; ++interval)
        {
            const double start = interval * m_width;
            const double end = (interval + 1) * m_width;
            bool steady = start >= t0 && end <= t1;
            double total = 0;
            present.clear();
            for (uint32_t worker = 0; worker < m_workers; ++worker)
            {
                const Presence presence = cursors[worker].Get(start, end);
                steady = steady && presence != Presence::PARTLY;
                if (presence == Presence::THROUGHOUT)
                {
                    present.push_back(worker);
                    total += link.bytes[interval * m_workers + worker];
                }
            }
            if (!steady || !(total > 0))
            {
                continue;
            }
            const auto active = static_cast<uint32_t>(present.size());
            for (const uint32_t worker : present)
            {
                visit({index % 2 == 0 ? Direction::DOWNLINK : Direction::UPLINK,
                       index / 2,
                       start,
                       worker,
                       active,
                       link.bytes[interval * m_workers + worker] / total});
            }
        }
    }
}

ShareSummary
ShareMeter::Summarise(double t0, double t1) const
{
    ShareSummary summary;
    std::vector<double> errors;
    std::vector<double> sums(m_workers, 0);
    std::vector<uint64_t> counts(m_workers, 0);
    double intervals = 0;
    ForEach(t0, t1, [&](const ShareSample& sample) {
        if (sample.active >= 2)
        {
            const double relative = sample.share * sample.active;
            errors.push_back(std::abs(relative - 1));
            sums[sample.worker] += relative;
            ++counts[sample.worker];
            intervals += 1.0 / sample.active;
        }
    });
    for (uint32_t worker = 0; worker < m_workers; ++worker)
    {
        summary.workers.push_back(counts[worker] > 0 ? sums[worker] / counts[worker]
                                                     : std::numeric_limits<double>::quiet_NaN());
    }
    if (errors.empty())
    {
        return summary;
    }
    summary.intervals = std::llround(intervals);
    summary.mean = std::accumulate(errors.begin(), errors.end(), 0.0) / errors.size();
    const auto rank = static_cast<std::size_t>(std::ceil(0.9 * errors.size()));
    std::nth_element(errors.begin(), errors.begin() + (rank - 1), errors.end());
    summary.p90 = errors[rank - 1];
    return summary;
}

} // namespace ns3::dml
