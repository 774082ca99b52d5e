/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_ET_NODE_H
#define DML_TORCH_ET_NODE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ns3::dml
{

class JsonRecord;
struct TorchEtEvent;

/**
 * @ingroup dml-import
 * @brief A tensor that a node of a PyTorch Execution Trace reads or returns.
 */
struct TorchEtTensor
{
    uint64_t id{0};        //!< of the tensor; may be given again to one that is made later
    uint64_t storage{0};   //!< of the memory behind it, which views share; 0 if it has none
    uint64_t offset{0};    //!< of its first element in that memory, in elements
    uint64_t elements{0};  //!< number of elements; 0 if it is empty or undefined
    uint64_t bytes{0};     //!< size of all elements
    std::string shape;     //!< as "64x3x11x11"; empty for a scalar
    bool isFloat{false};   //!< floating-point elements
    bool isWritten{false}; //!< an input that the node changes in place
    /// Set by MakeTorchEtGraph(), of an input: index of the op of the step that made or last
    /// changed it.
    uint32_t maker{UINT32_MAX};
    /// Set by MakeTorchEtGraph(), of an input: no op of the step allocated the memory behind it.
    bool isOutside{true};
};

/**
 * @ingroup dml-import
 * @brief A node of a PyTorch Execution Trace: an operator, an autograd node or an annotation.
 */
struct TorchEtNode
{
    uint64_t id{0};           //!< in the order in which nodes started
    uint64_t parent{0};       //!< id of the node that called it
    uint64_t function{0};     //!< "rf_id": number of the recorded function, or 0
    int64_t sequence{-1};     //!< number of the autograd node it is or is about to create, or -1
    bool isAnnotation{false}; //!< a user's annotation, or the node of a thread or the process
    bool isBackward{false};   //!< an autograd node that runs
    bool isAllReduce{false};  //!< asks for an all-reduce, or describes or annotates one
    std::string name;         //!< as "aten::addmm"
    std::vector<TorchEtTensor> inputs;  //!< those in lists included
    std::vector<TorchEtTensor> outputs; //!< those in lists included
    /// Set by JoinTorchEtNodes(): when it ran, or null.
    const TorchEtEvent* event{nullptr};
    /// Set by MakeTorchEtGraph(): index of the node that called it, or TorchEtOp::NONE.
    uint32_t caller{UINT32_MAX};
    /// Set by MakeTorchEtGraph(): index of its outermost operator, or TorchEtOp::NONE.
    uint32_t op{UINT32_MAX};
};

/// @param name of a node; @return its backend, as "nccl", if it is a backend's annotation
std::string_view GetTorchEtBackend(std::string_view name);

/// @param node any; @return true if it is about a collective: asks for it, or describes or
/// annotates it
bool IsTorchEtCollective(const TorchEtNode& node);

/**
 * @ingroup dml-import
 * @brief Read one element of the list `nodes` of an Execution Trace.
 *
 * Knows schema 1.0.0 and 1.0.1 (`rf_id`, `parent`, `inputs`, `input_types` and so on as members)
 * and those of Chakra from 1.0.2 to 1.1.1 (`ctrl_deps`, `inputs: {values, shapes, types}`, the rest
 * in `attrs`). Which inputs are changed in place is read from the operator's schema (`Tensor(a!)`);
 * without one, an operator whose name ends in `_` changes what it returns.
 * @param record the element
 * @return the node
 * @throws InputError naming line, column and JSON path if something is missing or out of range
 */
TorchEtNode ReadTorchEtNode(const JsonRecord& record);

} // namespace ns3::dml

#endif /* DML_TORCH_ET_NODE_H */
