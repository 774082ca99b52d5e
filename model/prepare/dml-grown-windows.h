/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GROWN_WINDOWS_H
#define DML_GROWN_WINDOWS_H

#include "ns3/dml-channel-label.h"
#include "ns3/dml-scenario.h"
#include "ns3/dml-training-run.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-prepare
 * @brief What gRPC's window of a connection has grown to, in bytes, 4 to 32 MiB.
 *
 * gRPC raises it while PINGs find a higher bandwidth than all before, which noise decides: one
 * connection stays at 4 MiB, another one goes on. This is the distribution over the connections of
 * real runs (doc/fidelity.rst, Windows; parameters and gradients differ), linear between its
 * measured quantiles in the logarithm.
 *
 * @param direction of the data, from a server or to it
 * @param part of all connections whose window is smaller, 0 to 1
 */
uint64_t GetGrownWindow(Direction direction, double part);

/**
 * @brief Draw what the windows of a run grow to, where gRPC's do (`grant: bdp`) and hosts are those
 * of Linux; other runs stay as they are. Fair-share has them so from the start; packets begin at
 * 4 MiB and measure (BdpEstimator).
 * @param scenario the scenario
 * @param replication number of the replication, from 0
 * @param[in,out] runs of all jobs
 */
void DrawGrownWindows(const Scenario& scenario,
                      uint32_t replication,
                      std::vector<TrainingRun>& runs);

} // namespace ns3::dml

#endif /* DML_GROWN_WINDOWS_H */
