/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-run-cost.h"

#include <fstream>
#include <string>

namespace ns3
{
namespace dml
{

namespace
{

/// CPU seconds per data packet of ns-3 (two hops, its ACK included); measured.
constexpr double SECONDS_PER_PACKET = 16e-6;
/// CPU seconds per op or chunk of the fair-share engine with rows written; measured.
constexpr double SECONDS_PER_OP = 0.5e-6;

/// Bytes that a packet in a buffer or queue takes: its payload is virtual.
constexpr double BYTES_PER_PACKET = 300;
/// Bytes that a connection takes besides: measured 180 to 320 kB (W = 64; W = 16, M = 8).
constexpr double BYTES_PER_CONNECTION = 350e3;
/// Bytes that an op takes in an executor.
constexpr double BYTES_PER_OP = 64;
/// Bytes that the bins of a server's link take, and their rows on the way to a file.
constexpr double LINK_METER_BYTES = 60e3;
/// Bytes that the process takes without any worker.
constexpr double BASE_BYTES = 30e6;

} // namespace

RunCost
EstimateCost(const PreparedScenario& prepared, const StudyCase& studyCase)
{
    const Scenario& scenario = prepared.scenario;
    const double steps = static_cast<double>(scenario.job.steps) * studyCase.workers;
    const double ops = prepared.plan->ops.size();
    double bytesPerStep = 0;
    for (const auto& op : prepared.plan->ops)
    {
        bytesPerStep += op.dispatch == Dispatch::SEND ? op.bytes : 0;
    }
    RunCost cost;
    cost.bytes = bytesPerStep * steps;
    // the rows of the op graph's samples, and the bins of the link meter, in parent and child
    const double samples = prepared.plan->seconds.size() * sizeof(double) +
                           LINK_METER_BYTES * scenario.job.parameterServers;
    if (studyCase.engine == EngineKind::FAIR_SHARE)
    {
        cost.cpuSeconds = 0.01 + SECONDS_PER_OP * ops * steps;
        cost.memory = BASE_BYTES + samples + BYTES_PER_OP * ops * studyCase.workers;
        return cost;
    }
    const double segment = prepared.format.segment;
    const double connections = 2.0 * studyCase.workers * scenario.job.parameterServers;
    cost.packets = cost.bytes / segment;
    cost.cpuSeconds = 0.1 + SECONDS_PER_PACKET * cost.packets;
    // a node has a plan of its own, and a server has an executor for each worker
    const double nodes = studyCase.workers + scenario.job.parameterServers;
    const double executors = studyCase.workers * (1.0 + scenario.job.parameterServers);
    cost.memory = BASE_BYTES + nodes * (samples + 2 * BYTES_PER_OP * ops) +
                  executors * BYTES_PER_OP * ops +
                  connections * (BYTES_PER_CONNECTION +
                                 scenario.network.tcp.sendBuffer / segment * BYTES_PER_PACKET);
    return cost;
}

double
GetAvailableMemory()
{
    std::ifstream file("/proc/meminfo");
    std::string key;
    double kilobytes = 0;
    for (std::string unit; file >> key >> kilobytes; std::getline(file, unit))
    {
        if (key == "MemAvailable:")
        {
            return 1024 * kilobytes;
        }
    }
    return 0;
}

} // namespace dml
} // namespace ns3
