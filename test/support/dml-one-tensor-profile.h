/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ONE_TENSOR_PROFILE_H
#define DML_ONE_TENSOR_PROFILE_H

namespace ns3::dml
{

/// A profile with one layer, as a file: its parameters are pulled, and its gradients pushed a
/// second later.
inline constexpr const char* ONE_TENSOR_PROFILE =
    "schema: dml-profile/1\nmodel: test\nbatch_size: 1\n"
    "tensors: [{name: a, bytes: 1000}]\n"
    "ops:\n"
    "  - {name: pull/a, kind: pull, tensor: a}\n"
    "  - {name: fa, kind: forward, deps: [pull/a], seconds: 1}\n"
    "  - {name: push/a, kind: push, tensor: a, deps: [fa]}\n";

} // namespace ns3::dml

#endif /* DML_ONE_TENSOR_PROFILE_H */
