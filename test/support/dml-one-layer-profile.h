/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ONE_LAYER_PROFILE_H
#define DML_ONE_LAYER_PROFILE_H

#include <string>

/// Text of a profile of one layer with one tensor.
inline const std::string ONE_LAYER_PROFILE =
    "schema: dml-profile/1\n"
    "model: test\n"
    "batch_size: 8\n"
    "tensors: [{name: a, bytes: 3000}]\n"
    "ops:\n"
    "  - {name: pull/a, kind: pull, tensor: a}\n"
    "  - {name: train, kind: compute, deps: [pull/a], seconds: 1}\n"
    "  - {name: push/a, kind: push, tensor: a, deps: [train]}\n"
    "  - {name: update/a, kind: update, tensor: a, deps: [push/a], seconds: 0.1}\n";

#endif /* DML_ONE_LAYER_PROFILE_H */
