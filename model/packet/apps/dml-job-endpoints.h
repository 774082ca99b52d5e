/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_JOB_ENDPOINTS_H
#define DML_JOB_ENDPOINTS_H

#include "dml-step-application.h"

#include "ns3/dml-elasticity.h"
#include "ns3/dml-training-run.h"
#include "ns3/dml-transfer-spec.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-apps
 * @brief The endpoints of a job as applications, wherever these run.
 */
class JobEndpoints
{
  public:
    /// Says where an endpoint of the job is.
    using FindPeer = std::function<PeerAddress(const Endpoint& peer)>;

    /**
     * @param run what they do; must outlive this
     * @param job number of it; all but the first repeat their steps until they are stopped
     * @param transfer flow control; must outlive this
     */
    JobEndpoints(const TrainingRun& run, uint32_t job, const TransferSpec& transfer);

    /// @param jobs what to run; must outlive the result @param transfer flow control; likewise
    /// @return endpoints by job
    static std::vector<JobEndpoints> MakeAll(const std::vector<TrainingRun>& jobs,
                                             const TransferSpec& transfer);

    /// @return servers, then workers, then aggregators
    std::vector<Endpoint> List() const;
    /// @param endpoint of the job @return with whom it has channels
    std::vector<Endpoint> ListPeers(const Endpoint& endpoint) const;
    /// @return endpoints and each of their peers; pairs with a server once, others twice
    std::vector<std::pair<Endpoint, Endpoint>> ListPairs() const;
    /// @param endpoint of the job @return name of its host
    std::string GetName(const Endpoint& endpoint) const;

    /**
     * @brief Make the application of an endpoint; node, port, sockets and peers are still to be
     * chosen.
     * @param endpoint which one
     * @param origin time from which its records and the offsets of the workers count
     * @param recorder told of what it does
     * @return the application
     */
    Ptr<StepApplication> Make(const Endpoint& endpoint, Time origin, JobRecorder recorder) const;

    /// @brief Tell an application its peers. @param application of an endpoint @param endpoint
    /// which one @param find where its peers are
    void SetPeers(StepApplication& application,
                  const Endpoint& endpoint,
                  const FindPeer& find) const;

  private:
    const TrainingRun& m_run;       //!< what they do
    uint32_t m_job;                 //!< its number
    const TransferSpec& m_transfer; //!< flow control
};

} // namespace ns3::dml

#endif /* DML_JOB_ENDPOINTS_H */
