/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_OP_H
#define DML_OP_H

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace ns3::dml
{

/// Position of an op in its profile's listing, from 0.
using OpIndex = uint32_t;
/// Position of a tensor in its profile's listing, from 0.
using TensorIndex = uint32_t;

/// "No op", "no tensor": never a valid index.
constexpr uint32_t NO_INDEX = std::numeric_limits<uint32_t>::max();

/**
 * @ingroup dml-workload
 * @brief What an op does, which also says where it runs.
 */
enum class OpKind : uint8_t
{
    PULL,     //!< downlink transfer of one tensor, parameter server to worker
    FORWARD,  //!< forward propagation on a device of the worker
    BACKWARD, //!< back-propagation on a device of the worker
    PUSH,     //!< uplink transfer of one tensor's gradient, worker to parameter server
    UPDATE,   //!< application of a gradient on the parameter server that holds the tensor
    COMPUTE,  //!< any other work on a device of the worker
};

/// @return the name a profile uses for @p kind, such as "pull"
std::string_view ToString(OpKind kind);
/// @return the kind that a profile calls @p name, or nothing
std::optional<OpKind> OpKindFromString(std::string_view name);
/// @return all names that OpKindFromString accepts, comma-separated, for error messages
std::string OpKindNames();

/// @return true if @p kind moves a tensor over the network
constexpr bool
IsTransfer(OpKind kind)
{
    return kind == OpKind::PULL || kind == OpKind::PUSH;
}

/// @return true if ops of @p kind must name a tensor
constexpr bool
NeedsTensor(OpKind kind)
{
    return IsTransfer(kind) || kind == OpKind::UPDATE;
}

/// @return true if ops of @p kind run on one of the worker's devices
constexpr bool
RunsOnDevice(OpKind kind)
{
    return !NeedsTensor(kind);
}

/**
 * @ingroup dml-workload
 * @brief Bytes that an op holds on its device beside parameters and their gradients; 0 if not
 * known.
 *
 * All are proportional to the batch size.
 */
struct OpMemory
{
    /// Of a forward op: kept for the backward ops that depend on it, each byte counted at the first
    /// op that keeps it, inputs of the step and parameters nowhere.
    uint64_t activation{0};
    /// Of a forward op: what it hands to the ops that depend on it, kept or not.
    uint64_t output{0};
    /// Of a forward or backward op: most that is there while it runs beside all that is kept.
    uint64_t workspace{0};
    bool noOutput{false}; //!< of a forward op: `output` is known to be 0, and not unknown
};

/// Largest value of each, in bytes (1 TiB): sums over a step stay far from the end of 64 bits.
constexpr uint64_t MAX_OP_MEMORY = uint64_t{1} << 40U;

/**
 * @ingroup dml-workload
 * @brief One operation of a training step: a vertex of the op graph.
 *
 * Its duration is not here: it differs from step to step (StepSamples).
 */
struct Op
{
    std::string name;             //!< unique within its profile
    OpKind kind{OpKind::COMPUTE}; //!< what it does
    uint32_t device{0};           //!< index into Profile::devices, for kinds that run on a device
    TensorIndex tensor{NO_INDEX}; //!< index into Profile::tensors, for kinds that need one
    OpMemory memory{};            //!< bytes that it holds, as measured
};

} // namespace ns3::dml

#endif /* DML_OP_H */
