/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TF_LEFT_OUT_H
#define DML_TF_LEFT_OUT_H

#include "dml-tf-step.h"

#include <string>
#include <string_view>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief Leave a damaged record out of a step, and count it.
 *
 * A transfer (RecvTensor), and an op that may update a variable, are needed in any case: without
 * the record the profile would lack a tensor's bytes or its update.
 * @param step gets the fault, and the node for CheckTfLeftOut()
 * @param type of the node, as "Conv2D", or empty if the record does not tell
 * @param node its name, or empty if the record does not tell or is a GPU kernel's, which no op
 * reads
 * @param error what is wrong with the record, with its place
 */
void LeaveOutTfRecord(TfStep& step,
                      std::string_view type,
                      std::string_view node,
                      const std::string& error);

/**
 * @ingroup dml-import
 * @brief Leave out the records of a device that is not told.
 * @param step loses the records
 * @param from first one of them
 * @param error what is wrong with the device, with its place
 */
void LeaveOutTfRecords(TfStep& step, const TfStep::Mark& from, const std::string& error);

/**
 * @ingroup dml-import
 * @brief Refuse a step that lacks a transfer, an update, or an op of which others need the output.
 *
 * Those that need it are transfers and ops that do work, the latter also through ops without work,
 * as NoOp. An op that only such ops read, as a loss that is fetched, may be left out.
 * @param step with the records of all its machines
 * @throws InputError with what was wrong with the record
 */
void CheckTfLeftOut(const TfStep& step);

} // namespace ns3::dml

#endif /* DML_TF_LEFT_OUT_H */
