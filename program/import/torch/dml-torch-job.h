/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_JOB_H
#define DML_TORCH_JOB_H

#include "dml-torch-buckets.h"
#include "dml-torch-run.h"

#include "ns3/dml-import-options.h"
#include "ns3/dml-import-result.h"
#include "ns3/dml-measured-job.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/// A step whose names are known and whose ops are not made yet.
struct TorchJobStep
{
    std::string file;       //!< name of the file
    std::size_t trace;      //!< number of that, from 0
    TorchStep step;         //!< its parts
    uint64_t samples;       //!< its batch size, or 0 if the trace does not tell
    uint64_t rows;          //!< what grows with that: the same, else rows of some op's input, or 0
    TorchStepTensors found; //!< its tensors, and the buckets in which their gradients were reduced
};

/**
 * @ingroup dml-import
 * @brief What becomes a profile of the steps of PyTorch traces.
 *
 * Ops, in listing order: `pull/TENSOR` for every tensor; the parts of the step in the order in
 * which the host ran them, each after the one before it, as the profiler records no flow of data,
 * and a forward op also after the pulls of its tensors; `push/TENSOR` after the part that completes
 * the gradient; `update/TENSOR` after the push. Accumulations that directly follow one another are
 * listed in the order of their tensors, as the engine's own order differs from step to step. Parts
 * of no length in any step are left out unless they are accumulations, read a tensor, or get idle
 * time that is kept: `compute/before-update` gets what is before the first update, which runs on
 * another machine than the worker, and `compute/after-update` what is at the end of a step.
 *
 * A tensor whose reader is unknown is needed by the first forward op. Where the allocator was
 * recorded, too, an autograd node's part also waits for the forward op whose activations it needs.
 */
struct TorchJob
{
    MeasuredJob measured;            //!< under construction
    std::vector<TorchJobStep> steps; //!< of all files
    std::string device;              //!< name
    TorchBucketFinder buckets;       //!< finds those of the job
    std::size_t traces{0};           //!< added so far
    bool isBatchTold{false};         //!< the last file tells its batch size
    bool memory{false};              //!< some trace tells what parts hold
    ImportResult notes;              //!< rules, warnings and so on, without a profile
};

/**
 * @brief Add the steps of a trace to a job.
 * @param trace one file
 * @param options the user's choices
 * @param job gets its steps
 * @throws InputError if it has no training step, or sizes of tensors are unknown
 */
void AddTorchTrace(const TorchTrace& trace, const ImportOptions& options, TorchJob& job);

/**
 * @brief Make the profile of a job.
 * @param job with all traces
 * @param options the user's choices
 * @return the profile, with the rules by which it was made
 * @throws InputError if the parts do not fit together, or the batch size is unknown
 */
ImportResult FinishTorchJob(TorchJob& job, const ImportOptions& options);

} // namespace ns3::dml

#endif /* DML_TORCH_JOB_H */
