/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-cpu-batch-model.h"

namespace ns3::dml
{

CpuBatchModel::CpuBatchModel(double batch, uint32_t largest)
    : m_batch(batch),
      m_largest(largest)
{
}

double
CpuBatchModel::GetScale(uint32_t batch) const
{
    return batch / m_batch;
}

uint32_t
CpuBatchModel::GetLargestBatch() const
{
    return m_largest;
}

} // namespace ns3::dml
