/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_ET_GRAPH_H
#define DML_TORCH_ET_GRAPH_H

#include "dml-torch-et-node.h"
#include "dml-torch-et-steps.h"
#include "dml-torch-et-times.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief An outermost operator of an Execution Trace, with all that it called.
 */
struct TorchEtOp
{
    static constexpr uint32_t NONE = UINT32_MAX; //!< no op, no step

    std::vector<uint32_t> nodes; //!< indices of its nodes by id, the outermost first
    int64_t start{0};            //!< ns, on the host
    int64_t end{0};              //!< ns, on the host
    uint32_t thread{0};          //!< text of TorchEtTimes
    uint32_t step{NONE};         //!< index of its step, or NONE if it is in none or has no time
    /// Start and end of what it ran on a GPU, ns, by start.
    std::vector<std::pair<int64_t, int64_t>> kernels;
    uint32_t gpu{0};            //!< text of TorchEtTimes, if there are kernels
    bool isBackward{false};     //!< an autograd node
    bool isAccumulation{false}; //!< the autograd node that completes a gradient
    bool isOptimizer{false};    //!< within an annotation `Optimizer.step`
    std::set<uint32_t> deps;    //!< indices of ops of the same step that it waits for, all smaller

    /// @return start of its first kernel, or its start on the host if it has none, ns
    int64_t GetStart() const;
    /// @return time during which at least one of its kernels ran, or its length on the host, ns
    int64_t GetLength() const;
};

/// Numbers about how the graph was made.
struct TorchEtCounts
{
    uint64_t untimed{0};   //!< outermost operators without an event
    uint64_t outside{0};   //!< outermost operators that are in no step
    uint64_t crossing{0};  //!< dependencies on an op that started later, left out
    uint64_t backward{0};  //!< autograd nodes but for accumulations
    uint64_t paired{0};    //!< of these, tied to a forward op by sequence number
    uint64_t kernels{0};   //!< kernels of an op
    uint64_t strays{0};    //!< kernels of no op
    uint64_t exchanges{0}; //!< kernels of collectives that ops ask for
};

/**
 * @ingroup dml-import
 * @brief The data-flow graph of the outermost operators of an Execution Trace.
 *
 * An operator is a node that is no annotation; the outermost ones are those that no other operator
 * called. One waits for whichever made the tensors that it reads: the last operator that returned
 * the tensor, and the last that changed the memory behind it (views share memory). One that changes
 * memory in place also waits for those that read it before. Memory that an operator returns and
 * that none of its inputs is in is newly allocated: what used it before does not matter. An
 * autograd node also waits for the operator that created it: of the nodes with its sequence number
 * that do not run within an autograd node, the one that started last (Kineto's own rule).
 *
 * Kernels belong to the operator during which the call with their `correlation` was made on its
 * thread, or, if there is none, to that with their `External id`. Those of a collective that an
 * operator asks for belong to none: they take place beside it, and the network decides how long.
 */
class TorchEtGraph
{
  public:
    /**
     * @param nodes of the trace, by id; sets TorchEtTensor::maker and isOutside
     * @param times of the twin trace
     * @param join which event belongs to each node
     * @param steps by start, none overlaps another
     */
    TorchEtGraph(std::vector<TorchEtNode>& nodes,
                 const TorchEtTimes& times,
                 const TorchEtJoin& join,
                 const std::vector<TorchEtStep>& steps);

    /// @return the outermost operators in the order in which they started
    const std::vector<TorchEtOp>& GetOps() const
    {
        return m_ops;
    }

    /// @param sequence number of an autograd node
    /// @return indices of the nodes that carry it and run before it does, the one that started last
    /// first; empty if there are none
    std::vector<uint32_t> GetOwners(int64_t sequence) const;
    /// @param op index of an op; @return sequence number of the autograd node that it is, or -1
    int64_t GetSequence(uint32_t op) const;

    /// @param node index of a node; @return index of its outermost operator, or NONE
    uint32_t GetOp(uint32_t node) const
    {
        return m_op[node];
    }

    /// @return how it was made
    const TorchEtCounts& GetCounts() const
    {
        return m_counts;
    }

  private:
    /// What is known about a piece of memory.
    struct Memory
    {
        uint32_t owner{TorchEtOp::NONE};  //!< op that allocated it
        uint32_t writer{TorchEtOp::NONE}; //!< op that last changed it
        std::vector<uint32_t> readers;    //!< ops that read it since
    };

    void FindOps();
    void SetStep(TorchEtOp& op, const std::vector<TorchEtStep>& steps);
    void AddDependency(uint32_t op, uint32_t before);
    void AddDataFlow(uint32_t node);
    void PairSequences();
    void AssignKernels(const TorchEtJoin& join);
    /// @return events of collectives that operators ask for, by operator
    std::map<uint32_t, std::vector<const TorchEtEvent*>> FindExchanges(
        const TorchEtJoin& join) const;

    std::vector<TorchEtNode>& m_nodes;             //!< by id
    const TorchEtTimes& m_times;                   //!< times
    std::vector<TorchEtOp> m_ops;                  //!< outermost operators
    std::vector<uint32_t> m_op;                    //!< of each node: its outermost operator
    std::unordered_map<uint64_t, Memory> m_memory; //!< by storage id
    std::map<std::pair<uint64_t, uint64_t>, uint32_t> m_makers;  //!< op by tensor and storage
    std::unordered_map<int64_t, std::vector<uint32_t>> m_owners; //!< nodes by sequence number
    TorchEtCounts m_counts;                                      //!< how it was made
};

} // namespace ns3::dml

#endif /* DML_TORCH_ET_GRAPH_H */
