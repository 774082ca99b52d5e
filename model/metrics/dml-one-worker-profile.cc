/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-one-worker-profile.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-error.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace ns3::dml
{

OneWorkerProfile::OneWorkerProfile(uint32_t warmup)
    : m_warmup(warmup)
{
}

OneWorkerProfile::Step&
OneWorkerProfile::At(uint32_t step)
{
    if (step >= m_steps.size())
    {
        m_steps.resize(step + 1);
    }
    return m_steps[step];
}

void
OneWorkerProfile::On(const StepRecord& record)
{
    if (record.worker != 0)
    {
        throw RunError("one-worker profile: a step of worker " + std::to_string(record.worker) +
                       " was reported; the baselines are fed from a run with one worker");
    }
    Step& step = At(record.step);
    step.ended = true;
    step.start = record.start;
    step.end = record.end;
}

void
OneWorkerProfile::On(const TransferRecord& record)
{
    Step& step = At(record.step);
    if (GetDirection(record.channel) == Direction::DOWNLINK)
    {
        step.lastDown = std::max(step.lastDown, record.lastByte);
    }
    else
    {
        step.firstUp = std::min(step.firstUp, record.firstByte);
        step.lastUp = std::max(step.lastUp, record.lastByte);
    }
}

void
OneWorkerProfile::On(const ChunkRecord& record)
{
    Step& step = At(record.step);
    if (record.resource.kind != ResourceKind::CHANNEL)
    {
        step.busy += record.end - record.start;
        return;
    }
    const uint32_t server = GetServer(record.resource.GetChannel());
    if (server >= step.bytes.size())
    {
        step.bytes.resize(server + 1, 0);
    }
    step.bytes[server] += record.bytes;
    ++step.turns;
}

OneWorkerMeans
OneWorkerProfile::GetMeans() const
{
    OneWorkerMeans means;
    std::vector<double> bytes;
    for (size_t i = m_warmup; i < m_steps.size(); ++i)
    {
        const Step& step = m_steps[i];
        if (!step.ended)
        {
            continue;
        }
        const double lastDown = std::isinf(step.lastDown) ? step.start : step.lastDown;
        const double firstUp = std::isinf(step.firstUp) ? step.end : step.firstUp;
        const double lastUp = std::isinf(step.lastUp) ? step.end : step.lastUp;
        ++means.steps;
        means.step += step.end - step.start;
        means.downlinkPhase += lastDown - step.start;
        means.computePhase += std::max(0.0, firstUp - lastDown);
        means.uplinkPhase += lastUp - firstUp;
        means.updatePhase += step.end - lastUp;
        means.busy += step.busy;
        means.turns += step.turns;
        bytes.resize(std::max(bytes.size(), step.bytes.size()), 0);
        for (size_t server = 0; server < step.bytes.size(); ++server)
        {
            bytes[server] += step.bytes[server];
        }
    }
    if (means.steps == 0)
    {
        return means;
    }
    const double n = means.steps;
    means.step /= n;
    means.downlinkPhase /= n;
    means.computePhase /= n;
    means.uplinkPhase /= n;
    means.updatePhase /= n;
    means.busy /= n;
    means.turns /= n;
    if (!bytes.empty())
    {
        means.bytesOneWay = *std::max_element(bytes.begin(), bytes.end()) / n / 2;
    }
    return means;
}

} // namespace ns3::dml
