/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SHARED_ROOM_H
#define DML_SHARED_ROOM_H

#include "ns3/dml-cluster-network.h"
#include "ns3/dml-flow-network.h"

namespace ns3::dml
{

/**
 * @ingroup dml-prepare
 * @brief Say how many bytes fit into ports that share the memory of a switch, for rules that know
 * ports of a fixed size.
 *
 * That is what a port holds while it and others are full (GetSteadyLimit()): itself, and those
 * other ports of its switch at which some connection would have its bottleneck if all sent at once
 * (MaxMinSolver). What a port may hold more while those are not full is left out.
 *
 * @param cluster whose ports
 * @param links with all flows; gets FlowNetwork::dropTail of these ports
 * @throws KeyError if packets are spread over links of such ports
 */
void SetSharedRoom(const ClusterNetwork& cluster, FlowNetwork& links);

} // namespace ns3::dml

#endif /* DML_SHARED_ROOM_H */
