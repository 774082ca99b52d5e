/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-backward-schedule.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ns3::dml
{

namespace
{

/// 0.5 us: recorded times are rounded to 0.1 us, and real parts of a backward are longer than this.
constexpr Ticks TOLERANCE = 5000;

using Sequence = std::vector<BackwardPiece>;

/// One measured step: when accumulations and backward passes ended, and how long they took.
class MeasuredStep
{
  public:
    /// @param layers all layers; @param step index of the step
    MeasuredStep(const std::vector<LayerTimes>& layers, uint32_t step)
        : m_layers(layers),
          m_step(step)
    {
    }

    /// @param piece an accumulation, or the last part of a layer's backward; @return its end
    Ticks GetEnd(const BackwardPiece& piece) const
    {
        const LayerTimes& layer = m_layers[piece.layer];
        return piece.parameter == BackwardPiece::LAYER
                   ? layer.backwardEnd[m_step]
                   : layer.parameters[piece.parameter].ready[m_step];
    }

    /// @param piece an accumulation, or a layer's backward as a whole; @return recorded length
    Ticks GetLength(const BackwardPiece& piece) const
    {
        const LayerTimes& layer = m_layers[piece.layer];
        return piece.parameter == BackwardPiece::LAYER
                   ? layer.backward[m_step]
                   : layer.parameters[piece.parameter].accumulate[m_step];
    }

    /// @return what ran, in order, with the cuts that accumulations make
    Sequence GetSequence() const
    {
        Sequence events = GetEvents();
        // the part of a layer's backward that ran just before an event that cuts it
        std::map<std::size_t, BackwardPiece> parts;
        for (std::size_t i = 0; i < events.size(); ++i)
        {
            if (events[i].parameter == BackwardPiece::LAYER)
            {
                FindParts(events, i, parts);
            }
        }
        Sequence sequence;
        for (std::size_t i = 0; i < events.size(); ++i)
        {
            const auto part = parts.find(i);
            if (part != parts.end())
            {
                sequence.push_back(part->second);
            }
            sequence.push_back(events[i]);
        }
        return sequence;
    }

  private:
    /// @return accumulations and whole backward passes by end time
    Sequence GetEvents() const
    {
        Sequence events;
        for (uint32_t i = m_layers.size(); i-- > 0;)
        {
            events.push_back({i, BackwardPiece::LAYER, 0});
            for (uint32_t p = 0; p < m_layers[i].parameters.size(); ++p)
            {
                events.push_back({i, p, 0});
            }
        }
        std::stable_sort(events.begin(), events.end(), [this](const auto& a, const auto& b) {
            return GetEnd(a) < GetEnd(b);
        });
        return events;
    }

    /**
     * Go back in time from the end of a layer's backward, over the accumulations just before it,
     * for as long as the time between them does not hold all of its recorded length.
     */
    void FindParts(const Sequence& events,
                   std::size_t last,
                   std::map<std::size_t, BackwardPiece>& parts) const
    {
        BackwardPiece part = events[last];
        Ticks missing = GetLength(part);
        Ticks before = GetEnd(part);
        for (std::size_t i = last; i-- > 0 && events[i].parameter != BackwardPiece::LAYER;)
        {
            const Ticks room = std::max<Ticks>(before - GetEnd(events[i]), 0);
            if (missing <= room + TOLERANCE)
            {
                return;
            }
            missing -= room;
            before = GetEnd(events[i]) - GetLength(events[i]);
            if (before - (i > 0 ? GetEnd(events[i - 1]) : 0) > TOLERANCE)
            {
                ++part.part;
                parts[i] = part;
            }
        }
    }

    const std::vector<LayerTimes>& m_layers; //!< all layers
    uint32_t m_step;                         //!< index of the step
};

/// @return the most frequent sequence (the earliest one on a tie), and the steps that ran so
std::pair<Sequence, uint32_t>
FindMostFrequent(const std::vector<LayerTimes>& layers, uint32_t steps)
{
    std::map<Sequence, uint32_t> counts;
    std::pair<Sequence, uint32_t> best;
    for (uint32_t step = 0; step < steps; ++step)
    {
        const auto entry = counts.emplace(MeasuredStep(layers, step).GetSequence(), 0).first;
        if (++entry->second > best.second)
        {
            best = *entry;
        }
    }
    return best;
}

} // namespace

BackwardSchedule::BackwardSchedule(const std::vector<LayerTimes>& layers)
{
    const uint32_t steps = layers.empty() ? 0 : layers.front().backward.size();
    std::tie(pieces, agreeing) = FindMostFrequent(layers, steps);
    lengths.resize(pieces.size());
    for (uint32_t step = 0; step < steps; ++step)
    {
        const MeasuredStep measured(layers, step);
        Ticks last = 0;
        for (std::size_t i = 0; i < pieces.size(); ++i)
        {
            // a part that is not the last one ends where the accumulation that cuts it starts
            const bool cut = pieces[i].part > 0;
            const Ticks end =
                cut ? measured.GetEnd(pieces[i + 1]) - measured.GetLength(pieces[i + 1])
                    : measured.GetEnd(pieces[i]);
            lengths[i].push_back(std::max<Ticks>(end - last, 0));
            last = std::max(last, end);
        }
    }
}

} // namespace ns3::dml
