/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SETUP_TIME_H
#define DML_SETUP_TIME_H

#include "ns3/data-rate.h"
#include "ns3/dml-cluster-network.h"
#include "ns3/dml-job-endpoints.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @brief Time that the endpoints of jobs get to connect before the first worker may start.
 * @param network with their hosts
 * @param jobs endpoints by job
 * @param rate most that any link of theirs has
 * @param sockets connections that an endpoint opens to another
 * @return 100 ms, or more where paths are long or slow
 */
Time GetSetupTime(const ClusterNetwork& network,
                  const std::vector<JobEndpoints>& jobs,
                  const DataRate& rate,
                  uint32_t sockets);

} // namespace ns3::dml

#endif /* DML_SETUP_TIME_H */
