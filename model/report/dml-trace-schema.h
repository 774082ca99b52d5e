/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRACE_SCHEMA_H
#define DML_TRACE_SCHEMA_H

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief Names in trace.json, Chrome's trace event format, that its writer and its reader share.
 *
 * A trace starts with
 * `{"displayTimeUnit":"ms","otherData":{"schema":"dml-trace/1"},"traceEvents":[`. The job comes
 * first, as metadata events (`"ph":"M"`), which viewers skip if they do not know them: a top-level
 * member would not do, as Perfetto refuses an "otherData" that is not in the first piece of the
 * file that it reads, and reads nothing behind a member that it does not know.
 *
 * | event, by name | args |
 * | --- | --- |
 * | dml_profile | schema, model, batch_size, samples (their number), source: [[key, value], ...] |
 * | dml_device | name, slots |
 * | dml_tensor | name, bytes |
 * | dml_op | name, kind, deps: [index of an op, ...], and device or tensor: its index |
 * | process_name | name; run (a number of its own), engine, worker or ps: its number; waits: 1 |
 *
 * `waits` is there where workers may wait for each other at the end of a step.
 * Devices, tensors and ops are numbered from 0 in the order in which they come, ops after the
 * others. All other events are told apart by their args:
 *
 * | event | args |
 * | --- | --- |
 * | step of a worker, `"ph":"X"` | step, sample |
 * | op, or chunk of a transfer, "X" | step, op; bytes of a chunk; worker on a server; ns |
 * | parsing of a transfer, "X" | step, op, "parse":1; worker and ns as above |
 * | arrival of a transfer, "i" | step, op, ps; ready: when it could be sent, us |
 * | crash of a worker, "i" | crash: the step that is lost |
 *
 * `ns` is the length of the event where rounding its start and end has changed it.
 */
constexpr const char* TRACE_SCHEMA = "dml-trace/1";

constexpr const char* TRACE_PROFILE = "dml_profile"; //!< metadata event, see TRACE_SCHEMA
constexpr const char* TRACE_DEVICE = "dml_device";   //!< metadata event, see TRACE_SCHEMA
constexpr const char* TRACE_TENSOR = "dml_tensor";   //!< metadata event, see TRACE_SCHEMA
constexpr const char* TRACE_OP = "dml_op";           //!< metadata event, see TRACE_SCHEMA

} // namespace ns3::dml

#endif /* DML_TRACE_SCHEMA_H */
