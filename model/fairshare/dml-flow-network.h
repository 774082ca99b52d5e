/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FLOW_NETWORK_H
#define DML_FLOW_NETWORK_H

#include "ns3/dml-host-names.h"
#include "ns3/dml-run-observer.h"
#include "ns3/dml-step-plan.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::dml
{

/// Index of a flow in FlowNetwork::flows.
using FlowId = uint32_t;

/// Index of a directed link in FlowNetwork::capacities.
using LinkId = uint32_t;

/// Endpoints of one training job, which may have no server, and who sends to whom.
struct JobShape : JobSize
{
    /// On which a worker and its servers send; empty: from each server and to it.
    std::vector<PeerChannel> channels{};
    std::vector<PeerChannel> aggregation{}; //!< on which an aggregator sends
};

/// @param plans that the job has, see ListPlans() @param workers number of workers @return its
/// endpoints, and the channels on which they send, plan after plan, as
/// StepPlan::ListSentChannels() lists them; aggregators do what the first plan says
JobShape MakeJobShape(const std::vector<std::shared_ptr<const StepPlan>>& plans, uint32_t workers);

/**
 * @ingroup dml-fairshare
 * @brief A channel: the unit among which bandwidth is shared.
 */
struct NetworkFlow
{
    std::vector<LinkId> forward; //!< links of its bytes, each once; none: same host, no time
    std::vector<LinkId> reverse; //!< links of its ACKs, each once
    double delay{0};             //!< seconds between the last byte served and arrived, from 0
    double returnDelay{0};       //!< seconds that a message takes the other way, from 0
    double cap{0};               //!< most bytes per second that its source sends; 0: no limit
    double window{1};    //!< bytes that it keeps in flight, > 0; only the ratios of windows matter
                         //!< where roundTrip is 0
    double roundTrip{0}; //!< seconds without queueing, from 0; only FifoSolver looks at it
    uint32_t control{0}; //!< its congestion control, see TcpNetwork::GetVariant()
};

/// A directed link that is reported as a server's.
struct ServerLink
{
    AccessLink access; //!< what it is to the server, which is numbered in its job
    LinkId link;       //!< the link
    uint32_t job{0};   //!< job of the server

    /// @return whether the transfers of a channel of its job cross it
    bool IsOn(const TransferChannel& channel) const
    {
        return access.endpoint == (access.way == AccessLink::Way::OUT ? channel.from : channel.to);
    }
};

/// Delays between a worker and the endpoint that coordinates its job: the first server, or the
/// first worker where there is no server. In seconds, from 0.
struct CoordinatorDelays
{
    double to{0};   //!< from the worker to it
    double from{0}; //!< the other way
};

/**
 * @ingroup dml-fairshare
 * @brief What the sharing rules know of a network: directed links and the routes of all flows.
 *
 * Flows are numbered once and for all: those of training as ListTrainingFlows() lists them, then
 * one per background flow.
 */
struct FlowNetwork
{
    std::vector<double> capacities;        //!< payload bytes per second of each directed link, > 0
    std::vector<TransferChannel> training; //!< of the first flows; numbered on from job to job
    std::vector<NetworkFlow> flows;        //!< training flows, then background flows
    std::vector<ServerLink> serverLinks;   //!< reported; by server, its downlink, then its uplink
    /// By link: bytes that fit into its port, where flows queue in order of arrival and what does
    /// not fit is lost; 0: it is no such port. Empty: none is.
    std::vector<double> dropTail{};
    /// Whether requests and answers take the delays of their channels, as those of the packet
    /// engine do; otherwise only tensors, acknowledgements and agreements take time.
    bool delaysRequests{false};
    std::vector<CoordinatorDelays> coordinators{}; //!< by worker, numbered on from job to job; used
                                                   //!< if delaysRequests
    /// Numbers of the connections that the flows are of, which have the same route then; empty:
    /// each flow is a connection of its own. What a rule knows of the past is a connection's.
    std::vector<FlowId> connections{};

    /// @param link any @return bytes that fit into its port; 0: it is no drop-tail port
    double GetDropTail(LinkId link) const
    {
        return link < dropTail.size() ? dropTail[link] : 0;
    }

    /// @return whether a link starts at such a port @param link which one
    bool IsDropTail(LinkId link) const
    {
        return GetDropTail(link) > 0;
    }
};

/**
 * @brief The order in which training flows are numbered: by job, by worker of the job and then by
 * aggregator, as the job lists its channels: by default by server, what comes from it first.
 * @param jobs all of them
 * @return the channels, whose endpoints are numbered on from job to job
 */
std::vector<TransferChannel> ListTrainingFlows(const std::vector<JobShape>& jobs);

/**
 * @brief One job on a star: every host has its own link to one switch, where an aggregator is.
 * @param job its endpoints and channels
 * @param workerRate rate of each direction of a worker's link, in bytes per second, > 0
 * @param serverRate rate of each direction of a server's link, in bytes per second, > 0
 * @param oneWayDelay seconds between the last byte served and arrived, from 0
 * @return links 2s and 2s + 1 from and to server s, then from and to each worker
 */
FlowNetwork MakeStarFlowNetwork(const JobShape& job,
                                double workerRate,
                                double serverRate,
                                double oneWayDelay = 0);

/**
 * @brief See whether a network makes sense.
 * @param network the network
 * @throws InputError that names the link or flow
 */
void CheckFlowNetwork(const FlowNetwork& network);

/**
 * @brief Split the flows into domains that have no link in common, so that what happens in one does
 * not change rates in another.
 * @param network the network
 * @param acks whether the links that ACKs cross count too
 * @return the domain of each flow, from 0 in order of first appearance
 */
std::vector<uint32_t> FindFlowDomains(const FlowNetwork& network, bool acks);

} // namespace ns3::dml

#endif /* DML_FLOW_NETWORK_H */
