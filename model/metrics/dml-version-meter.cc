/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-version-meter.h"

#include "ns3/dml-channel-label.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

VersionMeter::VersionMeter(const Profile& profile,
                           ParameterCopies copies,
                           std::vector<ServerCrash> crashes,
                           Callback callback)
    : m_profile(profile),
      m_copies(copies),
      m_crashes(std::move(crashes)),
      m_callback(std::move(callback)),
      m_tensors(profile.tensors.size())
{
    for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
    {
        const Op& listed = profile.graph.Get(op);
        if (NeedsTensor(listed.kind))
        {
            m_tensors[listed.tensor].pushed |= listed.kind == OpKind::PUSH;
            m_tensors[listed.tensor].updated |= listed.kind == OpKind::UPDATE;
        }
    }
}

uint64_t
VersionMeter::GetRead(uint32_t worker, uint32_t tensor) const
{
    const auto read = m_reads.find({worker, tensor});
    return read == m_reads.end() ? 0 : read->second;
}

void
VersionMeter::On(const TransferRecord& record)
{
    const uint32_t worker = GetWorker(record.channel);
    switch (GetDirection(record.channel))
    {
    case Direction::DOWNLINK:
        m_reads[{worker, record.tensor}] = GetVersion(record.tensor, record.firstByte);
        break;
    case Direction::UPLINK:
        if (!m_tensors[record.tensor].updated)
        {
            Apply(record.tensor,
                  {{worker, record.step, GetRead(worker, record.tensor)}},
                  record.lastByte);
        }
        break;
    case Direction::PEER:
        break;
    }
}

void
VersionMeter::On(const GradientRecord& record)
{
    const uint32_t tensor = m_profile.graph.Get(record.op).tensor;
    m_taken[tensor].push_back({record.worker, record.step, GetRead(record.worker, tensor)});
}

void
VersionMeter::On(const ChunkRecord& record)
{
    const Op& op = m_profile.graph.Get(record.op);
    if (op.kind != OpKind::UPDATE || record.parse || m_copies == ParameterCopies::ON_WORKERS)
    {
        return;
    }
    if (record.start <= m_crashed && record.end > m_crashed)
    {
        m_taken.erase(op.tensor);
        return; // its server crashed meanwhile
    }
    const auto joint = m_taken.find(op.tensor);
    if (joint == m_taken.end())
    {
        Apply(op.tensor,
              {{record.worker, record.step, GetRead(record.worker, op.tensor)}},
              record.end);
        return;
    }
    const std::vector<Taken> gradients = std::move(joint->second);
    m_taken.erase(joint);
    Apply(op.tensor, gradients, record.end);
}

void
VersionMeter::On(const StepRecord& record)
{
    if (m_copies == ParameterCopies::ON_SERVERS)
    {
        return;
    }
    for (uint32_t tensor = 0; tensor < m_tensors.size(); ++tensor)
    {
        if (m_tensors[tensor].pushed)
        {
            m_callback(
                {record.worker, record.step, tensor, record.step, record.step + 1U, record.end});
        }
    }
}

void
VersionMeter::On(const ServerCrashRecord& record)
{
    const auto found =
        std::find_if(m_crashes.begin(), m_crashes.end(), [&record](const ServerCrash& crash) {
            return crash.at == record.time;
        });
    if (found == m_crashes.end())
    {
        return;
    }
    const ServerCrash& crash = *found;
    m_crashed = crash.at;
    m_taken.clear();
    for (uint32_t tensor = 0; tensor < m_tensors.size(); ++tensor)
    {
        if (m_tensors[tensor].pushed)
        {
            const uint64_t saved = GetVersion(tensor, crash.checkpoint);
            m_tensors[tensor].made.push_back(crash.at);
            const uint64_t made = m_tensors[tensor].made.size();
            m_callback({NO_INDEX, NO_INDEX, tensor, saved, made, crash.at});
        }
    }
}

uint64_t
VersionMeter::GetVersion(uint32_t tensor, double time) const
{
    const auto& made = m_tensors[tensor].made;
    return std::upper_bound(made.begin(), made.end(), time) - made.begin();
}

void
VersionMeter::Apply(uint32_t tensor, const std::vector<Taken>& gradients, double time)
{
    auto& made = m_tensors[tensor].made;
    made.push_back(time);
    for (const Taken& gradient : gradients)
    {
        m_callback({gradient.worker, gradient.step, tensor, gradient.read, made.size(), time});
    }
}

} // namespace ns3::dml
