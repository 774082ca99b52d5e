/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PIPEDREAM_GRAPH_H
#define DML_PIPEDREAM_GRAPH_H

#include "dml-layer-times.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief One layer in a PipeDream graph.
 */
struct PipedreamNode
{
    uint32_t number{0};         //!< as in "node12"
    std::string description;    //!< as in "Linear(in_features=4096, out_features=1000, bias=True)"
    Ticks forward{0};           //!< mean length of its forward propagation
    Ticks backward{0};          //!< mean length of its back-propagation
    double activationBytes{0};  //!< size of its output, of the whole minibatch
    uint64_t parameterBytes{0}; //!< size of all its parameters
    std::vector<uint32_t> inputs; //!< indices of the nodes whose output it reads, all before it

    /// @return true if it stands for the input data, so that its times are those of loading them
    bool IsInput() const
    {
        return inputs.empty() && parameterBytes == 0 && description.compare(0, 5, "Input") == 0;
    }
};

/**
 * @ingroup dml-import
 * @brief Read the graph that PipeDream's profiler writes (graph.txt).
 *
 * Each layer is a line `node2 -- Conv2d(...) -- forward_compute_time=22.316,
 * backward_compute_time=6.405, activation_size=198246400.000, parameter_size=93184.000`
 * (milliseconds and bytes), optionally with ` -- stage_id=0` behind; an activation size may be a
 * list `[a; b]`, which is summed. Each edge is an indented line `node1 -- node2`. Lines come in any
 * order.
 * @param file path, plain or gzipped
 * @param bytesRead bytes of the file, uncompressed, are added to it
 * @return the nodes by number where that is a topological order (as PipeDream numbers them), else
 * in some topological order; an edge that is there twice counts once
 * @throws InputError with line and column if a line is neither, a node is there twice or missing,
 * a time or size is out of range, or the edges have a cycle
 */
std::vector<PipedreamNode> ReadPipedreamGraph(const std::string& file, uint64_t& bytesRead);

} // namespace ns3::dml

#endif /* DML_PIPEDREAM_GRAPH_H */
