/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BATCH_SIZE_MESSAGES_H
#define DML_BATCH_SIZE_MESSAGES_H

#include "ns3/dml-batch-size-control.h"
#include "ns3/dml-grpc-messages.h"

#include <optional>

namespace ns3
{
namespace dml
{

/// Handle of the graph that takes a worker's report and gives its batch size: value BATCH_VALUE.
constexpr const char* BATCH_GRAPH = "batch";
/// Value of that graph: samples of the step for which the worker asked.
constexpr const char* BATCH_VALUE = "batch";

/// @param report of a worker @return what is fed to BATCH_GRAPH
NamedValues ToValues(const WorkerReport& report);

/// @param values that came @return the report; nothing if they are none
std::optional<WorkerReport> ReportFromValues(const NamedValues& values);

} // namespace dml
} // namespace ns3

#endif /* DML_BATCH_SIZE_MESSAGES_H */
