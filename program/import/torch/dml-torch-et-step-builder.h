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
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3::dml
{

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
    const TorchEtStepCounts& GetCounts() const;

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

} // namespace ns3::dml

#endif /* DML_TORCH_ET_STEP_BUILDER_H */
