/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PROFILE_H
#define DML_PROFILE_H

#include "dml-op-graph.h"

#include "ns3/dml-error.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-workload
 * @brief A named array of parameters of the model, and of the gradient that has its size.
 */
struct Tensor
{
    std::string name;  //!< unique within its profile
    uint64_t bytes{0}; //!< size in bytes, the same in both directions; zero is allowed
};

/**
 * @ingroup dml-workload
 * @brief A compute device of a worker (a CPU, a GPU, a GPU stream).
 */
struct Device
{
    std::string name;  //!< unique within its profile
    uint32_t slots{1}; //!< ops that run at the same time, at least 1
};

/**
 * @ingroup dml-workload
 * @brief Gradients that one collective reduced together when the profile was measured.
 *
 * A collective lasts until the slowest worker has come and the bytes have gone round. How long they
 * took to go round is known only where the same collective was recorded on several workers.
 */
struct MeasuredBucket
{
    std::vector<TensorIndex> tensors; //!< at least one, each with a push
    std::vector<double> recorded;     //!< s, in each step that shows it, waiting included; or empty
    std::vector<double> transfer;     //!< s, the same without waiting for other workers; or empty
};

/**
 * @ingroup dml-workload
 * @brief A profile whose parts do not fit together, with the part that is at fault.
 */
class ProfileError : public InputError
{
  public:
    /**
     * @param what what was found and what is accepted
     * @param op index of the op at fault, or NO_INDEX
     * @param tensor index of the tensor at fault, or NO_INDEX
     */
    ProfileError(const std::string& what, OpIndex op, TensorIndex tensor = NO_INDEX)
        : InputError(what),
          op(op),
          tensor(tensor)
    {
    }

    OpIndex op;         //!< op at fault, or NO_INDEX
    TensorIndex tensor; //!< tensor at fault, or NO_INDEX
};

/**
 * @ingroup dml-workload
 * @brief A training job measured on one worker: tensors, op graph, and how long each op took.
 *
 * Plain data, filled by a reader or by a script, then checked by Validate().
 */
struct Profile
{
    std::string model;      //!< name of the neural network
    uint32_t batchSize{1};  //!< samples per step, at least 1
    uint64_t inputBytes{0}; //!< of the samples of a step and their labels; 0 if not known
    /// Of what else is always on the device, of any batch size: buffers, frozen parameters.
    uint64_t residentBytes{0};
    /// Where it comes from: free key-value pairs in the order given, such as framework, CPU, date.
    std::vector<std::pair<std::string, std::string>> source;
    std::vector<Tensor> tensors; //!< in listing order (which placement follows)
    std::vector<Device> devices; //!< compute devices of a worker, at least one
    OpGraph graph;               //!< ops in listing order, and their dependencies
    /// Seconds that each op took: samples[op][step]. One row per op, empty for transfers (whose
    /// duration the network decides); all other rows have the same length, at least 1.
    std::vector<std::vector<double>> samples;
    /// Buckets in which gradients were reduced, in the order of their collectives; empty if the
    /// measurement shows none. Each tensor is in one of them at most.
    std::vector<MeasuredBucket> buckets;

    /// @return number of measured steps, at least 1 (1 if no op has a duration)
    uint32_t GetSampleCount() const;
    /// @return sum of the sizes of all tensors, in bytes
    uint64_t GetTotalBytes() const;

    /// @param listed tensors @return bytes of these
    uint64_t GetBytes(const std::vector<TensorIndex>& listed) const;
    /// @return true if it is known what some op or the input holds on the device
    bool HasMemory() const;

    /**
     * @brief Make it a smaller job of the same shape: the share of transfers in a step stays.
     * @param factor multiplies the bytes of tensors, of the input and of what ops hold, and the
     *        seconds of ops, above 0; a tensor keeps at least one byte
     */
    void Scale(double factor);

    /**
     * @brief Check that the parts fit together.
     *
     * Checked: unique names; every kind with the tensor or device it needs; finite, non-negative
     * seconds; equal sample counts; no sample for a transfer; at most one pull, one push and one
     * update per tensor; no cycle; buckets of tensors with a push, each in one; bytes only of ops
     * that can hold them, and not above MAX_OP_MEMORY.
     * @throws ProfileError naming the op (and the whole cycle, if it is one)
     */
    void Validate() const;
};

} // namespace ns3::dml

#endif /* DML_PROFILE_H */
