/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-training-run.h"

namespace ns3
{
namespace dml
{

Ptr<SyncPolicy>
MakeSyncPolicy(const TrainingRun& run)
{
    return run.sync.IsTypeIdSet() ? run.sync.Create<SyncPolicy>() : nullptr;
}

double
GetComputeScale(const WorkerCompute& compute, uint32_t profiled, uint32_t batch)
{
    const uint32_t samples = batch > 0 ? batch : profiled;
    return compute.model ? compute.model->GetScale(samples)
                         : static_cast<double>(samples) / profiled;
}

} // namespace dml
} // namespace ns3
