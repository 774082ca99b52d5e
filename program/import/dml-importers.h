/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_IMPORTERS_H
#define DML_IMPORTERS_H

#include "ns3/dml-import-format.h"
#include "ns3/dml-import-options.h"
#include "ns3/dml-import-result.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief Import PyTorch layer profiles (JSON, schema "torch-layer-profile/1") of one model; the
 * steps of all files are sampled steps.
 *
 * A file lists the layers of a model in forward order, each with the layers it reads (`deps`),
 * forward and backward microseconds per measured step (`fwd_us`, `bwd_us`, `bwd_end_us`), and per
 * parameter tensor its bytes, when its gradient was complete (`grad_ready_us`), how long completing
 * it took (`accum_us`) and how long the optimizer took to apply it (`update_us`). Ends are counted
 * from the start of the backward pass. MakeLayerProfile() says which ops become of it.
 * `Profile::source` tells where and how the measurement was made.
 *
 * Measured steps are those in which the layers were measured, instruments included, by CPU time
 * where it was taken (`hooked_cpu`), else the sum of `hooked_fwd`, `hooked_bwd` and `hooked_upd`.
 * @param files paths, plain or gzipped, at least one
 * @param options the user's choices; taken are model, batchSize, order (default dataflow), device
 * (default "cpu"), skip
 * @return the profile, valid, and how it was made
 * @throws InputError naming file, line, column and JSON path if a file cannot be read, is not JSON,
 * is incomplete, or its parts do not fit together, or if the files differ in model, batch size or
 * layers
 */
ImportResult ImportTorchLayers(const std::vector<std::string>& files, const ImportOptions& options);

/// @return the format of PyTorch layer profiles
ImportFormat TorchLayersFormat();

/**
 * @ingroup dml-import
 * @brief Import traces of PyTorch's profiler (torch.profiler.export_chrome_trace), of any version
 * since 1.8, from a CPU or a GPU.
 *
 * Takes the options model, batchSize, idle, device, sizes and skip. DissectTorchStep(),
 * TimeTorchSteps(), FindTorchParameters(), FindTorchTensors() and TorchJob say what becomes of a
 * trace, and ImportResult::rules how often each rule was used.
 *
 * The optimizer's step becomes updates on the parameter server. One worker there finishes earlier
 * than the recorded step, as updates overlap with back-propagation.
 *
 * @param files traces of one job, plain or gzipped, at least one
 * @param options the user's choices
 * @return the profile
 * @throws InputError naming file and place if a file is damaged or no such trace, tells no
 * gradients, or does not tell sizes of tensors or the batch size and the options do not either
 */
ImportResult ImportKineto(const std::vector<std::string>& files, const ImportOptions& options);

/**
 * @ingroup dml-import
 * @brief Import traces of PyTorch's profiler from before Kineto (torch.autograd.profiler's
 * export_chrome_trace), a bare list of events.
 *
 * They have neither shapes nor sequence numbers: sizes of all tensors are to be given by hand, by
 * the names that ImportKineto() would give them.
 *
 * @param files traces of one job, plain or gzipped, at least one
 * @param options the user's choices, as of ImportKineto()
 * @return the profile
 * @throws InputError as ImportKineto()
 */
ImportResult ImportTorchLegacy(const std::vector<std::string>& files, const ImportOptions& options);

/// @return the format of traces of Kineto
ImportFormat KinetoFormat();

/// @return the format of traces from before Kineto
ImportFormat TorchLegacyFormat();

/**
 * @ingroup dml-import
 * @brief Import a PyTorch Execution Trace together with the Kineto trace of the same run.
 *
 * The Execution Trace (torch.profiler.ExecutionTraceObserver) has the data flow and no times, the
 * Kineto trace (torch.profiler) times and no data flow; ReadTorchEtNode() and TorchEtTimes say what
 * is read of each, JoinTorchEtNodes() how they are joined, MakeTorchEtGraph() how the op graph
 * comes about, FindTorchEtParameters() which tensors are parameters, BuildTorchEtSteps() what
 * becomes of the ops.
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

/**
 * @ingroup dml-import
 * @brief Import steps of TensorFlow 1 from RunMetadata files, binary or text.
 *
 * Each file is one session.run with trace_level FULL_TRACE, hence one step. TfStepBuilder says
 * which ops become of it. Fields as in step_stats.proto of TensorFlow.
 *
 * @param files at least one, plain or gzipped, of one job
 * @param options model, batch size (which no such file tells), order, idle, worker; sizes and rate
 * for a RecvTensor whose size was not recorded
 * @return the profile, valid; steps; transfers, all times on the worker's clock as far as it can be
 * told (AlignTfTransfers())
 * @throws InputError naming file and place if a file is damaged, incomplete or of another type; if
 * the worker to import is not in it; or if MergeSteps() refuses the steps
 */
ImportResult ImportRunMetadata(const std::vector<std::string>& files, const ImportOptions& options);

/**
 * @ingroup dml-import
 * @brief Import steps of TensorFlow 1 from timelines (Chrome trace JSON of timeline.py).
 *
 * A timeline tells neither tensor nor size of a RecvTensor: MatchTfReceives() finds the tensors,
 * and sizes are the user's (options.sizes) or estimated from options.rate.
 *
 * @param files as above
 * @param options as above
 * @return as above
 * @throws InputError as above, or if a tensor's size is unknown
 */
ImportResult ImportTfTimeline(const std::vector<std::string>& files, const ImportOptions& options);

/// @return the format of RunMetadata
ImportFormat RunMetadataFormat();

/// @return the format of timelines
ImportFormat TfTimelineFormat();

/**
 * @ingroup dml-import
 * @brief Import layer graphs of PipeDream's profiler (graph.txt; Narayanan et al., SOSP 2019).
 *
 * ReadPipedreamGraph() says what such a file holds, MakeLayerProfile() which ops become of it.
 * What the file does not say is inferred: layers run forward in topological order and backward in
 * the opposite one, without gaps; a layer's parameters (PipeDream sums its weight and bias) are one
 * tensor, whose gradient is complete when the layer's backward is; updates take no time. The
 * `Input` node, whose time is that of loading data, is left out. The batch size is that of the
 * first `Linear(out_features=N)` whose activation is a whole number of N floats of 4 bytes, and the
 * model is the file's name up to its first dot, or its folder if that is `graph`.
 *
 * Each file becomes one sampled step.
 * @param files paths, plain or gzipped, at least one, all of one model
 * @param options the user's choices; taken are model, batchSize, order, device (default "gpu")
 * @return the profile and how it was made; a file has no measured step
 * @throws InputError as ReadPipedreamGraph(), or if files differ in their layers, no layer is left,
 * or the batch size is unknown
 */
ImportResult ImportPipedream(const std::vector<std::string>& files, const ImportOptions& options);

/// @return the format of layer graphs of PipeDream
ImportFormat PipedreamFormat();

/**
 * @ingroup dml-import
 * @brief Give a profile the buckets that a timeline of Horovod shows.
 *
 * A timeline knows tensors and collectives but no computation, so ImportOptions::profile names a
 * profile of the same job, whose buckets are replaced. A step ends when a tensor is reduced anew.
 * As Horovod fuses what happens to be ready, buckets may differ from step to step: those of most
 * steps are taken.
 *
 * A tensor of the timeline is that of the profile with its name, with or without what is before a
 * dot or a slash; or, of those left over, that of its size, if there are as many of that size in
 * both: then in the order in which their gradients come.
 *
 * @param files timelines, of which only one is accepted
 * @param options the user's choices, with a profile
 * @return the profile with buckets
 * @throws InputError naming the file if it is no such timeline, or the tensor that fits none
 */
ImportResult ImportHorovod(const std::vector<std::string>& files, const ImportOptions& options);

/// @return the format of timelines of Horovod
ImportFormat HorovodFormat();

/**
 * @ingroup dml-import
 * @brief Import trace.json as a run of this program wrote it (TRACE_SCHEMA).
 *
 * The profile is the one that ran: its model, batch size, source, tensors, devices, ops in listing
 * order and dependencies are in the file. Durations are those of the events: on the device that the
 * worker had, in ns. Each complete step of one worker gives the sample of the number that it
 * replayed, in the order of these numbers; of several steps with one number the first counts. A
 * file whose end is missing gives the steps that it has.
 *
 * ImportResult::transfers has all transfers of all complete steps of that worker, numbered in the
 * order in which they ended. `start` is when the sender could begin, `end` when the receiver had
 * parsed it; machines are called "worker0" and "ps0".
 *
 * @param files traces of the same job
 * @param options model and batch size; `worker`: its number, in the first run of a file (default
 * 0), or a process of it by name, such as "packet worker 1"
 * @return the profile
 * @throws InputError naming file, line, column and JSON path if a file is no such trace, has no
 * such worker, or no complete step of it
 */
ImportResult ImportDmlTrace(const std::vector<std::string>& files, const ImportOptions& options);

/// @return the format of traces that dml writes
ImportFormat DmlTraceFormat();

} // namespace ns3::dml

#endif /* DML_IMPORTERS_H */
