/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TF_NAMES_H
#define DML_TF_NAMES_H

#include "dml-tf-step.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ns3::dml
{

/**
 * @brief Take a device's name apart, in today's form or the one before TensorFlow 1.4.
 * @param name "/job:ps/replica:0/task:1/device:CPU:0", "/job:ps/replica:0/task:1/cpu:0",
 *        "/device:GPU:0/stream:all"
 * @return its parts
 */
TfDevice ParseTfDevice(std::string_view name);

/// @param local TfDevice::local; @return true for a GPU tracer's streams and memory copies
bool IsTfGpuTrace(std::string_view local);

/// @param input input of a node, as "^x", "x:1"; @return the node that it names
std::string_view GetTfNode(std::string_view input);

/// @param input input of a node @return which output of the node it is, as 1 of "x:1" and 0 of "x";
/// nothing for what is only waited for, as "^x"
std::optional<uint32_t> GetTfPort(std::string_view input);

/**
 * @brief Undo what the graph partitioner did to the name of an input that comes from another
 * device.
 * @param node as "w/read_S11" (TensorFlow >= 1.9) or "w/read/_11"
 * @return the node that makes it, "w/read"; @p node itself if it has no such suffix
 */
std::string_view StripTfPartition(std::string_view node);

/// @param node as above; @return the suffix's number, or UINT64_MAX if it has none
uint64_t GetTfPartitionNumber(std::string_view node);

/// @param tensor "w/read", "w/Read/ReadVariableOp"; @return the variable by its name: "w"
std::string_view StripTfRead(std::string_view tensor);

/// @param tensor "gradients/w_grad/..."; @return "w", or empty if the name is of another form
std::string_view GetTfGradientOf(std::string_view tensor);

/// @param node name of a node; @return true if it is in a scope "gradients" or "gradients_<n>"
bool IsTfBackward(std::string_view node);

/// @param type type of a node; @return true for _Recv and _HostRecv
bool IsTfReceive(std::string_view type);

/// @param type type of a node; @return true if it does no work: NoOp, _Send, _Recv and the like
bool IsTfTransparent(std::string_view type);

/**
 * @brief Read the label of an ordinary op, "NODE = TYPE(input, input)".
 * @param label NodeExecStats.timeline_label
 * @param op gets type and inputs
 * @return false if it is of another form; @p op is unchanged then
 */
bool ParseTfOpLabel(std::string_view label, TfOp& op);

/**
 * @brief Read the label of a RecvTensor, "[1024B] edge_160_w/read from DEVICE to DEVICE".
 *
 * Sizes from 0.1 MiB are rounded: "[4.3MB]" (TensorFlow's worker_cache_logger.cc).
 * @param label NodeExecStats.timeline_label
 * @param receive gets tensor, sender and, unless its size is known exactly, size
 * @return false if it is of another form; @p receive is unchanged then
 */
bool ParseTfReceiveLabel(std::string_view label, TfReceive& receive);

} // namespace ns3::dml

#endif /* DML_TF_NAMES_H */
