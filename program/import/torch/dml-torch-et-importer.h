/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_ET_IMPORTER_H
#define DML_TORCH_ET_IMPORTER_H

#include "ns3/dml-import-format.h"
#include "ns3/dml-import-options.h"
#include "ns3/dml-import-result.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief Import a PyTorch Execution Trace together with the Kineto trace of the same run.
 *
 * The Execution Trace (torch.profiler.ExecutionTraceObserver) has the data flow and no times, the
 * Kineto trace (torch.profiler) times and no data flow; ReadTorchEtNode() and TorchEtTimes say what
 * is read of each and how they are joined, TorchEtGraph how the op graph comes about,
 * TorchEtParameterFinder which tensors are parameters, TorchEtStepBuilder what becomes of the ops.
 *
 * A step is an annotation `ProfilerStep#N` of the Kineto trace in which operators of the Execution
 * Trace run; without these it lasts from the end of an `Optimizer.step` to the end of the next one,
 * and without either all of the Execution Trace is one step. A trace in which no
 * gradient is accumulated has no tensors, and all its ops are of kind compute.
 *
 * @param files paths of the two, plain or gzipped, in any order
 * @param options the user's choices; taken are model, batchSize (needed, as neither tells), order
 * (default dataflow), idle, device (name of the CPU, default "cpu"), skip
 * @return the profile and how it was made
 * @throws InputError naming line, column and JSON path if a file is damaged; or naming the file if
 * it is of another kind, or the two do not belong together
 */
ImportResult ImportTorchEt(const std::vector<std::string>& files, const ImportOptions& options);

/// @return the format of Execution Traces
ImportFormat TorchEtFormat();

} // namespace ns3::dml

#endif /* DML_TORCH_ET_IMPORTER_H */
