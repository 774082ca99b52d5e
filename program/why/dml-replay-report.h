/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_REPLAY_REPORT_H
#define DML_REPLAY_REPORT_H

#include "ns3/dml-job-step.h"

#include <optional>
#include <string>

namespace ns3
{
namespace dml
{

/// How a job is replayed.
struct ReplayOptions
{
    ReplayOrder order{ReplayOrder::READY_TIME}; //!< of ops on a device
    uint32_t steps{20};                         //!< that are replayed, at least 2
    bool daydream{false};                       //!< show MakeDaydreamStep(), too
    std::optional<double> bytesPerSecond;       //!< for that; nothing: the fastest transfer's
};

/**
 * @brief Replay a job and compare with what was measured, worker by worker.
 * @param job one step
 * @param options how
 * @return lines of at most 80 columns
 * @throws InputError if it cannot be replayed, or has no transfer that tells a bandwidth
 */
std::string FormatReplay(const JobStep& job, const ReplayOptions& options);

} // namespace dml
} // namespace ns3

#endif /* DML_REPLAY_REPORT_H */
