/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_MEMORY_MODEL_H
#define DML_MEMORY_MODEL_H

#include "dml-memory-timeline.h"

#include "ns3/dml-profile.h"

#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-memory
 * @brief How a worker trains, as far as its memory goes.
 */
struct MemoryOptions
{
    uint32_t batch{1};  //!< samples of a step, at least 1
    uint32_t passes{1}; //!< gradient accumulation: forward and backward passes of a step, each
                        //!< of batch / passes samples; at least 1
    double optimizerState{0}; //!< bytes that the optimizer remembers per byte of parameters
    /// Recomputation: forward ops with which segments begin but the first, in the order in which
    /// they run; empty: everything is kept.
    std::vector<OpIndex> segments;
};

/**
 * @ingroup dml-memory
 * @brief What a worker's step holds and how long it computes.
 */
struct MemoryForecast
{
    MemoryTimeline timeline; //!< of one pass; of several, of one that is not the first
    double seconds{0};       //!< of all compute ops of the step, one after another
    double recomputing{0};   //!< part of these: forward ops that run a second time, s
};

/**
 * @ingroup dml-memory
 * @brief Predict the memory of a worker's training step from the data-flow graph of its profile.
 *
 * Source: peak memory from the replayed graph, recomputation and gradient accumulation as in dPRO
 * (Hu et al., MLSys 2022, section 7.4, tables 3 and 4); recomputation in segments after Chen et
 * al., "Training Deep Nets with Sublinear Memory Cost", arXiv 1604.06174, 2016.
 *
 * - Parameters and what the optimizer remembers of them are always there, and so is the input.
 * - An activation lives from its forward op until the last backward op that depends on that has
 *   ended.
 * - A gradient, of each tensor with a push, lives from the first backward op of a layer that reads
 *   the parameter (a backward op that depends on a forward op that depends on the pull), or else
 *   from the backward op before the push, until the step ends. With several passes it is always
 *   there, and a pass's own from there until what the push waits for has ended.
 * - Workspace is there while its op runs.
 * - With segments, all but the last keep only the outputs that later segments read, until the
 *   backward ops of the first segment that reads them have ended. Before the first backward op that
 *   depends on a segment, its forward ops run again. Meanwhile there are also gradients of the
 *   outputs that it hands on, as large as these. The last segment keeps everything, as its backward
 *   ops come next (so does PyTorch's checkpoint_sequential).
 *
 * Input, activations, outputs and workspace are proportional to the batch size, and so is time
 * but for that of accumulations (IsAccumulation()).
 *
 * @param profile a valid profile
 * @param order compute ops in the order in which they run, each once (FindComputeOrder())
 * @param options how it trains
 * @return the forecast
 * @throws ProfileError if a forward op keeps something for no backward op, or if segments are cut
 * at what is no forward op or between ops whose output's size is not known
 */
MemoryForecast ForecastMemory(const Profile& profile,
                              const std::vector<OpIndex>& order,
                              const MemoryOptions& options);

/// @param graph of a profile @param op of it @return whether it adds up a gradient: a backward op
/// that depends on no forward op and for which only pushes wait
bool IsAccumulation(const OpGraph& graph, OpIndex op);

/**
 * @brief Segments of equal numbers of forward ops.
 * @param profile a valid profile
 * @param order compute ops in the order in which they run
 * @param segments how many, at least 1; 0: the square root of the number of forward ops, with which
 *        Chen et al. need memory proportional to that root
 * @return ops with which segments begin but the first
 */
std::vector<OpIndex> CutSegments(const Profile& profile,
                                 const std::vector<OpIndex>& order,
                                 uint32_t segments = 0);

} // namespace ns3::dml

#endif /* DML_MEMORY_MODEL_H */
