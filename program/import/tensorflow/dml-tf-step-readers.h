/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TF_STEP_READERS_H
#define DML_TF_STEP_READERS_H

#include "dml-tf-step.h"

namespace ns3::dml
{

class TraceInput;

/**
 * @ingroup dml-import
 * @brief Read a RunMetadata of TensorFlow 1, binary or text, which is seen from its first bytes.
 *
 * Nodes are parsed one at a time; graphs and the cost model, which can be far larger, are skipped.
 * @param input the file; a binary one below 2 GiB (the limit of protobuf messages)
 * @return the step, at least one op
 * @throws InputError naming the byte (binary) or line and column (text) if the file is of another
 * type, damaged, incomplete, or has no op
 */
TfStep ReadRunMetadata(TraceInput& input);

/**
 * @brief Tell whether a file looks like a RunMetadata in text form.
 * @param input a file, at its start; nothing is consumed
 * @return true if it starts with a field's name and "{", "<" or ":"; comments may come before it
 */
bool IsRunMetadataText(TraceInput& input);

/**
 * @ingroup dml-import
 * @brief Read a RunMetadata in protobuf's text format, one NodeExecStats at a time.
 * @param input the file
 * @return devices, ops and receives
 * @throws InputError naming line and column of what is not as it should be
 */
TfStep ReadRunMetadataText(TraceInput& input);

/**
 * @ingroup dml-import
 * @brief Read a timeline of TensorFlow 1: Chrome trace JSON as tensorflow.python.client.timeline
 * writes it.
 *
 * Complete events ("ph": "X") of category "Op" are read; data flows, memory and counters are not.
 * A RecvTensor tells neither tensor nor size, unless a fork of TensorFlow added `args.label` (in
 * RunMetadata's form), `args.tensor` or `args.bytes`.
 * @param input the file
 * @return the step, at least one op
 * @throws InputError naming line, column and path of what is not as it should be
 */
TfStep ReadTfTimeline(TraceInput& input);

} // namespace ns3::dml

#endif /* DML_TF_STEP_READERS_H */
