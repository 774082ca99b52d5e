/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-stream-errors.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <cmath>

namespace ns3::dml
{

namespace
{

/// Noise of an error to begin with: seconds, and share of the time on the wire.
constexpr double NOISE_SECONDS = 5e-6;
constexpr double NOISE_SHARE = 0.01;
/// Noise is at least TWO_ROUNDED and this share of the time on the wire.
constexpr double LEAST_NOISE_SHARE = 1e-6;
/// Streams whose time on the wire is this many times the noise in seconds tell its share.
constexpr double LONG_STREAM = 100;
/// Bytes of a frame, whose last one is the last byte of a message only by chance.
constexpr double FRAME = 1500;

Eigen::Map<const Eigen::VectorXd>
ToVector(const std::vector<double>& values)
{
    return {values.data(), static_cast<Eigen::Index>(values.size())};
}

} // namespace

double
GetResolution(const std::vector<StreamGroup>& groups)
{
    for (const StreamGroup& group : groups)
    {
        for (const Stream& stream : group.streams)
        {
            const auto ns = static_cast<int64_t>(std::llround(1e9 * stream.end));
            if ((group.origin + ns) % 1000 != 0)
            {
                return 1e-9;
            }
        }
    }
    return 1e-6;
}

StreamErrors::StreamErrors(const std::vector<StreamGroup>& groups, bool lastBytes)
    : m_groups(groups),
      m_lastBytes(lastBytes),
      m_resolution(GetResolution(groups))
{
    double bytes = 0;
    double seconds = 0;
    std::vector<double> sizes;
    std::vector<double> gaps;
    for (std::size_t g = 0; g < m_groups.size(); ++g)
    {
        const auto& streams = m_groups[g].streams;
        const std::size_t first = m_order.size();
        for (std::size_t s = 0; s < streams.size(); ++s)
        {
            if (!std::isnan(GetRecorded(streams[s])))
            {
                m_order.emplace_back(g, s);
            }
        }
        std::stable_sort(m_order.begin() + first, m_order.end(), [&](const auto& a, const auto& b) {
            return GetRecorded(streams[a.second]) < GetRecorded(streams[b.second]);
        });
        double free = 0; // end of the busy period so far
        for (std::size_t i = first; i < m_order.size(); ++i)
        {
            const Stream& stream = streams[m_order[i].second];
            const double length =
                std::max(0.0, GetRecorded(stream) - std::max(free, stream.request));
            sizes.push_back(static_cast<double>(stream.bytes));
            bytes += sizes.back();
            seconds += length;
            gaps.push_back(length);
            free = std::max(free, GetRecorded(stream));
            m_clusters.groups.push_back(g);
            m_clusters.tensors.push_back(stream.tensor);
        }
    }
    if (bytes == 0 || seconds == 0)
    {
        throw InputError("no transfer that has bytes and takes time; accepted: at least one");
    }
    m_perByte = seconds / bytes;
    m_perMessage = std::max(1e-7, GetQuantile(gaps, 0.5));
    m_wireTimes = m_perByte * ToVector(sizes);
    SetNoise(NOISE_SECONDS, NOISE_SHARE);
}

void
StreamErrors::SetNoise(double seconds, double share)
{
    m_noise = (seconds + share * m_wireTimes.array()).matrix();
}

Eigen::VectorXd
StreamErrors::GetLateness(const std::vector<StreamGroup>& groups, const LinkModel& link) const
{
    Eigen::VectorXd lateness(static_cast<Eigen::Index>(m_order.size()));
    std::vector<StreamTimes> times;
    for (std::size_t i = 0; i < m_order.size(); ++i)
    {
        const auto [g, s] = m_order[i];
        if (i == 0 || m_order[i - 1].first != g)
        {
            times = PredictStreams(groups[g], link);
        }
        lateness[static_cast<Eigen::Index>(i)] =
            (m_lastBytes ? times[s].last : times[s].end) - GetRecorded(m_groups[g].streams[s]);
    }
    return lateness;
}

Eigen::VectorXd
StreamErrors::GetInnovations(const Eigen::VectorXd& lateness, double gain) const
{
    Eigen::VectorXd errors(lateness.size());
    double expected = 0;
    for (Eigen::Index i = 0; i < lateness.size(); ++i)
    {
        if (i == 0 || m_order[i - 1].first != m_order[i].first)
        {
            expected = 0;
        }
        errors[i] = lateness[i] - expected;
        expected += gain * errors[i];
    }
    return errors;
}

Eigen::MatrixXd
StreamErrors::GetFrameErrors(const LinkModel& link) const
{
    const Eigen::VectorXd before = GetResiduals(link);
    const uint32_t tensors =
        *std::max_element(m_clusters.tensors.begin(), m_clusters.tensors.end()) + 1;
    const double late = FRAME / std::sqrt(12) / link.rate;
    std::vector<StreamGroup> groups = m_groups;
    Eigen::MatrixXd errors(before.size(), tensors);
    for (uint32_t tensor = 0; tensor < tensors; ++tensor)
    {
        for (StreamGroup& group : groups)
        {
            for (Stream& stream : group.streams)
            {
                stream.late = stream.tensor == tensor ? late : 0;
            }
        }
        errors.col(tensor) =
            GetInnovations(GetLateness(groups, link), m_gain).cwiseQuotient(m_noise) - before;
    }
    return errors;
}

void
StreamErrors::EstimateNoise(const LinkModel& link)
{
    const Eigen::VectorXd lateness = GetLateness(m_groups, link);
    double leastSum = -1;
    for (const double gain : {0.0, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0})
    {
        const double sum = GetInnovations(lateness, gain).cwiseAbs().cwiseQuotient(m_noise).sum();
        if (leastSum < 0 || sum < leastSum)
        {
            leastSum = sum;
            m_gain = gain;
        }
    }
    const Eigen::VectorXd sizes = GetInnovations(lateness, m_gain).cwiseAbs();
    const double middle =
        GetQuantile({m_wireTimes.data(), m_wireTimes.data() + m_wireTimes.size()}, 0.5);
    std::vector<double> shorter;
    for (Eigen::Index i = 0; i < sizes.size(); ++i)
    {
        if (m_wireTimes[i] <= middle)
        {
            shorter.push_back(sizes[i]);
        }
    }
    const double seconds = std::max(TWO_ROUNDED * m_resolution, GetRobustScale(ToVector(shorter)));
    std::vector<double> shares;
    for (Eigen::Index i = 0; i < sizes.size(); ++i)
    {
        if (m_wireTimes[i] > LONG_STREAM * seconds)
        {
            shares.push_back(std::max(0.0, sizes[i] - seconds) / m_wireTimes[i]);
        }
    }
    SetNoise(seconds,
             shares.empty() ? LEAST_NOISE_SHARE
                            : std::max(LEAST_NOISE_SHARE, GetRobustScale(ToVector(shares))));
}

} // namespace ns3::dml
