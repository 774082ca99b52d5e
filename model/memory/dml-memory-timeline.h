/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_MEMORY_TIMELINE_H
#define DML_MEMORY_TIMELINE_H

#include "ns3/dml-op.h"

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-memory
 * @brief What memory is for.
 */
enum class MemoryPart : uint8_t
{
    PARAMETERS,  //!< of the model, and what else is always there
    OPTIMIZER,   //!< what the optimizer remembers of each parameter
    INPUT,       //!< samples and labels of a pass
    GRADIENTS,   //!< of parameters
    ACTIVATIONS, //!< what a forward op keeps for its backward ops, or hands to a later op
    WORKSPACE,   //!< what an op needs while it runs
};

/// Number of parts.
constexpr std::size_t MEMORY_PARTS = 6;

/// @param part a part @return its name, such as "activations"
std::string_view ToString(MemoryPart part);

/**
 * @ingroup dml-memory
 * @brief Something that is in memory for some time.
 */
struct LiveRange
{
    MemoryPart part{MemoryPart::PARAMETERS}; //!< what it is for
    /// Tensor whose parameter, gradient or state it is; op whose activation, output or workspace
    /// it is; NO_INDEX of the input and of what else is always there.
    uint32_t owner{NO_INDEX};
    uint64_t bytes{0};    //!< size
    std::size_t first{0}; //!< phase in which it comes
    std::size_t last{0};  //!< phase at whose end it goes
};

/**
 * @ingroup dml-memory
 * @brief An op while it runs, and the bytes that live then.
 */
struct MemoryPhase
{
    OpIndex op{NO_INDEX};                      //!< op of the profile
    bool again{false};                         //!< a forward op runs a second time
    std::array<uint64_t, MEMORY_PARTS> live{}; //!< most bytes, by part

    /// @return bytes of all parts
    uint64_t GetTotal() const;
};

/**
 * @ingroup dml-memory
 * @brief What a device holds while a step goes on.
 */
struct MemoryTimeline
{
    std::vector<MemoryPhase> phases; //!< in the order in which the ops run
    std::vector<LiveRange> ranges;   //!< parameters first, then as they come
    std::size_t peak{0};             //!< the first phase with the most bytes

    /// @return bytes at the peak, 0 if there are no phases
    uint64_t GetPeakBytes() const;
    /// @param phase index @return ranges that live then, the largest first
    std::vector<LiveRange> FindLive(std::size_t phase) const;
    /// @brief Sum the ranges up by phase, and find the peak.
    void Sum();
};

} // namespace ns3::dml

#endif /* DML_MEMORY_TIMELINE_H */
