/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PREPARED_SCENARIO_H
#define DML_PREPARED_SCENARIO_H

#include "dml-prepared-job.h"

#include "ns3/dml-cluster-network.h"
#include "ns3/dml-fair-share-network.h"
#include "ns3/dml-goodput.h"
#include "ns3/dml-scenario.h"

#include <map>
#include <memory>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-prepare
 * @brief A scenario with its profiles read and its steps planned: what all its runs share.
 */
struct PreparedScenario
{
    Scenario scenario;             //!< the question
    std::vector<PreparedJob> jobs; //!< the first is studied, the others share the network with it
    uint32_t mtu{1500};            //!< the smallest of all links, so that of every TCP packet
    WireFormat format{};           //!< of a full packet of that MTU
    double goodput{0};             //!< payload rate of a link of network.rate, bytes/s

    /// @return the job that is studied
    const PreparedJob& GetJob() const
    {
        return jobs.front();
    }

    /// @return the largest number of workers of the job that is studied
    uint32_t GetMostWorkers() const;

    /// @param workers number of workers of the first job @return the network of all its runs, built
    /// when it is first asked for, and held as long as networks take little memory
    std::shared_ptr<const ClusterNetwork> GetNetwork(uint32_t workers) const;

    /// @param workers number of workers of the first job @return what the fair-share engine sees of
    /// that network in replication 0, likewise
    std::shared_ptr<const FairShareNetwork> GetFairShareNetwork(uint32_t workers) const;

    /**
     * @param workers number of workers of the first job
     * @param replication number of the replication, from 0
     * @return what the fair-share engine sees of that network
     */
    FairShareNetwork MakeFairShareNetwork(uint32_t workers, uint32_t replication) const;

    /// @param network as GetNetwork() gives it @return endpoints and channels of all jobs
    std::vector<JobShape> ListShapes(const ClusterNetwork& network) const;

    /// @return bytes that the networks take that are held, roughly
    double GetNetworkBytes() const
    {
        return m_networkBytes;
    }

  private:
    /// @return the plans that a job may have on this network
    std::vector<std::shared_ptr<const StepPlan>> ListJobPlans(const ClusterNetwork& cluster,
                                                              uint32_t job) const;

    template <typename Network>
    using ByWorkers = std::map<uint32_t, std::shared_ptr<const Network>>;

    /// @return what is known, or what is made now
    template <typename Network, typename Make>
    std::shared_ptr<const Network> Share(ByWorkers<Network>& known,
                                         uint32_t workers,
                                         const Make& make) const;

    mutable ByWorkers<ClusterNetwork> m_networks;            //!< networks that are held
    mutable ByWorkers<FairShareNetwork> m_fairShareNetworks; //!< of replication 0
    mutable double m_networkBytes{0};                        //!< bytes of both, roughly
};

/**
 * @brief Read the profiles and check everything that can be checked before a run.
 * @param scenario a scenario as ReadScenario() gives it
 * @param packet whether the packet engine will run it too
 * @param profiles those that have been read, for many scenarios with the same one; or null
 * @return the prepared scenario
 * @throws InputError that says where and what
 */
PreparedScenario PrepareScenario(const Scenario& scenario,
                                 bool packet,
                                 ProfileCache* profiles = nullptr);

} // namespace ns3::dml

#endif /* DML_PREPARED_SCENARIO_H */
