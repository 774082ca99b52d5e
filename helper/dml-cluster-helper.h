/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CLUSTER_HELPER_H
#define DML_CLUSTER_HELPER_H

#include "dml-training-job.h"

#include "ns3/application-container.h"
#include "ns3/dml-cluster.h"
#include "ns3/dml-network-spec.h"
#include "ns3/dml-training-run.h"
#include "ns3/node-container.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-helper
 * @brief Builds the network of a scenario in ns-3 for a script: nodes, links, queues, addresses,
 * routes and TCP are those that the packet engine makes of the same NetworkSpec.
 *
 * The nodes are ordinary ones, to which the script may connect its own and on which it may install
 * its own applications. What a scenario says in `network.background` and `faults` is the script's
 * to do, with ns-3's applications and error models.
 */
class ClusterHelper
{
  public:
    /**
     * @brief Create the network of one job.
     * @param network topology, links, queues and TCP
     * @param run the job: it has a host for each worker and server, or those of `colocate`
     * @throws InputError if the network cannot be built, or has background flows or faults
     */
    ClusterHelper(const NetworkSpec& network, const TrainingRun& run);
    ~ClusterHelper();

    ClusterHelper(const ClusterHelper&) = delete;
    ClusterHelper& operator=(const ClusterHelper&) = delete;

    /**
     * @brief Install all endpoints of the job on their hosts, to be started at 0 s.
     *
     * If the script has not called TrainingJob::SetTimeOrigin(), the job begins when the packet
     * engine would let it begin: 100 ms after the start, or later where paths are long or slow.
     * @param job of the run that the network was made for; none of its endpoints is installed
     * @return the applications of the servers, then those of the workers
     * @throws InputError if it is another job, RunError if ns-3's routes are not those that the
     * fair-share engine takes
     */
    ApplicationContainer Install(TrainingJob& job) const;

    /**
     * @brief Use given random streams instead of those that the packet engine uses.
     *
     * Random are how long hosts take to acknowledge, what RED queues drop, who gets the last place
     * in a full queue, and paths that packets choose. Queues and hosts of a network that has none
     * of these use no stream.
     * @param stream number of the first one, from 0; to be called before Simulator::Run()
     * @return how many streams are used
     */
    int64_t AssignStreams(int64_t stream);

    /// @param name of a node, such as "worker0", "ps0" or "leaf0" @return the node
    /// @throws InputError if none has that name
    Ptr<Node> GetNode(const std::string& name) const;

    /// @return the hosts of workers, servers and `extra_hosts`, without switches
    NodeContainer GetHosts() const;

    /// @return the switches
    NodeContainer GetSwitches() const;

    /// @return nodes, devices and routes
    const Cluster& GetCluster() const
    {
        return *m_cluster;
    }

    /// @return what was built
    const NetworkSpec& GetSpec() const
    {
        return m_spec;
    }

  private:
    /// @param switches whether switches are wanted, or hosts @return these
    NodeContainer List(bool switches) const;

    NetworkSpec m_spec;                 //!< the network that was asked for
    std::unique_ptr<Cluster> m_cluster; //!< its nodes, devices and links
};

} // namespace ns3::dml

#endif /* DML_CLUSTER_HELPER_H */
