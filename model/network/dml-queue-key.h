/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_QUEUE_KEY_H
#define DML_QUEUE_KEY_H

#include "dml-cluster-network.h"
#include "dml-network-spec.h"

#include <string>

namespace ns3::dml
{

/**
 * @brief Find the key of a scenario that gives the queue of a port, for errors about it.
 * @param spec the network of the scenario
 * @param network one that was built of it
 * @param port the link in the direction in which the port sends
 * @return path of the key, such as "network.hosts.worker0.queue"; where nothing of the port's own
 * has a queue, "network.queue", or "network.host_queue" of a host
 */
std::string FindQueueKey(const NetworkSpec& spec, const ClusterNetwork& network, DirectedLink port);

} // namespace ns3::dml

#endif /* DML_QUEUE_KEY_H */
