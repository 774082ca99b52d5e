/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tensor-meter.h"

#include "ns3/dml-channel-label.h"

#include <algorithm>
#include <limits>

namespace ns3::dml
{

namespace
{

constexpr double UNKNOWN = std::numeric_limits<double>::quiet_NaN();

} // namespace

TensorMeter::TensorMeter(uint32_t workers, uint32_t tensors, const FirstSteps& first)
    : m_first(first),
      m_pending(workers),
      m_sums(2 * tensors, 0),
      m_counts(2 * tensors, 0)
{
}

void
TensorMeter::On(const TransferRecord& record)
{
    const uint32_t worker = GetWorker(record.channel);
    if (worker < m_pending.size() && m_first.Count(worker, record.step))
    {
        const uint32_t up = GetDirection(record.channel) == Direction::UPLINK ? 1 : 0;
        m_pending[worker].push_back({record.step, 2 * record.tensor + up, record.lastByte});
    }
}

void
TensorMeter::On(const StepRecord& record)
{
    if (record.worker >= m_pending.size() || !m_first.Count(record.worker, record.step))
    {
        return;
    }
    m_stepSum += record.end - record.start;
    ++m_steps;
    auto& pending = m_pending[record.worker];
    const auto others = std::stable_partition(pending.begin(), pending.end(), [&](const auto& p) {
        return p.step != record.step;
    });
    for (auto it = others; it != pending.end(); ++it)
    {
        if (it->lastByte < record.start)
        {
            continue; // on its way when the worker crashed in an earlier try of the step
        }
        m_sums[it->index] += it->lastByte - record.start;
        ++m_counts[it->index];
    }
    pending.erase(others, pending.end());
}

void
TensorMeter::On(const CrashRecord& record)
{
    if (record.worker < m_pending.size())
    {
        m_pending[record.worker].clear();
    }
}

std::vector<double>
TensorMeter::GetMeanCompletions() const
{
    std::vector<double> means;
    for (std::size_t i = 0; i < m_sums.size(); ++i)
    {
        means.push_back(m_counts[i] > 0 ? m_sums[i] / m_counts[i] : UNKNOWN);
    }
    return means;
}

double
TensorMeter::GetMeanStep() const
{
    return m_steps > 0 ? m_stepSum / m_steps : UNKNOWN;
}

} // namespace ns3::dml
