/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TF_UPDATE_TYPES_H
#define DML_TF_UPDATE_TYPES_H

#include <cstdint>
#include <string_view>

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

} // namespace ns3::dml

#endif /* DML_TF_UPDATE_TYPES_H */
