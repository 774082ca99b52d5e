/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_JOB_BUILDER_H
#define DML_TORCH_JOB_BUILDER_H

#include "dml-torch-buckets.h"
#include "dml-torch-step-tensors.h"

#include "ns3/dml-import-options.h"
#include "ns3/dml-import-result.h"
#include "ns3/dml-measured-job.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief Makes a profile of the steps of PyTorch traces.
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
class TorchJobBuilder
{
  public:
    /// @param options the user's choices
    explicit TorchJobBuilder(const ImportOptions& options);

    /**
     * @brief Add the steps of a trace.
     * @param trace one file
     * @throws InputError if it has no training step, or sizes of tensors are unknown
     */
    void Add(const TorchTrace& trace);

    /**
     * @brief Make the profile.
     * @return it, with the rules by which it was made
     * @throws InputError if the parts do not fit together, or the batch size is unknown
     */
    ImportResult Finish();

  private:
    /// A step whose names are known and whose ops are not made yet.
    struct Step
    {
        std::string file;                 //!< name of the file
        std::size_t trace;                //!< number of that, from 0
        TorchStep step;                   //!< its parts
        std::vector<TorchTensor> tensors; //!< its tensors
        std::vector<TorchBucket> buckets; //!< in which their gradients were reduced
    };

    /// Note what the parts of the steps hold, if the trace tells.
    void SetMemory(const TorchTrace& trace, std::vector<TorchStep>& steps);
    void SkipSteps(std::vector<TorchStepTime>& times, const std::string& file) const;
    void SetBatchSize(const TorchTrace& trace, const TorchStep& step);
    /// @throws InputError if the user gave sizes of tensors that there are not
    void CheckSizes() const;
    /// @throws InputError if no step of a file has the tensors of most steps, one of which is in
    /// @p file
    void CheckModels(const std::vector<TorchTensor>& reference, const std::string& file) const;
    void RemoveOddSteps();
    /// @return names of parts that took no time in any step and that no tensor needs
    std::set<std::string> FindEmptyParts() const;
    void SortAccumulations(TorchStep& step, std::vector<TorchTensor>& tensors) const;
    void AddRules(const TorchTrace& trace,
                  const TorchStepAnatomy& anatomy,
                  const TorchTensorFinder& finder);
    void AddGpuRules(const TorchStepTimer& timer);
    void WarnOfFirstStep(ImportResult& result) const;
    /// Say so if a replay will be shorter than the steps. @param result of the merger
    void TellOverlap(ImportResult& result) const;

    const ImportOptions& m_options; //!< the user's choices
    MeasuredJob m_job;              //!< under construction
    std::vector<Step> m_steps;      //!< of all files
    std::string m_device;           //!< name
    TorchBucketFinder m_buckets;    //!< finds those of the job
    std::size_t m_traces{0};        //!< added so far
    bool m_memory{false};           //!< some trace tells what parts hold
    ImportResult m_notes;           //!< rules, warnings and so on, without a profile
};

} // namespace ns3::dml

#endif /* DML_TORCH_JOB_BUILDER_H */
