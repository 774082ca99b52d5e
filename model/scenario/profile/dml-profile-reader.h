/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PROFILE_READER_H
#define DML_PROFILE_READER_H

#include "ns3/dml-profile.h"

#include <cstdint>
#include <string>

namespace ns3::dml
{

/// The profile format that ReadProfile() reads, the value of its key `schema`.
constexpr const char* PROFILE_SCHEMA = "dml-profile/1";
/// The same with the key `buckets`.
constexpr const char* BUCKETS_SCHEMA = "dml-profile/2";
/// The same with the keys `input_bytes`, `resident_bytes` and, of ops, `activation_bytes`,
/// `output_bytes` and `workspace_bytes`.
constexpr const char* MEMORY_SCHEMA = "dml-profile/3";

/// Longest op of one step, in seconds: sums over a run stay far from the end of 64 bits of
/// nanoseconds.
constexpr double MAX_OP_SECONDS = 1000000;
/// What an op's duration may be, for error messages.
constexpr const char* SECONDS_FORM = "a number of seconds from 0 to 1000000";
/// Largest number of samples per step.
constexpr uint64_t MAX_BATCH = 1000000000;
/// Largest tensor, in bytes (1 TiB): sums over a model stay far from the end of 64 bits.
constexpr uint64_t MAX_TENSOR_BYTES = uint64_t{1} << 40U;

/**
 * @brief Read a profile in the native format.
 *
 * @code{.yaml}
 * schema: dml-profile/1
 * model: alexnet
 * batch_size: 8                     # samples per step, at least 1
 * input_bytes: 4816960              # optional, with schema: dml-profile/3
 * resident_bytes: 1024              # likewise
 * source: {framework: torch, ...}   # optional: any keys, scalar values
 * devices: [{name: cpu, slots: 1}]  # optional: this is the default; a bare name has 1 slot
 * samples: alexnet.samples.csv      # optional: beside the profile
 * tensors:
 *   - {name: conv1.weight, bytes: 92928}   # an integer or a size such as 28MB
 * ops:                              # in listing order, which breaks ties
 *   - {name: pull/conv1, kind: pull, tensor: conv1.weight}
 *   - {name: forward/conv1, kind: forward, device: cpu, deps: [pull/conv1], samples: [0.01, 0.02]}
 *   - {name: update/conv1, kind: update, tensor: conv1.weight, deps: [...], seconds: 0.0001}
 * buckets:                          # optional, with schema: dml-profile/2
 *   - {tensors: [conv1.weight], bytes: 92928, recorded: [0.003, 0.002], transfer: [0.001, 0.001]}
 * @endcode
 * Ops of kinds pull and push have no duration. All others have `samples` (seconds of each measured
 * step), `seconds` (the same for every step) or a column in the file of samples: CSV as RFC 4180, a
 * header of op names in any order, then a row of seconds per measured step. `device` may be left
 * out if there is only one. `deps` may name ops that are listed later. Gradients of a bucket were
 * reduced together; see ReadProfileBuckets(). With dml-profile/3 forward ops can have
 * `activation_bytes`, `output_bytes` and `workspace_bytes`, and backward ops `workspace_bytes`
 * (OpMemory).
 * @param path of the YAML file
 * @return the profile, which Profile::Validate() accepts
 * @throws InputError (ProfileError if Profile::Validate() refuses it) as
 * "file:line:column: key.path: op 'name': found ...; accepted: ..."
 */
Profile ReadProfile(const std::string& path);

} // namespace ns3::dml

#endif /* DML_PROFILE_READER_H */
