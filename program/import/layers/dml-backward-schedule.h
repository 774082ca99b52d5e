/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BACKWARD_SCHEDULE_H
#define DML_BACKWARD_SCHEDULE_H

#include "dml-layer-times.h"

#include <cstdint>
#include <tuple>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
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
 * @ingroup dml-import
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
    /// @param layers layers in forward order, all lists of the same length >= 1
    explicit BackwardSchedule(const std::vector<LayerTimes>& layers);

    std::vector<BackwardPiece> pieces;       //!< in the order in which they ran
    std::vector<std::vector<Ticks>> lengths; //!< [piece][step], all >= 0
    uint32_t agreeing{0};                    //!< steps that ran in exactly this sequence
};

} // namespace ns3::dml

#endif /* DML_BACKWARD_SCHEDULE_H */
