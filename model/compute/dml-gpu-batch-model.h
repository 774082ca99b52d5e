/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GPU_BATCH_MODEL_H
#define DML_GPU_BATCH_MODEL_H

#include "dml-batch-model.h"

namespace ns3::dml
{

/**
 * @ingroup dml-compute
 * @brief How long a GPU computes a step of x samples: max(floor, launch + perSample * x) seconds.
 */
struct GpuStepTime
{
    double launch{0}; //!< seconds per step, whatever its batch: parameters copied, kernels launched
    double perSample{0}; //!< seconds per sample where all of the GPU is busy
    double floor{0};     //!< seconds that a step takes at least, while part of the GPU is idle

    /// @param batch samples, from 0 @return seconds
    double GetSeconds(double batch) const;
    /**
     * @brief From where on more samples take more time.
     * @return samples, possibly no whole number; 0 if any does, infinity if none does
     */
    double GetSaturation() const;
};

/**
 * @ingroup dml-compute
 * @brief A device with overhead for each step, that small batches do not fill.
 *
 * Source: GPUs in LB-BSP (Chen et al., SoCC 2020, section 3.3.1), whose four properties these are:
 * launching overhead, saturation, a curve that is a line above it, and a limit of the memory.
 */
class GpuBatchModel : public BatchModel
{
  public:
    /**
     * @param time of a step; above 0 for a batch of one
     * @param profileSeconds compute seconds per step in the profile, above 0
     * @param largest samples per step that the memory holds at most
     */
    GpuBatchModel(const GpuStepTime& time, double profileSeconds, uint32_t largest = UNLIMITED);

    double GetScale(uint32_t batch) const override;
    uint32_t GetLargestBatch() const override;

  private:
    GpuStepTime m_time;      //!< curve
    double m_profileSeconds; //!< seconds
    uint32_t m_largest;      //!< samples
};

} // namespace ns3::dml

#endif /* DML_GPU_BATCH_MODEL_H */
