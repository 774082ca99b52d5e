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

/**
 * @ingroup dml-import
 * @brief Add the measured steps of another file of the same model behind those that are known.
 * @param layers what is known, all lists of the same length; empty if nothing is
 * @param more layers of the other file
 * @param file name of the other file in messages
 * @throws InputError naming the file and the first layer that differs in name, inputs or parameters
 */
void AppendSteps(std::vector<LayerTimes>& layers,
                 const std::vector<LayerTimes>& more,
                 const std::string& file);

/**
 * @ingroup dml-import
 * @brief Leave out measured steps, such as those of which a time cannot be right.
 * @param layers layers, all lists of the same length
 * @param steps their numbers, from 0, rising
 */
void LeaveOutSteps(std::vector<LayerTimes>& layers, const std::vector<uint32_t>& steps);

/// Remove from @p times the values with the numbers @p steps, from 0, rising.
void LeaveOutTimes(std::vector<Ticks>& times, const std::vector<uint32_t>& steps);

/**
 * @ingroup dml-import
 * @brief Leave out measured steps, such as those before the caches were warm.
 * @param layers layers, all lists of the same length
 * @param skip number of steps to leave out at the start
 * @param file name of the file in messages
 * @throws InputError if no step is left
 */
void SkipSteps(std::vector<LayerTimes>& layers, uint32_t skip, const std::string& file);

} // namespace ns3::dml

#endif /* DML_LAYER_TIMES_H */
