/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_GPU_TIMES_H
#define DML_TORCH_GPU_TIMES_H

#include "dml-torch-run.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/// Which device does a job's computation.
enum class TorchComputing : uint8_t
{
    CPU, //!< times are those of ops on the host
    GPU, //!< times are those of kernels
};

/**
 * @brief Tell which device computes: the GPU, if at least a quarter of the autograd nodes launched
 * something on one.
 *
 * @param trace nested
 * @return the device
 * @throws InputError if the GPU computes and the trace has none of its kernels, as those of the
 * profiler before Kineto
 */
TorchComputing FindTorchComputing(const TorchTrace& trace);

/**
 * @brief Find for each step when the GPU worked for it.
 *
 * @param run with the GPU's number
 * @param times of all steps on the host; get start and end on the GPU
 * @return of each step: whether (nearly) all kernels that it launched are in the trace
 */
std::vector<bool> FindTorchGpuTimes(const TorchRun& run, std::vector<TorchStepTime>& times);

} // namespace ns3::dml

#endif /* DML_TORCH_GPU_TIMES_H */
