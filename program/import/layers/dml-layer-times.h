/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LAYER_TIMES_H
#define DML_LAYER_TIMES_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/// Time in units of 0.1 ns: whole numbers, so that sums and differences are exact.
using Ticks = int64_t;

/// Ticks in a second. A double that is Ticks / TICKS_PER_SECOND is the one nearest to that decimal.
constexpr double TICKS_PER_SECOND = 1e10;

/// Ticks in a microsecond.
constexpr double TICKS_PER_US = 1e4;

/**
 * @ingroup dml-import
 * @brief Times of one parameter tensor, one value per measured step.
 */
struct ParameterTimes
{
    std::string name;              //!< unique within the model
    uint64_t bytes{0};             //!< size of the parameter, and of its gradient
    std::vector<Ticks> ready;      //!< gradient complete, from the start of backward
    std::vector<Ticks> accumulate; //!< length of the op that completed it
    std::vector<Ticks> update;     //!< length of applying it
};

/**
 * @ingroup dml-import
 * @brief Times of one layer (or one call of a layer), one value per measured step.
 */
struct LayerTimes
{
    std::string name;                       //!< as the framework calls it; may repeat
    std::vector<uint32_t> inputs;           //!< layers whose outputs it reads, all before it
    std::vector<Ticks> forward;             //!< length of forward propagation
    std::vector<Ticks> backward;            //!< length of back-propagation, without accumulation
    std::vector<Ticks> backwardEnd;         //!< its end, from the start of backward
    std::vector<ParameterTimes> parameters; //!< in the framework's order
};

} // namespace ns3::dml

#endif /* DML_LAYER_TIMES_H */
