/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CPU_BATCH_MODEL_H
#define DML_CPU_BATCH_MODEL_H

#include "dml-batch-model.h"

namespace ns3::dml
{

/**
 * @ingroup dml-compute
 * @brief A device that computes sample after sample: t(x) = x / v.
 *
 * Source: processors in LB-BSP (Chen et al., SoCC 2020, section 3.2.1).
 */
class CpuBatchModel : public BatchModel
{
  public:
    /**
     * @param batch samples per step that take as long as in the profile, above 0: of a device with
     *        v samples/s, v times the profile's compute seconds per step; of one with a speed
     *        relative to the profile's, that times the profile's batch size
     * @param largest samples per step that the memory holds at most
     */
    explicit CpuBatchModel(double batch, uint32_t largest = UNLIMITED)
        : m_batch(batch),
          m_largest(largest)
    {
    }

    double GetScale(uint32_t batch) const override
    {
        return batch / m_batch;
    }

    uint32_t GetLargestBatch() const override
    {
        return m_largest;
    }

  private:
    double m_batch;     //!< samples
    uint32_t m_largest; //!< samples
};

} // namespace ns3::dml

#endif /* DML_CPU_BATCH_MODEL_H */
