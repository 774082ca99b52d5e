/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CONGESTION_CONTROLS_H
#define DML_CONGESTION_CONTROLS_H

#include "ns3/dml-congestion-choice.h"
#include "ns3/dml-plugin-kind.h"
#include "ns3/dml-training-run.h"
#include "ns3/nstime.h"

#include <vector>

namespace ns3::dml
{

/// @return the congestion controls of TCP, which are ns-3's TcpCongestionOps
const PluginKind& CongestionControls();

/// @param control a name or TypeId of CongestionControls() @return whether it is ns-3's DCTCP (RFC
/// 8257) or derives from it, which needs queues that mark
bool IsDctcp(const PluginSpec& control);

/// @param control a name or TypeId of CongestionControls() @return whether it is ns-3's BBR or
/// derives from it
bool IsBbr(const PluginSpec& control);

/**
 * @brief How long a receiver may wait with an ACK unless the scenario says so.
 * @param control a name or TypeId of CongestionControls()
 * @return 40 ms as in Linux, except for BBR: that of ns-3.37 takes the delayed ACKs of small
 * messages for a slow path, and never sends fast again
 */
Time DefaultDelayedAckTimeout(const PluginSpec& control);

/// @param spec the network @param jobs that run on it @return which congestion control each
/// connection has
CongestionChoice ChooseCongestion(const NetworkSpec& spec, const std::vector<TrainingRun>& jobs);

} // namespace ns3::dml

#endif /* DML_CONGESTION_CONTROLS_H */
