/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PACKET_SPEED_H
#define DML_PACKET_SPEED_H

#include "ns3/dml-network-spec.h"

namespace ns3::dml
{

/// What a connection that sends for a while costs.
struct FlowSpeed
{
    double seconds{0};  //!< of CPU
    double segments{0}; //!< segments that it sends, over two links
};

/**
 * @brief Measure how fast this machine, with this build of ns-3, simulates a TCP connection.
 *
 * It takes about a tenth of a second, once for networks whose TCP costs the same.
 * @param spec MTU and TCP of the network; else it is a star
 * @return nothing, 0 s, if no process could be made
 */
FlowSpeed MeasureFlowSpeed(const NetworkSpec& spec);

} // namespace ns3::dml

#endif /* DML_PACKET_SPEED_H */
