/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_ET_PARAMETERS_H
#define DML_TORCH_ET_PARAMETERS_H

#include "dml-torch-et-graph.h"

#include "ns3/dml-profile.h"

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace ns3::dml
{

/// A parameter where it lies: storage, offset in it, number of elements.
using TorchEtKey = std::tuple<uint64_t, uint64_t, uint64_t>;

/// @param tensor of a node; @return where it lies
TorchEtKey GetTorchEtKey(const TorchEtTensor& tensor);

/// The parameters of a model, and how they were found.
struct TorchEtParameters
{
    std::vector<Tensor> tensors;               //!< in the order in which forward first reads them
    std::vector<TorchEtKey> keys;              //!< of each of them
    std::map<TorchEtKey, TensorIndex> byKey;   //!< the inverse
    std::map<uint32_t, TensorIndex> gradients; //!< by op that accumulates
    uint64_t bySequence{0}; //!< gradients whose parameter the sequence number told
    uint64_t byShape{0};    //!< gradients whose parameter only its shape told
    uint64_t unknown{0};    //!< gradients of no known parameter, which count as one of their own
    uint64_t empty{0};      //!< accumulations without a tensor, which are left out
};

/**
 * @ingroup dml-import
 * @brief Find the parameters of a model by the gradients that its steps accumulate.
 *
 * A parameter is a floating-point tensor in memory that no operator of the step allocates and whose
 * gradient an autograd node `AccumulateGrad` completes. Which one: that node reads the gradient,
 * which was made by an autograd node with a sequence number; the operator with that number reads
 * the parameter, which has the gradient's shape. If several of its inputs have (weight and bias of
 * a batch normalisation), inputs and gradients are taken in the same order, those that the
 * optimizer changes first. If none has, it is the tensor of that shape that forward operators read
 * last and that has no gradient yet.
 */
class TorchEtParameterFinder
{
  public:
    /// @param nodes of the trace, by id; @param graph made of them
    TorchEtParameterFinder(const std::vector<TorchEtNode>& nodes, const TorchEtGraph& graph);

    /// @return the parameters of all steps
    TorchEtParameters Find();

  private:
    /// A gradient, and the node that made it.
    struct Gradient
    {
        const TorchEtTensor* tensor; //!< what is accumulated
        uint32_t op;                 //!< op that accumulates it
    };

    void FindUpdated();
    void FindReads();
    bool IsCandidate(const TorchEtTensor& input, const TorchEtTensor& gradient) const;
    std::vector<TorchEtKey> FindCandidates(const Gradient& gradient) const;
    std::size_t FindRank(const Gradient& gradient) const;
    TorchEtKey Choose(const Gradient& gradient);
    void Number();

    const std::vector<TorchEtNode>& m_nodes; //!< by id
    const TorchEtGraph& m_graph;             //!< made of them
    std::set<TorchEtKey> m_updated;          //!< what optimizers change
    std::map<TorchEtKey, uint32_t> m_reads;  //!< first forward node that reads a tensor
    /// Tensors from outside the step that forward operators read, in order, by step.
    std::map<uint32_t, std::vector<const TorchEtTensor*>> m_outside;
    std::map<uint32_t, std::set<TorchEtKey>> m_taken; //!< parameters with a gradient, by step
    std::map<uint32_t, uint64_t> m_unknown;           //!< gradients of no parameter, by step
    std::map<uint32_t, TorchEtKey> m_chosen;          //!< parameter by op that accumulates
    std::map<TorchEtKey, std::pair<uint64_t, std::string>> m_sizes; //!< bytes and shape
    TorchEtParameters m_found;                                      //!< under construction
};

} // namespace ns3::dml

#endif /* DML_TORCH_ET_PARAMETERS_H */
