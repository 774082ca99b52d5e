/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TIMELINE_GRAPH_H
#define DML_TIMELINE_GRAPH_H

#include "ns3/dml-profile.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
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
class TimelineGraph
{
  public:
    /// @param profile the job; copied
    explicit TimelineGraph(const Profile& profile);

    /// @param op a transfer; @return the variable of its tensor
    const TimelineNode& GetVariable(OpIndex op) const;
    /// @param op index; @return of a pull: the read; of a push: the gradient; else: itself
    const TimelineNode& GetNode(OpIndex op) const;
    /// @param op a transfer; @return number of the edge that carries it
    uint32_t GetEdge(OpIndex op) const;
    /// @param op index of no update; @return the worker's device that it runs on, reads or writes
    uint32_t GetDevice(OpIndex op) const;
    /// @return names of the worker's devices, such as "CPU:0"
    const std::vector<std::string>& GetDevices() const;

  private:
    /// Where a node is: a device of the worker, or the servers.
    static constexpr uint32_t SERVERS = UINT32_MAX;

    void NameDevices();
    void NameNodes();
    void FindDevices();
    void AddInputs(OpIndex op);
    /// @param text any name; @return it as TensorFlow accepts it, and as no other node has it
    std::string MakeName(const std::string& text);
    /// @param from op that makes it; @param place of the node that takes it; @return the input
    std::string GetInput(OpIndex from, uint32_t place);
    /// @param from op; @param place of the node that takes its output; @return number of the edge
    uint32_t FindEdge(OpIndex from, uint32_t place);
    /// @param op index; @return where its node is
    uint32_t GetPlace(OpIndex op) const;

    Profile m_profile;                                        //!< the job
    std::vector<std::string> m_devices;                       //!< of the worker
    std::vector<TimelineNode> m_variables;                    //!< by tensor
    std::vector<TimelineNode> m_nodes;                        //!< by op
    std::vector<uint32_t> m_places;                           //!< by op: GetDevice()
    std::set<std::string> m_names;                            //!< in use
    std::map<std::pair<OpIndex, uint32_t>, uint32_t> m_edges; //!< by op and place of its reader
};

} // namespace ns3::dml

#endif /* DML_TIMELINE_GRAPH_H */
