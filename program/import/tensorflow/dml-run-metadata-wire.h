/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RUN_METADATA_WIRE_H
#define DML_RUN_METADATA_WIRE_H

#include "dml-tf-step.h"

namespace ns3::dml
{

class TraceInput;

/**
 * @ingroup dml-import
 * @brief Read a binary RunMetadata, one NodeExecStats at a time.
 * @param input the file, below 2 GiB (the limit of protobuf messages)
 * @return devices, ops and receives
 * @throws InputError naming the byte and the message that is damaged or incomplete
 */
TfStep ReadRunMetadataWire(TraceInput& input);

} // namespace ns3::dml

#endif /* DML_RUN_METADATA_WIRE_H */
