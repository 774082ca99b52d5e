/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-run.h"

#include <algorithm>
#include <unordered_map>

namespace ns3::dml
{

namespace
{

/**
 * Let `compute/before-update` end when the update starts, and `compute/after-update` when the step
 * ends: idle time before them is theirs, not that of an update, which runs elsewhere.
 */
void
MoveGlue(TorchStep& step)
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

/// Finds the times of the steps of a trace.
class TorchStepTimer
{
  public:
    TorchStepTimer(TorchRun& run, IdleTime idle)
        : m_run(run),
          m_idle(idle)
    {
    }

    void SetTimes()
    {
        std::vector<TorchStep>& steps = m_run.steps;
        m_pieces.resize(steps.size());
        if (m_run.gpu.empty())
        {
            for (std::size_t s = 0; s < steps.size(); ++s)
            {
                for (const TorchOuter& outer : steps[s].outer)
                {
                    const TorchEvent& event = m_run.trace.events[outer.event];
                    m_pieces[s].push_back(
                        {std::max(event.start, outer.start), event.end, outer.part});
                }
            }
        }
        else
        {
            FindKernels();
        }
        for (std::size_t s = 0; s < steps.size(); ++s)
        {
            auto& pieces = m_pieces[s];
            std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
                return a.start < b.start;
            });
            std::stable_sort(steps[s].collectives.begin(),
                             steps[s].collectives.end(),
                             [](const auto& a, const auto& b) { return a.start < b.start; });
            SetTimes(steps[s], pieces);
            SetAlone(steps[s], pieces);
        }
    }

  private:
    /// A time during which a part ran.
    struct Piece
    {
        int64_t start; //!< ns
        int64_t end;   //!< ns
        uint32_t part; //!< index in its step
    };

    /// @return whether @p event, or NONE, is of a step that does not count
    bool IsLeftOut(uint32_t event) const
    {
        const auto& steps = m_run.leftOut;
        return event != TorchEvent::NONE &&
               std::any_of(steps.begin(),
                           steps.end(),
                           [start = m_run.trace.events[event].start](const TorchStepTime& step) {
                               return step.hostStart <= start && start < step.hostEnd;
                           });
    }

    /// Tell the pieces and collectives of all steps.
    void FindKernels()
    {
        std::unordered_map<uint32_t, std::pair<std::size_t, uint32_t>> parts; // by outermost event
        for (std::size_t s = 0; s < m_run.steps.size(); ++s)
        {
            for (const TorchOuter& outer : m_run.steps[s].outer)
            {
                parts.emplace(outer.event, std::make_pair(s, outer.part));
            }
        }
        for (const TorchKernel& kernel : m_run.trace.kernels)
        {
            const bool isHere =
                kernel.event != TorchEvent::NONE && m_run.trace.texts[kernel.device] == m_run.gpu;
            const uint32_t outer = isHere ? m_run.outer[kernel.event] : TorchEvent::NONE;
            const auto part = outer == TorchEvent::NONE ? parts.end() : parts.find(outer);
            if (part == parts.end())
            {
                m_run.counts.strays += IsLeftOut(kernel.event) ? 0 : 1;
                continue;
            }
            const auto [step, index] = part->second;
            ++m_run.counts.kernels;
            if (kernel.collective)
            {
                m_run.steps[step].collectives.push_back({kernel.request, kernel.start, kernel.end});
            }
            else
            {
                m_pieces[step].push_back({kernel.start, kernel.end, index});
            }
        }
    }

    /// @param pieces of the step, by start
    void SetTimes(TorchStep& step, const std::vector<Piece>& pieces) const
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
            // a stream beside the steps may still work for it when the next one has begun
            const int64_t start = std::max(piece.start, end);
            const int64_t pieceEnd = std::min(piece.end, step.time.end);
            if (pieceEnd <= start)
            {
                continue;
            }
            Extent& extent = extents[piece.part];
            if (extent.length == 0)
            {
                extent.first = start;
                extent.before = end;
            }
            extent.length += pieceEnd - start;
            extent.end = pieceEnd;
            end = pieceEnd;
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
            if (part.work == TorchWork::UPDATE && !m_run.gpu.empty() && m_idle == IdleTime::KEEP)
            {
                for (const TorchCollective& collective : step.collectives)
                {
                    extent.before =
                        std::max(extent.before,
                                 collective.end <= extent.first ? collective.end : extent.before);
                }
                extent.length =
                    extent.end -
                    std::clamp(part.asked, extent.before, std::max(extent.before, extent.first));
            }
            part.length = extent.length;
            part.start = extent.end - extent.length;
            last = std::max(last, extent.end);
        }
        MoveGlue(step);
    }

    /// Tell how long collectives ran alone. @param pieces of the step, by start
    static void SetAlone(TorchStep& step, const std::vector<Piece>& pieces)
    {
        int64_t counted = step.time.start; // until then
        auto piece = pieces.begin();
        for (TorchCollective& collective : step.collectives)
        {
            const int64_t end = std::min(collective.end, step.time.end);
            counted = std::max(counted, collective.start);
            for (; counted < end && piece != pieces.end(); ++piece)
            {
                collective.alone += std::max<int64_t>(0, std::min(piece->start, end) - counted);
                counted = std::max(counted, std::min(piece->end, end));
                if (piece->end > end)
                {
                    break; // which may run beside the next collective, too
                }
            }
            collective.alone += std::max<int64_t>(0, end - counted);
            counted = std::max(counted, end);
        }
    }

    TorchRun& m_run;                          //!< the trace
    IdleTime m_idle;                          //!< what becomes of gaps
    std::vector<std::vector<Piece>> m_pieces; //!< of each step
};

} // namespace

void
TimeTorchSteps(TorchRun& run, IdleTime idle)
{
    TorchStepTimer(run, idle).SetTimes();
}

} // namespace ns3::dml
