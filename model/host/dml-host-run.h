/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HOST_RUN_H
#define DML_HOST_RUN_H

#include "dml-host-grpc-spec.h"
#include "dml-host-messages.h"
#include "dml-host-places.h"

#include "ns3/dml-link-totals.h"
#include "ns3/dml-training-run.h"
#include "ns3/dml-transfer-spec.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3::dml
{

/// What a run of the host engine is to do. What it refers to must outlive the run.
struct HostRunSpec
{
    const std::vector<TrainingRun>& jobs; //!< what to run
    const ClusterNetwork& network;        //!< with their hosts
    const TransferSpec& transfer;         //!< flow control
    const HostGrpcSpec& grpc;             //!< implementation of gRPC, and its settings
    /// Makes the places, in the keeper's process.
    std::function<std::unique_ptr<HostPlaces>()> makePlaces;
    bool connections{false};                //!< report connections, too, which costs some CPU time
    bool gloo{false};                       //!< Gloo does the collectives of all jobs
    std::function<void(double)> progress{}; //!< told the fraction of steps done; may be empty
    /// Asked after each step of the first job: true ends the run; may be empty.
    std::function<bool()> stop{};
    /// First part of the paths of captures, "PREFIX-worker0.pcap" of each endpoint, in folders that
    /// exist; empty: none.
    std::string captures{};
};

/// What a run of the host engine took and met.
struct HostRunTotals
{
    std::vector<LinkTotals> links;  //!< what every link carried, from the start of the run
    std::vector<std::string> notes; //!< what was not as the scenario says
    KernelTcpCounts tcp;            //!< what TCP of all hosts has met
    EndpointSummary processes;      //!< all processes of the run together
    std::map<std::string, double> cpuSeconds; //!< of each endpoint's process, by its host
    double seconds{0};                        //!< from the start of the run to its end
    double otherCpu{0}; //!< cores that everything else on this machine took, mean
};

/**
 * @ingroup dml-host
 * @brief One run of the host engine, on this machine, until the first job has done its steps: a
 * process for every endpoint, and one that keeps the places in which they live. Only computing is
 * replayed, by timers.
 *
 * What is sent when is decided by the applications of the packet engine, so that the engines differ
 * in the network alone: the kernel's TCP between namespaces, and links that tc shapes. Linux only.
 *
 * The keeper is a child of the calling process, the endpoints are children of the keeper; each of
 * them is killed when its parent dies, and with the last of them go the places. As it forks, the
 * calling process has one thread, and has not used gRPC's library, whose epoll set its children
 * would share.
 * @param spec what to do
 * @param observer told of everything
 * @return what it took
 * @throws RunError if a process fails or dies
 */
HostRunTotals RunOnHost(const HostRunSpec& spec, RunObserver& observer);

} // namespace ns3::dml

#endif /* DML_HOST_RUN_H */
