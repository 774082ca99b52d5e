/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BATCH_MODEL_H
#define DML_BATCH_MODEL_H

#include <cstdint>
#include <limits>

namespace ns3::dml
{

/**
 * @ingroup dml-compute
 * @brief How long a class of devices computes a step, by batch size.
 *
 * Source: LB-BSP (Chen et al., SoCC 2020), sections 3.2.1 and 3.3.1.
 */
class BatchModel
{
  public:
    /// No limit to the batch size.
    static constexpr uint32_t UNLIMITED = std::numeric_limits<uint32_t>::max();

    virtual ~BatchModel() = default;

    /// @param batch samples per step, at least 1
    /// @return what multiplies the profile's durations of a worker's compute ops, above 0
    virtual double GetScale(uint32_t batch) const = 0;

    /// @return samples per step that the memory holds at most
    virtual uint32_t GetLargestBatch() const
    {
        return UNLIMITED;
    }
};

} // namespace ns3::dml

#endif /* DML_BATCH_MODEL_H */
