/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-gpu-batch-model.h"

#include <algorithm>
#include <limits>

namespace ns3::dml
{

double
GpuStepTime::GetSeconds(double batch) const
{
    return std::max(floor, launch + perSample * batch);
}

double
GpuStepTime::GetSaturation() const
{
    if (perSample == 0)
    {
        return std::numeric_limits<double>::infinity();
    }
    return std::max(0.0, (floor - launch) / perSample);
}

GpuBatchModel::GpuBatchModel(const GpuStepTime& time, double profileSeconds, uint32_t largest)
    : m_time(time),
      m_profileSeconds(profileSeconds),
      m_largest(largest)
{
}

double
GpuBatchModel::GetScale(uint32_t batch) const
{
    return m_time.GetSeconds(batch) / m_profileSeconds;
}

uint32_t
GpuBatchModel::GetLargestBatch() const
{
    return m_largest;
}

} // namespace ns3::dml
