/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RUN_METADATA_READER_H
#define DML_RUN_METADATA_READER_H

#include "dml-tf-step.h"

namespace ns3::dml
{

class TraceInput;

/**
 * @ingroup dml-import
 * @brief Read a RunMetadata of TensorFlow 1, binary or text, which is seen from its first bytes.
 *
 * Nodes are parsed one at a time; graphs and the cost model, which can be far larger, are skipped.
 * @param input the file
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

} // namespace ns3::dml

#endif /* DML_RUN_METADATA_READER_H */
