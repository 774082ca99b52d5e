/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CONNECTION_LOSS_H
#define DML_CONNECTION_LOSS_H

#include "dml-link-totals.h"

#include "ns3/dml-cluster-network.h"
#include "ns3/dml-network-spec.h"
#include "ns3/dml-step-application.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/// A connection between two hosts that ended a run.
struct ConnectionLoss
{
    std::string host;                    //!< host that noticed, such as "worker3"
    std::string peer;                    //!< the other one, such as "ps0"
    PeerTrouble kind{PeerTrouble::LOST}; //!< what happened
    double time{0};  //!< when, in seconds from the start of the run; below 0: before it
    double clock{0}; //!< when, in seconds since connections began to be made
};

/**
 * @ingroup dml-packet
 * @brief Say who lost whom, when, on which way, and which fault of the scenario explains it.
 * @param loss what happened
 * @param network on which it happened
 * @param faults of the scenario
 * @param links totals of all links by directed link; may be empty
 * @return text for the user
 */
std::string DescribeConnectionLoss(const ConnectionLoss& loss,
                                   const ClusterNetwork& network,
                                   const std::vector<FaultSpec>& faults,
                                   const std::vector<LinkTotals>& links);

} // namespace ns3::dml

#endif /* DML_CONNECTION_LOSS_H */
