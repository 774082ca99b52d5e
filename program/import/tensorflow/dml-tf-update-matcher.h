/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TF_UPDATE_MATCHER_H
#define DML_TF_UPDATE_MATCHER_H

#include "dml-tf-graph.h"
#include "dml-tf-step.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ns3::dml
{

/// @param type type of a node; @return true if it changes a variable, its first input
bool IsTfUpdate(std::string_view type);

/**
 * @brief Which input of an update is the gradient, or the value.
 *
 * Source: TensorFlow's ops/training_ops.cc, ops/state_ops.cc and ops/resource_variable_ops.cc.
 * @param type type of a node for which IsTfUpdate() is true
 * @return number of the input, from 0; UINT32_MAX for a type that is not known
 */
uint32_t GetTfGradientInput(std::string_view type);

/**
 * @ingroup dml-import
 * @brief Tells for which variable each gradient was pushed, and what updates which variable.
 *
 * On the parameter servers the graph is followed from each op that changes a variable (its first
 * input) backwards to the received tensors that it reads, directly or through other ops, but not
 * through other updates. The variable's gradient is, in this order, one from a scope "gradients",
 * one that comes through the input at which ops of that type take the gradient
 * (GetTfGradientInput()), the nearest one, the first one. A gradient that no update reads is
 * matched by its name, "gradients/<variable>_grad/...".
 */
class TfUpdateMatcher
{
  public:
    /// The change of one variable.
    struct Update
    {
        std::string variable;        //!< variable that is changed
        std::set<uint32_t> receives; //!< received tensors that it waits for
        int64_t start{0};            //!< of the first op, ns
        int64_t duration{0};         //!< of all ops that it is made of, ns
    };

    /**
     * @param step all records, with known tensors and senders; must outlive this object unchanged
     * @param graph of the step; must outlive this object
     * @param worker machine whose pushes count
     * @throws InputError if an update takes longer than TfStep::MAX_LENGTH
     */
    TfUpdateMatcher(const TfStep& step, const TfGraph& graph, const std::string& worker);

    /// @return indices of the worker's pushes in TfStep::receives, ascending
    const std::vector<uint32_t>& GetPushes() const
    {
        return m_pushes;
    }

    /// @return updates that wait for a push of the worker, by variable
    const std::map<std::string, Update>& GetUpdates() const
    {
        return m_updates;
    }

    /// @return ops on the parameter servers that are part of these updates
    const std::set<uint32_t>& GetOps() const
    {
        return m_used;
    }

    /**
     * @brief Find the variable of each push.
     * @param pulled variables that the worker pulled; only these are matched by name
     * @param named gets the number of pushes matched by name
     * @return by index of the receive; pushes for no known variable are missing
     */
    std::map<uint32_t, std::string> FindVariables(const std::set<std::string>& pulled,
                                                  uint32_t& named) const;

  private:
    /// A received tensor that an update waits for.
    struct Source
    {
        uint32_t receive;  //!< index into TfStep::receives
        uint32_t distance; //!< number of ops between
        uint32_t input;    //!< number of the update's input that leads to it
    };

    /**
     * @brief Follow the graph backwards on a parameter server, from all inputs but the first.
     * @param op index of an op there
     * @param[out] passed ops on the way
     * @return the worker's pushes that it waits for, nearest first
     */
    std::vector<Source> FindSources(uint32_t op, std::vector<uint32_t>& passed) const;

    /**
     * @param update an op that changes a variable
     * @param variable its name
     * @param sources at least one
     * @return index of the receive that brought the gradient; TfGraph::NONE if it is another
     * variable's too
     */
    uint32_t FindGradient(const TfOp& update,
                          const std::string& variable,
                          const std::vector<Source>& sources) const;

    /// @param op index of an op that changes a variable
    void AddUpdate(uint32_t op);

    const TfStep& m_step;           //!< all records
    const TfGraph& m_graph;         //!< of the step
    std::vector<uint32_t> m_pushes; //!< receives on servers from the worker
    std::map<std::pair<std::string, std::string>, uint32_t>
        m_byTensor;                              //!< (server, tensor) -> push
    std::map<std::string, Update> m_updates;     //!< by variable
    std::map<uint32_t, std::string> m_variables; //!< push -> variable, by updates
    std::set<uint32_t> m_used;                   //!< ops that are part of updates
};

} // namespace ns3::dml

#endif /* DML_TF_UPDATE_MATCHER_H */
