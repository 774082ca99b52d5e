/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_TRACE_READER_H
#define DML_TORCH_TRACE_READER_H

#include "dml-torch-trace.h"

#include <iosfwd>
#include <string>

namespace ns3::dml
{

class TraceInput;

/**
 * @ingroup dml-import
 * @brief Read a Chrome trace that PyTorch's profiler wrote, plain or gzipped.
 *
 * Reads three generations of Kineto's traces (PyTorch 1.8-1.10: category `Operator`; 1.11-2.2:
 * `cpu_op`; 2.3 and later: times with decimals), told apart event by event, and the bare list of
 * the profiler before Kineto. Kept are complete events ("ph": "X") of operators and annotations,
 * what ran on GPUs, and what launched it; Python frames, flows and counters are dropped as they are
 * read, so memory grows with the number of ops only.
 *
 * @param input the file
 * @return its content, nested
 * @throws InputError naming line, column and JSON path if it is no such trace, is damaged, or an
 * event has a negative length, one above 1e6 s, or a time beyond 4e15 us
 */
TorchTrace ReadTorchTrace(TraceInput& input);

} // namespace ns3::dml

#endif /* DML_TORCH_TRACE_READER_H */
