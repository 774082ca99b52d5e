/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HOROVOD_PROFILE_H
#define DML_HOROVOD_PROFILE_H

/// A profile for Horovod timelines: gradients come in the order c, b, a; a and b have the same
/// size.
inline constexpr const char* HOROVOD_PROFILE = R"(schema: dml-profile/1
model: m
batch_size: 4
tensors: [{name: a, bytes: 24}, {name: b, bytes: 24}, {name: c, bytes: 300}]
ops:
  - {name: backward/c, kind: backward, seconds: 1}
  - {name: backward/b, kind: backward, deps: [backward/c], seconds: 1}
  - {name: backward/a, kind: backward, deps: [backward/b], seconds: 1}
  - {name: push/a, kind: push, tensor: a, deps: [backward/a]}
  - {name: push/b, kind: push, tensor: b, deps: [backward/b]}
  - {name: push/c, kind: push, tensor: c, deps: [backward/c]}
)";

#endif /* DML_HOROVOD_PROFILE_H */
