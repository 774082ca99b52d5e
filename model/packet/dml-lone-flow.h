/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LONE_FLOW_H
#define DML_LONE_FLOW_H

#include "ns3/dml-network-spec.h"

#include <cstdint>

namespace ns3::dml
{

/**
 * @ingroup dml-packet
 * @brief Simulate one TCP connection that sends over a star of two links and queues without limit,
 * to see what that costs. The simulator is not destroyed: have a process for it.
 * @param tcp of both hosts
 * @param mtu of both links, bytes
 * @param bytes that are sent
 */
void SimulateLoneFlow(const TcpSpec& tcp, uint32_t mtu, uint64_t bytes);

} // namespace ns3::dml

#endif /* DML_LONE_FLOW_H */
