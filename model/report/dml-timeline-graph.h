/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TIMELINE_GRAPH_H
#define DML_TIMELINE_GRAPH_H

#include "ns3/dml-profile.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/// A node of a TensorFlow graph.
struct TimelineNode
{
    std::string name;                //!< as TensorFlow accepts it
    std::string type;                //!< of the op, "MatMul"
    std::vector<std::string> inputs; //!< "x", "^x" to wait only, "x_S1" from another device
};

/**
 * @ingroup dml-report
 * @brief A job as the graph that TensorFlow 1 would run it with.
 *
 * The parameter of a pull is a VariableV2 and its read on the server. The gradient of a push is an
 * Identity on the worker, where autodiff puts one ("gradients/x_grad/tuple/control_dependency_1").
 * An update is an ApplyGradientDescent on the server. What other ops compute is not known: forward
 * and compute ops are PartitionedCall, backward ones SymbolicGradient, types of TensorFlow for
 * calls of a function. Names of backward ops start with "gradients/", which is how tools tell them.
 * Inputs from other devices have the suffix of TensorFlow >= 1.9's graph partitioner.
 */
struct TimelineGraph
{
    std::vector<std::string> devices;    //!< names of the worker's devices, such as "CPU:0"
    std::vector<TimelineNode> variables; //!< by tensor
    std::vector<TimelineNode> nodes;     //!< by op; of a pull the read, of a push the gradient
    std::vector<uint32_t> places; //!< by op: the worker's device that it runs on, reads or writes
    std::vector<uint32_t> edges; //!< by op: number of the edge that carries it, if it is a transfer
};

/// @param profile the job @return its graph
TimelineGraph MakeTimelineGraph(const Profile& profile);

} // namespace ns3::dml

#endif /* DML_TIMELINE_GRAPH_H */
