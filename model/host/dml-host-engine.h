/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HOST_ENGINE_H
#define DML_HOST_ENGINE_H

#include "dml-host-run.h"

#include "ns3/dml-network-spec.h"

#include <functional>
#include <memory>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-host
 * @brief Runs a training run on this machine: a process for each worker and server, a network
 * namespace for each host, the kernel's TCP, and links that tc shapes. Only computing is replayed,
 * by timers.
 *
 * What is sent when is decided by the applications of the packet engine, so that the engines differ
 * in the network alone. Linux only.
 */
class HostEngine
{
  public:
    /**
     * @param jobs what to run, at least one; they share the network
     * @param spec the network's description
     * @param network built from it for jobs of these sizes
     * @param transfer flow control
     * @param grpc who speaks gRPC
     * @param observer told of everything, in order of time; may be null
     */
    HostEngine(std::vector<TrainingRun> jobs,
               const NetworkSpec& spec,
               std::shared_ptr<const ClusterNetwork> network,
               const TransferSpec& transfer,
               const HostGrpcSpec& grpc,
               RunObserver* observer);

    /**
     * @brief Find out whether this machine can run a network, in a process of its own.
     * @param network built from the spec
     * @param spec the network's description
     * @throws KeyError with the key, what was found and what would be accepted
     * @throws RunError if programs are missing, or the system forbids namespaces
     */
    static void Check(const ClusterNetwork& network, const NetworkSpec& spec);

    /// @brief Report connections, too, which costs some CPU time.
    void SampleConnections();

    /// @brief Let Gloo do collectives, in place of the messages of the packet engine.
    void UseGloo();

    /// @param rule asked after each step of the first job, once the observer was told; the run ends
    /// when it says true
    void StopWhen(std::function<bool()> rule);

    /**
     * @brief Run until every worker of the first job has done all its steps, in real time. The
     * calling process must have one thread.
     * @param progress called with the fraction of steps that are done; may be empty
     * @return what it took and met
     * @throws InputError if this machine cannot run such a network
     * @throws RunError if the system forbids namespaces, a link is not what it should be, or a
     * process fails or dies
     */
    HostRunTotals Run(const std::function<void(double)>& progress = {});

  private:
    std::vector<TrainingRun> m_jobs;                 //!< what to run
    NetworkSpec m_spec;                              //!< the network's description
    std::shared_ptr<const ClusterNetwork> m_network; //!< nodes, links and routes
    TransferSpec m_transfer;                         //!< flow control
    HostGrpcSpec m_grpc;                             //!< implementation of gRPC, and its settings
    RunObserver* m_observer;                         //!< may be null
    std::function<bool()> m_stopRule;                //!< may be empty
    bool m_connections{false};                       //!< to be reported
    bool m_gloo{false};                              //!< does collectives
};

} // namespace ns3::dml

#endif /* DML_HOST_ENGINE_H */
