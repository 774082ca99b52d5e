/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_AGGREGATION_SWITCHES_H
#define DML_AGGREGATION_SWITCHES_H

#include "dml-cluster-network.h"

#include "ns3/dml-aggregation-tree.h"

#include <cstdint>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-network
 * @brief Choose the switches that add up what a job's workers send.
 *
 * The routes from a root switch to all workers make a tree. Of its switches, those add up to which
 * two or more come: from workers, or from other switches that add up. Others forward only. Without
 * a name, the root is the switch whose furthest worker is nearest, by the metrics of links; of
 * several the one that is nearest to all together, and then the first.
 * @param network with the job's hosts
 * @param job from 0, with two workers or more
 * @param root name of a switch; empty: any
 * @return the tree; the root may be a switch below the one named, where all workers are below that
 * @throws KeyError if there is no such switch, or none at all; its key is to be read below that of
 *         the job
 */
AggregationTree FindAggregationTree(const ClusterNetwork& network,
                                    uint32_t job,
                                    const std::string& root);

} // namespace ns3::dml

#endif /* DML_AGGREGATION_SWITCHES_H */
