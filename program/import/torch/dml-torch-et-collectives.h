/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_ET_COLLECTIVES_H
#define DML_TORCH_ET_COLLECTIVES_H

#include "dml-torch-et-graph.h"
#include "dml-torch-et-node.h"
#include "dml-torch-et-parameters.h"
#include "dml-torch-et-times.h"
#include "dml-torch-step-tensors.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// An all-reduce of an Execution Trace.
struct TorchEtReduction
{
    uint32_t node{0};  //!< index of the outermost node that is about it
    uint32_t last{0};  //!< operator during which it was asked for, or the last one before
    uint64_t bytes{0}; //!< of its tensors
    int64_t length{0}; //!< ns, how long it ran, waiting for other workers included; 0 if unknown
};

/**
 * @ingroup dml-import
 * @brief Finds the collectives of an Execution Trace.
 *
 * One all-reduce is up to three nodes, each within the one before: `c10d::allreduce_` (PyTorch 1.13
 * and later), `record_param_comms`, and an annotation `nccl:all_reduce`. The outermost one counts;
 * its size is that of the tensors that any of them reads. Gloo's annotation is on a thread of its
 * own, for as long as the collective takes, in the order of requests. NCCL's kernel is that which
 * was launched within.
 */
class TorchEtCollectives
{
  public:
    /**
     * @param nodes of the trace, by id
     * @param times of the twin trace
     * @param join which event belongs to each node
     * @param graph of the outermost operators
     */
    TorchEtCollectives(const std::vector<TorchEtNode>& nodes,
                       const TorchEtTimes& times,
                       const TorchEtJoin& join,
                       const TorchEtGraph& graph);

    /**
     * @brief Find the buckets of a step: its all-reduces between the first gradient and the
     * optimizer.
     * @param step its index
     * @param parameters of the model
     * @return tensors with their buckets, and these; none if no gradient was reduced
     */
    TorchStepTensors Find(uint32_t step, const TorchEtParameters& parameters) const;

    /// @return who did the collectives, as "nccl", or an empty text
    const std::string& GetBackend() const
    {
        return m_backend;
    }

    /// @return names of other collectives, and how many of each there are
    std::vector<std::pair<std::string, uint64_t>> GetOthers() const
    {
        return {m_others.begin(), m_others.end()};
    }

  private:
    void FindRoots();
    void SetLengths(const TorchEtTimes& times, const TorchEtJoin& join);
    uint32_t FindLastOp(uint32_t node) const;

    const std::vector<TorchEtNode>& m_nodes;     //!< by id
    const TorchEtGraph& m_graph;                 //!< operators
    std::vector<TorchEtReduction> m_reductions;  //!< those that were asked for, by node
    std::vector<TorchEtReduction> m_annotations; //!< of a backend's own threads, by node
    std::map<std::string, uint64_t> m_others;    //!< other collectives
    std::string m_backend;                       //!< of annotations
};

} // namespace ns3::dml

#endif /* DML_TORCH_ET_COLLECTIVES_H */
