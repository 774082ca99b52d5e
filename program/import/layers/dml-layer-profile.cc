/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-layer-profile.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace ns3::dml
{

namespace
{

/**
 * @brief What ran without interruption during back-propagation: one part of a layer's backward, or
 * the accumulation of one gradient.
 */
struct BackwardPiece
{
    /// Value of @c parameter of a piece that is part of the layer's own backward.
    static constexpr uint32_t LAYER = UINT32_MAX;

    uint32_t layer{0};         //!< index of the layer
    uint32_t parameter{LAYER}; //!< index of the layer's parameter whose gradient is accumulated
    uint32_t part{0};          //!< parts of this layer's backward that come later (0: the last one)

    /// @param other another piece; @return true if this one is less, in no meaningful order
    bool operator<(const BackwardPiece& other) const
    {
        return std::tie(layer, parameter, part) <
               std::tie(other.layer, other.parameter, other.part);
    }
};

/**
 * @brief The sequence in which one worker's device ran the backward pass, and how long each piece
 * of it took in each step.
 *
 * Rebuilt from end times. A gradient may be complete before its layer's backward is: autograd runs
 * several nodes for one layer, and the accumulation of a bias comes between two of them. Such an
 * accumulation cuts the layer's backward into parts. Sequence and cuts are those of most steps; the
 * lengths are each step's own. A piece lasts from the end of the one before it to its own end, so
 * that pieces run one after the other end exactly when they did; idle time between two pieces (some
 * microseconds per step) thus counts to the later one. In a step that ran in another sequence a
 * piece that ended before its predecessor gets length zero, and the total is kept.
 */
struct BackwardSchedule
{
    std::vector<BackwardPiece> pieces;       //!< in the order in which they ran
    std::vector<std::vector<Ticks>> lengths; //!< [piece][step], all >= 0
    uint32_t agreeing{0};                    //!< steps that ran in exactly this sequence
};

/// 0.5 us: recorded times are rounded to 0.1 us, and real parts of a backward are longer than this.
constexpr Ticks TOLERANCE = 5000;

using Sequence = std::vector<BackwardPiece>;

/// One measured step: when accumulations and backward passes ended, and how long they took.
struct MeasuredStep
{
    const std::vector<LayerTimes>& layers; //!< all layers
    uint32_t step;                         //!< index of the step

    /// @param piece an accumulation, or the last part of a layer's backward; @return its end
    Ticks GetEnd(const BackwardPiece& piece) const
    {
        const LayerTimes& layer = layers[piece.layer];
        return piece.parameter == BackwardPiece::LAYER
                   ? layer.backwardEnd[step]
                   : layer.parameters[piece.parameter].ready[step];
    }

    /// @param piece an accumulation, or a layer's backward as a whole; @return recorded length
    Ticks GetLength(const BackwardPiece& piece) const
    {
        const LayerTimes& layer = layers[piece.layer];
        return piece.parameter == BackwardPiece::LAYER
                   ? layer.backward[step]
                   : layer.parameters[piece.parameter].accumulate[step];
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

    /// @return accumulations and whole backward passes by end time
    Sequence GetEvents() const
    {
        Sequence events;
        for (uint32_t i = layers.size(); i-- > 0;)
        {
            events.push_back({i, BackwardPiece::LAYER, 0});
            for (uint32_t p = 0; p < layers[i].parameters.size(); ++p)
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
};

/// @return the schedule of @p layers, in forward order
BackwardSchedule
FindSchedule(const std::vector<LayerTimes>& layers)
{
    BackwardSchedule schedule;
    auto& [pieces, lengths, agreeing] = schedule;
    const uint32_t steps = layers.empty() ? 0 : layers.front().backward.size();
    std::map<Sequence, uint32_t> counts;
    for (uint32_t step = 0; step < steps; ++step)
    {
        const auto entry = counts.emplace(MeasuredStep{layers, step}.GetSequence(), 0).first;
        if (++entry->second > agreeing) // the earliest one on a tie
        {
            std::tie(pieces, agreeing) = *entry;
        }
    }
    lengths.resize(pieces.size());
    for (uint32_t step = 0; step < steps; ++step)
    {
        const MeasuredStep measured{layers, step};
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
    return schedule;
}

/// @return the layers' names, the second one of a name with "(2)" and so on
std::vector<std::string>
MakeUniqueNames(const std::vector<LayerTimes>& layers)
{
    std::vector<std::string> names;
    std::set<std::string> taken;
    for (const auto& layer : layers)
    {
        std::string name = layer.name;
        for (uint32_t n = 2; !taken.insert(name).second; ++n)
        {
            name = layer.name + "(" + std::to_string(n) + ")";
        }
        names.push_back(name);
    }
    return names;
}

std::vector<std::vector<uint32_t>>
FindConsumers(const std::vector<LayerTimes>& layers)
{
    std::vector<std::vector<uint32_t>> consumers(layers.size());
    for (uint32_t i = 0; i < layers.size(); ++i)
    {
        for (const uint32_t input : layers[i].inputs)
        {
            consumers[input].push_back(i);
        }
    }
    return consumers;
}

/// Makes the profile of layers.
class LayerProfileBuilder
{
  public:
    LayerProfileBuilder(const std::vector<LayerTimes>& layers, ComputeOrder order)
        : m_layers(layers),
          m_order(order),
          m_schedule(FindSchedule(layers)),
          m_names(MakeUniqueNames(layers)),
          m_consumers(FindConsumers(layers))
    {
    }

    LayerProfile Build(const std::string& device)
    {
        m_profile.devices = {{device, 1}};
        AddPulls();
        AddForward();
        AddBackward();
        AddPushesAndUpdates();
        return {std::move(m_profile), m_schedule.agreeing};
    }

  private:
    /// @param op what it is; @param lengths per step, empty for transfers; @return its index
    OpIndex Add(Op op, const std::vector<Ticks>& lengths)
    {
        std::vector<double> seconds;
        for (const Ticks length : lengths)
        {
            seconds.push_back(length / TICKS_PER_SECOND);
        }
        m_profile.samples.push_back(std::move(seconds));
        return m_profile.graph.Add(std::move(op));
    }

    void AddPulls()
    {
        for (const auto& layer : m_layers)
        {
            m_firstTensor.push_back(m_profile.tensors.size());
            for (const auto& parameter : layer.parameters)
            {
                const TensorIndex tensor = m_profile.tensors.size();
                m_profile.tensors.push_back({parameter.name, parameter.bytes});
                Add({"pull/" + parameter.name, OpKind::PULL, 0, tensor}, {});
            }
        }
    }

    void AddForward()
    {
        for (uint32_t i = 0; i < m_layers.size(); ++i)
        {
            const OpIndex op = Add({"forward/" + m_names[i], OpKind::FORWARD}, m_layers[i].forward);
            if (m_order == ComputeOrder::MEASURED && i > 0)
            {
                m_profile.graph.AddDependency(m_forward.back(), op);
            }
            for (const uint32_t input : m_layers[i].inputs)
            {
                m_profile.graph.AddDependency(m_forward[input], op);
            }
            for (uint32_t p = 0; p < m_layers[i].parameters.size(); ++p)
            {
                m_profile.graph.AddDependency(m_firstTensor[i] + p, op); // pulls are listed first
            }
            m_forward.push_back(op);
        }
    }

    void AddBackward()
    {
        const auto& pieces = m_schedule.pieces;
        std::vector<uint32_t> parts(m_layers.size(), 0);
        for (const auto& piece : pieces)
        {
            parts[piece.layer] += piece.parameter == BackwardPiece::LAYER ? 1 : 0;
        }
        m_backward.assign(m_layers.size(), NO_INDEX);
        m_accumulate.assign(m_profile.tensors.size(), NO_INDEX);
        OpIndex previous = m_forward.back();
        // an accumulation may be listed before its layer's first part: link when all ops are there
        std::vector<std::pair<OpIndex, uint32_t>> firsts;
        for (uint32_t i = 0; i < pieces.size(); ++i)
        {
            const uint32_t layer = pieces[i].layer;
            const OpIndex before = m_backward[layer];
            OpIndex op = NO_INDEX;
            if (pieces[i].parameter == BackwardPiece::LAYER)
            {
                std::string name = "backward/" + m_names[layer];
                name += parts[layer] > 1 ? "#" + std::to_string(parts[layer] - pieces[i].part) : "";
                op = Add({name, OpKind::BACKWARD}, m_schedule.lengths[i]);
                m_backward[layer] = op;
            }
            else
            {
                const TensorIndex tensor = m_firstTensor[layer] + pieces[i].parameter;
                op = Add({"accumulate/" + m_profile.tensors[tensor].name, OpKind::BACKWARD},
                         m_schedule.lengths[i]);
                m_accumulate[tensor] = op;
            }
            if (m_order == ComputeOrder::MEASURED)
            {
                m_profile.graph.AddDependency(previous, op);
            }
            if (before != NO_INDEX)
            {
                m_profile.graph.AddDependency(before, op);
            }
            else
            {
                firsts.emplace_back(op, layer);
            }
            previous = op;
        }
        for (const auto& [op, layer] : firsts)
        {
            LinkBackward(op, layer);
        }
    }

    /// Data dependencies of the first part of a layer's backward.
    void LinkBackward(OpIndex op, uint32_t layer)
    {
        if (m_consumers[layer].empty())
        {
            m_profile.graph.AddDependency(m_forward[layer], op);
        }
        for (const uint32_t consumer : m_consumers[layer])
        {
            if (m_order == ComputeOrder::MEASURED && m_backward[consumer] > op)
            {
                throw InputError("the backward of layer '" + m_names[consumer] +
                                 "' ended after that of layer '" + m_names[layer] +
                                 "', whose output it reads, in most steps; with the measured order "
                                 "the first must end before the second starts");
            }
            m_profile.graph.AddDependency(m_backward[consumer], op);
        }
    }

    void AddPushesAndUpdates()
    {
        std::vector<std::pair<TensorIndex, const ParameterTimes*>> byReadiness;
        for (const auto& piece : m_schedule.pieces)
        {
            if (piece.parameter != BackwardPiece::LAYER)
            {
                byReadiness.emplace_back(m_firstTensor[piece.layer] + piece.parameter,
                                         &m_layers[piece.layer].parameters[piece.parameter]);
            }
        }
        std::vector<OpIndex> pushes;
        for (const auto& [tensor, parameter] : byReadiness)
        {
            pushes.push_back(Add({"push/" + parameter->name, OpKind::PUSH, 0, tensor}, {}));
            m_profile.graph.AddDependency(m_accumulate[tensor], pushes.back());
        }
        for (std::size_t i = 0; i < byReadiness.size(); ++i)
        {
            const auto& [tensor, parameter] = byReadiness[i];
            const OpIndex update =
                Add({"update/" + parameter->name, OpKind::UPDATE, 0, tensor}, parameter->update);
            m_profile.graph.AddDependency(pushes[i], update);
        }
    }

    const std::vector<LayerTimes>& m_layers;        //!< the measurement
    ComputeOrder m_order;                           //!< what decides the order
    BackwardSchedule m_schedule;                    //!< order and lengths of the backward pass
    std::vector<std::string> m_names;               //!< unique names of the layers
    std::vector<std::vector<uint32_t>> m_consumers; //!< layers that read a layer's output
    std::vector<TensorIndex> m_firstTensor;         //!< of each layer; also the index of its pull
    std::vector<OpIndex> m_forward;                 //!< op of each layer
    std::vector<OpIndex> m_backward;                //!< last part so far of each layer's backward
    std::vector<OpIndex> m_accumulate;              //!< op of each tensor
    Profile m_profile;                              //!< under construction
};

} // namespace

LayerProfile
MakeLayerProfile(const std::vector<LayerTimes>& layers,
                 ComputeOrder order,
                 const std::string& device)
{
    return LayerProfileBuilder(layers, order).Build(device);
}

} // namespace ns3::dml
