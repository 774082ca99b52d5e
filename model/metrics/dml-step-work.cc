/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-step-work.h"

#include "ns3/dml-channel-label.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

StepWorkCollector::StepWorkCollector(const Profile& profile,
                                     uint32_t workers,
                                     uint32_t servers,
                                     std::vector<StepWorkListener*> listeners)
    : m_servers(servers),
      m_devices(profile.devices.size()),
      m_listeners(std::move(listeners)),
      m_open(workers),
      m_ended(workers, 0),
      m_lastEnd(workers, 0)
{
    for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
    {
        m_kinds.push_back(profile.graph.Get(op).kind);
    }
}

StepWorkCollector::Open*
StepWorkCollector::Find(uint32_t worker, uint32_t step)
{
    if (worker >= m_open.size() || step < m_ended[worker])
    {
        return nullptr;
    }
    auto& open = m_open[worker];
    const auto at = std::lower_bound(open.begin(), open.end(), step, [](const Open& o, uint32_t s) {
        return o.step < s;
    });
    if (at != open.end() && at->step == step)
    {
        return &*at;
    }
    Open fresh;
    fresh.step = step;
    fresh.used.resize(2 * m_servers);
    fresh.work.servers.resize(m_servers, 0);
    fresh.work.devices.resize(m_devices, 0);
    fresh.work.parsers.resize(1 + m_servers, 0);
    return &*open.insert(at, std::move(fresh));
}

void
StepWorkCollector::On(const TransferRecord& record)
{
    const uint32_t server = GetServer(record.channel);
    Open* open = Find(GetWorker(record.channel), record.step);
    if (!open || server >= m_servers)
    {
        return;
    }
    const bool up = GetDirection(record.channel) == Direction::UPLINK;
    if (record.firstByte != UNKNOWN_TIME)
    {
        AddInterval(open->used[server + (up ? m_servers : 0)], record.firstByte, record.lastByte);
    }
    if (up)
    {
        open->work.lastOwn = std::max(open->work.lastOwn, record.lastByte);
    }
}

void
StepWorkCollector::On(const ChunkRecord& record)
{
    if (record.resource.kind == ResourceKind::CHANNEL)
    {
        return; // in the packet engine a turn ends when TCP's buffer has it: see TransferEnded()
    }
    if (record.resource.kind == ResourceKind::COLLECTIVE ||
        record.resource.kind == ResourceKind::REDUCER)
    {
        return; // no device is busy while a worker waits for others
    }
    Open* open = Find(record.worker, record.step);
    if (!open)
    {
        return;
    }
    StepWork& work = open->work;
    const bool ofServer = record.resource.at.role == Role::SERVER;
    const uint32_t server = record.resource.at.index;
    const double seconds = record.end - record.start;
    if (record.resource.kind == ResourceKind::PARSER)
    {
        work.parsers.at(ofServer ? 1 + server : 0) += seconds;
    }
    else if (ofServer)
    {
        work.servers.at(server) += seconds;
    }
    else
    {
        work.devices.at(record.resource.index) += seconds;
        work.lastOwn = std::max(work.lastOwn, record.end);
        if (!record.parse && m_kinds.at(record.op) == OpKind::FORWARD)
        {
            work.firstForward = std::min(work.firstForward, record.start);
        }
        if (!record.parse && m_kinds.at(record.op) == OpKind::BACKWARD)
        {
            work.lastBackward = std::max(work.lastBackward, record.end);
        }
    }
}

void
StepWorkCollector::On(const StepRecord& record)
{
    Open* open = Find(record.worker, record.step);
    if (!open)
    {
        return;
    }
    for (const auto& used : open->used)
    {
        open->work.links.push_back(GetLength(used));
    }
    open->work.time = record.end - std::max(record.start, m_lastEnd[record.worker]);
    m_lastEnd[record.worker] = record.end;
    for (auto* listener : m_listeners)
    {
        listener->StepWorked(record, open->work);
    }
    m_ended[record.worker] = record.step + 1;
    auto& all = m_open[record.worker];
    all.erase(all.begin(), all.begin() + (open - all.data()) + 1);
}

void
StepWorkCollector::On(const CrashRecord& record)
{
    Forget(record.worker);
}

void
StepWorkCollector::On(const RejoinRecord& record)
{
    Forget(record.worker); // of what was on its way when it crashed
}

void
StepWorkCollector::Forget(uint32_t worker)
{
    if (worker < m_open.size())
    {
        m_open[worker].clear();
    }
}

} // namespace ns3::dml
