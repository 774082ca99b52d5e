/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TF_TIMELINE_READER_H
#define DML_TF_TIMELINE_READER_H

#include "dml-tf-step.h"

namespace ns3::dml
{

class TraceInput;

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

#endif /* DML_TF_TIMELINE_READER_H */
