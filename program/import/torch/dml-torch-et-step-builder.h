/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_ET_STEP_BUILDER_H
#define DML_TORCH_ET_STEP_BUILDER_H

#include "dml-torch-et-graph.h"
#include "dml-torch-et-parameters.h"

#include "ns3/dml-import-options.h"
#include "ns3/dml-measured-job.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief Find the parameters that an operator changes in place.
 * @param op an outermost operator
 * @param nodes of the trace, by id
 * @param parameters of the model
 * @return indices of parameters
 */
std::set<TensorIndex> FindTorchEtChanges(const TorchEtOp& op,
                                         const std::vector<TorchEtNode>& nodes,
                                         const TorchEtParameters& parameters);

/**
 * @ingroup dml-import
 * @brief Share the time of a step's optimizer among the parameters.
 *
 * An operator that changes parameters counts to these by their size; one that changes none, such as
 * that of a momentum, counts to all parameters of the step by their size.
 * @param optimizer outermost operators
 * @param nodes of the trace, by id
 * @param parameters of the model
 * @param ready parameters that have a gradient in the step
 * @param place of the step in messages
 * @return ns for each parameter, 0 for those without a gradient; if any has one, their sum is that
 * of the operators
 * @throws InputError if the operators take more than 1e6 s together
 */
std::vector<int64_t> ShareTorchEtOptimizer(const std::vector<TorchEtOp>& optimizer,
                                           const std::vector<TorchEtNode>& nodes,
                                           const TorchEtParameters& parameters,
                                           const std::vector<TensorIndex>& ready,
                                           const std::string& place);

/// Numbers about the steps that were built.
struct TorchEtStepCounts
{
    uint64_t ops{0};         //!< operators that became ops on a device
    uint64_t gpuOps{0};      //!< of these, on a GPU
    uint64_t collectives{0}; //!< of these, collective operations, whose time is left out
    uint64_t optimizer{0};   //!< operators that became updates
    uint64_t annotated{0};   //!< of these, within an annotation `Optimizer.step`
};

/**
 * @ingroup dml-import
 * @brief Makes the ops of a training step of the outermost operators of an Execution Trace.
 *
 * Ops, in listing order: `pull/TENSOR`; `forward/NAME_n`, `backward/NODE_n`, `accumulate/TENSOR`
 * and `compute/NAME_n` in the order in which the host started them; `push/TENSOR` after the
 * accumulation, in the order of accumulations; `update/TENSOR`. Forward is what starts before the
 * first autograd node. An operator with kernels runs on its GPU for as long as any of them does,
 * another one on the CPU for as long as it did. Collective operations take no time: here the
 * network decides theirs.
 *
 * The optimizer is what runs within `Optimizer.step`; without that annotation it is all that starts
 * after the last autograd node, if part of it changes a parameter. ShareTorchEtOptimizer() says
 * which update gets which part of its time.
 */
class TorchEtStepBuilder
{
  public:
    /**
     * @param nodes of the trace, by id
     * @param times of the twin trace
     * @param graph of the outermost operators
     * @param parameters of the model
     * @param options the user's choices: device, order
     */
    TorchEtStepBuilder(const std::vector<TorchEtNode>& nodes,
                       const TorchEtTimes& times,
                       const TorchEtGraph& graph,
                       const TorchEtParameters& parameters,
                       const ImportOptions& options);

    /**
     * @param step when it ran
     * @param index its number in the graph
     * @return the step, whose end is that of its last kernel if that is later
     */
    MeasuredStep Build(const TorchEtStep& step, uint32_t index);

    /// @return devices of all ops so far, the CPU first
    std::vector<Device> GetDevices() const;

    /// @return numbers of all steps so far
    const TorchEtStepCounts& GetCounts() const
    {
        return m_counts;
    }

  private:
    void FindOptimizer(uint32_t index);
    void AddPulls();
    void AddOps();
    void AddOp(uint32_t op);
    void SetTime(const TorchEtOp& op, MeasuredOp& measured);
    void ChainOps(std::size_t first);
    void AddPushesAndUpdates();
    std::string MakeName(uint32_t op);

    const std::vector<TorchEtNode>& m_nodes; //!< by id
    const TorchEtTimes& m_times;             //!< times
    const TorchEtGraph& m_graph;             //!< operators
    const TorchEtParameters& m_parameters;   //!< of the model
    std::string m_cpu;                       //!< name of the CPU
    ComputeOrder m_order;                    //!< what decides the order of compute ops
    std::map<std::string, bool> m_gpus;      //!< names of GPUs so far
    TorchEtStepCounts m_counts;              //!< so far
    std::unordered_map<uint32_t, std::vector<uint32_t>> m_byStep; //!< operators

    MeasuredStep m_step;                       //!< under construction
    std::vector<uint32_t> m_ops;               //!< operators of the step but for the optimizer's
    std::vector<uint32_t> m_optimizer;         //!< operators of the optimizer
    uint32_t m_firstBackward{TorchEtOp::NONE}; //!< operator
    std::unordered_map<uint32_t, std::string> m_names; //!< ops by operator
    std::unordered_map<std::string, uint32_t> m_uses;  //!< of names
    std::vector<TensorIndex> m_ready; //!< parameters in the order of their accumulation
    std::map<TensorIndex, std::string> m_accumulations; //!< last op that accumulates
};

/**
 * @ingroup dml-import
 * @brief Add ops of no length that get idle time around updates: an update runs on another machine
 * than the worker, whose time it is.
 *
 * `compute/before-update` ends when the first update starts, `compute/after-update` at the end of
 * the step. Each is added to all steps if there is such idle time in any of them. It follows the
 * worker's op that is listed last, on the same device.
 * @param steps all steps, whose updates run one after another
 * @return one sentence, or empty if nothing was added
 */
std::string AddTorchEtIdleOps(std::vector<MeasuredStep>& steps);

} // namespace ns3::dml

#endif /* DML_TORCH_ET_STEP_BUILDER_H */
