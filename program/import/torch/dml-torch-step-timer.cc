/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-step-timer.h"

#include <algorithm>
#include <map>

namespace ns3::dml
{

TorchStepTimer::TorchStepTimer(const TorchTrace& trace,
                               const TorchStepAnatomy& anatomy,
                               IdleTime idle)
    : m_trace(trace),
      m_anatomy(anatomy),
      m_idle(idle)
{
    std::map<std::string, uint64_t> kernels; // by GPU
    for (const TorchKernel& kernel : trace.kernels)
    {
        ++kernels[trace.texts[kernel.device]];
    }
    uint64_t most = 0;
    for (const auto& [gpu, count] : kernels)
    {
        if (count > most)
        {
            most = count;
            m_gpu = gpu;
        }
    }
    if (!trace.kernels.empty())
    {
        for (uint32_t i = 0; i < trace.events.size(); ++i)
        {
            m_byId.emplace(trace.events[i].id, i);
        }
        m_byId.erase(0);
        for (const TorchLaunch& launch : trace.launches)
        {
            m_byCorrelation.emplace(launch.correlation, &launch);
        }
    }
}

uint32_t
TorchStepTimer::FindEvent(const TorchKernel& kernel) const
{
    if (const uint32_t event = FindCaller(kernel); event != TorchEvent::NONE)
    {
        return event;
    }
    const auto event = m_byId.find(kernel.id);
    return event == m_byId.end() ? TorchEvent::NONE : event->second;
}

uint32_t
TorchStepTimer::FindCaller(const TorchKernel& kernel) const
{
    const auto launch = m_byCorrelation.find(kernel.correlation);
    if (launch == m_byCorrelation.end())
    {
        return TorchEvent::NONE;
    }
    const auto key = std::make_pair(launch->second->thread, launch->second->start);
    const auto& events = m_trace.events;
    const auto after =
        std::upper_bound(events.begin(), events.end(), key, [](const auto& at, const auto& event) {
            return at < std::make_pair(event.thread, event.start);
        });
    if (after == events.begin() || std::prev(after)->thread != key.first)
    {
        return TorchEvent::NONE;
    }
    uint32_t event = std::prev(after) - events.begin();
    while (event != TorchEvent::NONE && events[event].end < key.second)
    {
        event = events[event].parent;
    }
    return event;
}

void
TorchStepTimer::FindKernels(const std::vector<TorchStep>& steps)
{
    std::unordered_map<uint32_t, std::pair<std::size_t, uint32_t>> parts; // by outermost event
    for (std::size_t s = 0; s < steps.size(); ++s)
    {
        for (std::size_t o = 0; o < steps[s].outer.size(); ++o)
        {
            parts.emplace(steps[s].outer[o], std::make_pair(s, steps[s].outerPart[o]));
        }
    }
    for (const TorchKernel& kernel : m_trace.kernels)
    {
        const uint32_t event = FindEvent(kernel);
        const bool isHere = event != TorchEvent::NONE && m_trace.texts[kernel.device] == m_gpu;
        const uint32_t outer = isHere ? m_anatomy.GetOuter(event) : TorchEvent::NONE;
        const auto part = outer == TorchEvent::NONE ? parts.end() : parts.find(outer);
        if (part == parts.end())
        {
            ++m_strays;
            continue;
        }
        const auto [step, index] = part->second;
        ++m_kernels;
        if (kernel.collective)
        {
            m_collectives[step].push_back({kernel.id, kernel.start, kernel.end});
        }
        else if (index != TorchEvent::NONE)
        {
            m_pieces[step].push_back({kernel.start, kernel.end, index});
        }
    }
}

void
TorchStepTimer::SetTimes(std::vector<TorchStep>& steps)
{
    m_pieces.assign(steps.size(), {});
    m_collectives.assign(steps.size(), {});
    if (m_gpu.empty())
    {
        for (std::size_t s = 0; s < steps.size(); ++s)
        {
            for (std::size_t o = 0; o < steps[s].outer.size(); ++o)
            {
                const TorchEvent& event = m_trace.events[steps[s].outer[o]];
                if (steps[s].outerPart[o] != TorchEvent::NONE)
                {
                    m_pieces[s].push_back({event.start, event.end, steps[s].outerPart[o]});
                }
            }
        }
    }
    else
    {
        FindKernels(steps);
    }
    int64_t before = INT64_MIN;
    for (std::size_t s = 0; s < steps.size(); ++s)
    {
        auto& pieces = m_pieces[s];
        std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
            return a.start < b.start;
        });
        std::stable_sort(m_collectives[s].begin(),
                         m_collectives[s].end(),
                         [](const auto& a, const auto& b) { return a.start < b.start; });
        TorchStepTime& time = steps[s].time;
        time.start = std::max(time.start, before);
        for (const Piece& piece : pieces)
        {
            time.end = std::max(time.end, m_gpu.empty() ? time.end : piece.end);
        }
        time.end = std::max(time.end, time.start);
        before = time.end;
        SetTimes(steps[s], pieces, m_collectives[s]);
    }
}

void
TorchStepTimer::SetTimes(TorchStep& step,
                         const std::vector<Piece>& pieces,
                         const std::vector<TorchCollective>& collectives) const
{
    struct Extent
    {
        int64_t length{0};
        int64_t end{INT64_MIN};
        int64_t first{INT64_MIN};  // start
        int64_t before{INT64_MIN}; // end of what ran before
    };

    std::vector<Extent> extents(step.parts.size());
    int64_t end = step.time.start;
    for (const Piece& piece : pieces)
    {
        const int64_t start = std::max(piece.start, end);
        if (piece.end <= start)
        {
            continue;
        }
        Extent& extent = extents[piece.part];
        if (extent.length == 0)
        {
            extent.first = start;
            extent.before = end;
        }
        extent.length += piece.end - start;
        extent.end = piece.end;
        end = piece.end;
    }
    int64_t last = step.time.start;
    for (std::size_t p = 0; p < step.parts.size(); ++p)
    {
        TorchPart& part = step.parts[p];
        Extent& extent = extents[p];
        if (extent.length == 0)
        {
            part.start = last;
            continue;
        }
        if (part.work == TorchWork::UPDATE && !m_gpu.empty() && m_idle == IdleTime::KEEP)
        {
            for (const TorchCollective& collective : collectives)
            {
                extent.before =
                    std::max(extent.before,
                             collective.end <= extent.first ? collective.end : extent.before);
            }
            extent.length = extent.end - std::clamp(m_trace.events[part.event].start,
                                                    extent.before,
                                                    std::max(extent.before, extent.first));
        }
        part.length = extent.length;
        part.start = extent.end - extent.length;
        last = std::max(last, extent.end);
    }
    MoveGlue(step);
}

void
TorchStepTimer::MoveGlue(TorchStep& step)
{
    for (std::size_t p = 1; p < step.parts.size(); ++p)
    {
        TorchPart& before = step.parts[p - 1];
        if (step.parts[p].work == TorchWork::UPDATE && before.work == TorchWork::OTHER)
        {
            before.start = std::max(before.start, step.parts[p].start - before.length);
        }
    }
    TorchPart& after = step.parts.back();
    if (after.work == TorchWork::OTHER)
    {
        after.start = std::max(after.start, step.time.end - after.length);
    }
}

} // namespace ns3::dml
