/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RUN_METADATA_NODE_H
#define DML_RUN_METADATA_NODE_H

#include "dml-tf-step.h"

#include <dml-run-metadata.pb.h>
#include <string>

namespace ns3::dml
{

/// @param text a name; @param place of it, for messages; @throws InputError if it is not UTF-8
void CheckRunMetadataText(const std::string& text, const std::string& place);

/**
 * @ingroup dml-import
 * @brief Add what a record of TensorFlow's RunMetadata says to a step.
 *
 * Times in nanoseconds (TensorFlow >= 1.13) win over those in microseconds. A RecvTensor's size
 * is that of its output, or else what the label says. Outputs and memory whose size cannot be right
 * are left out, and so is the whole record if a time cannot be, or it has no name.
 * @param node the record
 * @param isGpuTrace whether the device is a GPU tracer's, which names nodes "NODE:TYPE"
 * @param place where it was read, for messages
 * @param step gets an op or a receive, without its device
 */
void AddRunMetadataNode(const tensorflow::NodeExecStats& node,
                        bool isGpuTrace,
                        const std::string& place,
                        TfStep& step);

/**
 * @ingroup dml-import
 * @brief Leave out a damaged record, see LeaveOutTfRecord().
 * @param node as far as it could be read
 * @param isGpuTrace as of AddRunMetadataNode()
 * @param error what is wrong with it, with its place
 * @param step that loses it
 */
void LeaveOutRunMetadataNode(const tensorflow::NodeExecStats& node,
                             bool isGpuTrace,
                             const std::string& error,
                             TfStep& step);

} // namespace ns3::dml

#endif /* DML_RUN_METADATA_NODE_H */
