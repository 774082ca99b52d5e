/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_STEP_TENSORS_H
#define DML_TORCH_STEP_TENSORS_H

#include "dml-torch-parameters.h"
#include "dml-torch-step-timer.h"

#include "ns3/dml-import-options.h"
#include "ns3/dml-profile.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/// A tensor that is pulled, pushed and updated, as one step shows it.
struct TorchTensor
{
    Tensor tensor;                 //!< name and size
    std::vector<uint32_t> readers; //!< parts that read it; empty if unknown
    uint32_t ready{0};             //!< part that completes its gradient
    int64_t pushStart{0};          //!< ns, start of the collective that moved it, or of its push
    int64_t pushLength{0};         //!< ns, of that collective with its waiting, or 0
    int64_t update{0};             //!< ns, its share of the optimizer's step
    uint32_t bucket{0};            //!< collective that moved it, from 0, or NONE
};

/// A collective that reduced gradients in one step.
struct TorchBucket
{
    uint64_t bytes{0};  //!< of its message, or 0 if the trace does not tell
    int64_t request{0}; //!< ns, when it was asked for, or began to run if the trace does not tell
    uint32_t part{0};   //!< accumulation during which it was asked for, or the last one before
    int64_t start{0};   //!< ns, when it began to run
    int64_t length{0};  //!< ns, how long it ran, waiting for other workers included; 0 if unknown
};

/// What one step moves.
struct TorchStepTensors
{
    std::vector<TorchTensor> tensors; //!< in listing order
    std::vector<TorchBucket> buckets; //!< in the order in which they were asked for
};

/// How the tensors of a trace were found, summed over steps.
struct TorchTensorCounts
{
    uint64_t tensors{0};       //!< all
    uint64_t byHand{0};        //!< with a size that the user gave
    uint64_t buckets{0};       //!< tensors that are buckets of collectives, as sizes are unknown
    uint64_t bucketGrads{0};   //!< gradients in these
    uint64_t updatesByOp{0};   //!< tensors whose update is known from ops of their shape
    uint64_t messages{0};      //!< collectives with known sizes
    uint64_t messageBytes{0};  //!< their bytes
    uint64_t gradientBytes{0}; //!< bytes of the gradients in steps with such collectives
};

/**
 * @ingroup dml-import
 * @brief Makes the tensors of a step of its parameters.
 *
 * A tensor is a parameter. If sizes of parameters are unknown, but gradients were reduced in
 * buckets of known sizes (DistributedDataParallel), a tensor is a bucket: `bucket_1` has the
 * gradients that were complete when the first all-reduce started, and so on. It is complete with
 * the last of them, and each op that reads one of its parameters needs it.
 *
 * The optimizer's step is shared out over the tensors: if its ops can be told apart by the shape of
 * their first input, and each shape has the same number of ops for each tensor, a tensor gets the
 * time of its ops and of what the optimizer did before them; else in proportion to bytes.
 */
class TorchTensorFinder
{
  public:
    /**
     * @param trace a trace, nested
     * @param anatomy which has taken all its steps apart
     * @param timer which has timed them
     * @param options sizes by hand
     */
    TorchTensorFinder(const TorchTrace& trace,
                      const TorchStepAnatomy& anatomy,
                      const TorchStepTimer& timer,
                      const ImportOptions& options);

    /**
     * @param step one step; @param index its index
     * @return its tensors and buckets
     * @throws InputError naming the tensors whose sizes nothing tells
     */
    TorchStepTensors Find(const TorchStep& step, std::size_t index);

    /// @return counts so far
    const TorchTensorCounts& GetCounts() const
    {
        return m_counts;
    }

    /// @return counts so far
    const TorchSizeCounts& GetSizeCounts() const
    {
        return m_parameters.GetCounts();
    }

  private:
    std::vector<TorchBucket> FindBuckets(const TorchStep& step, std::size_t index) const;
    /// @return the accumulation during which @p message was asked for, else, if the trace does not
    /// tell when that was, the last one before it; NONE if it is not about gradients
    uint32_t FindPart(const TorchStep& step, const TorchMessage& message) const;
    /// @return index of the bucket of a gradient that part @p accumulate completes
    uint32_t GetBucket(const std::vector<TorchBucket>& buckets,
                       const TorchStep& step,
                       uint32_t accumulate) const;
    [[noreturn]] void FailSizes(const std::vector<TorchParameter>& parameters,
                                const TorchStep& step) const;
    void SetUpdates(std::vector<TorchTensor>& tensors,
                    const std::vector<TorchParameter>& parameters,
                    const TorchStep& step);
    /// @return true if all updates could be told apart
    bool SetUpdatesByOp(std::vector<TorchTensor>& tensors,
                        const std::vector<TorchParameter>& parameters,
                        const TorchPart& update);

    const TorchTrace& m_trace;         //!< the trace
    const TorchStepAnatomy& m_anatomy; //!< what belongs together
    const TorchStepTimer& m_timer;     //!< when it ran
    const ImportOptions& m_options;    //!< sizes by hand
    TorchParameterFinder m_parameters; //!< finds parameters
    TorchTensorCounts m_counts;        //!< so far
};

} // namespace ns3::dml

#endif /* DML_TORCH_STEP_TENSORS_H */
