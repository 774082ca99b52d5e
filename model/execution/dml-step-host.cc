/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-step-host.h"

namespace ns3::dml
{

bool
StepHost::RunCollective([[maybe_unused]] StepExecutor& executor,
                        [[maybe_unused]] uint32_t collective)
{
    return false;
}

void
StepHost::OfferCollective([[maybe_unused]] StepExecutor& executor,
                          [[maybe_unused]] uint32_t collective)
{
}

void
StepHost::BucketReduced([[maybe_unused]] StepExecutor& executor,
                        [[maybe_unused]] const Bucket& bucket)
{
}

uint64_t
StepHost::GetMessageSize(uint64_t bytes) const
{
    return bytes;
}

void
StepHost::StepCompleted([[maybe_unused]] StepExecutor& executor, [[maybe_unused]] uint32_t step)
{
}

} // namespace ns3::dml
