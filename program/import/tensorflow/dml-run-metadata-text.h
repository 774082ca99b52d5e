/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RUN_METADATA_TEXT_H
#define DML_RUN_METADATA_TEXT_H

#include "dml-tf-step.h"

namespace ns3::dml
{

class TraceInput;

/**
 * @ingroup dml-import
 * @brief Read a RunMetadata in protobuf's text format, one NodeExecStats at a time.
 * @param input the file
 * @return devices, ops and receives
 * @throws InputError naming line and column of what is not as it should be
 */
TfStep ReadRunMetadataText(TraceInput& input);

} // namespace ns3::dml

#endif /* DML_RUN_METADATA_TEXT_H */
