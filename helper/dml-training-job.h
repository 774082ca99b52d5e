/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRAINING_JOB_H
#define DML_TRAINING_JOB_H

#include "ns3/application-container.h"
#include "ns3/dml-step-application.h"
#include "ns3/dml-training-run.h"
#include "ns3/dml-transfer-spec.h"
#include "ns3/node.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3::dml
{

class Cluster;
class JobEndpoints;
class RunObserver;
class TransferJoiner;
class WorkerLauncher;

/**
 * @ingroup dml-helper
 * @brief A training job on nodes of a script's own: what its endpoints do, and where they are.
 *
 * ParameterServerHelper and TrainingWorkerHelper install the endpoints, on nodes that have an
 * internet stack and an IPv4 address. Links, queues, routes, TCP and the Simulator are the
 * script's. Once the last endpoint is installed, each is told where its peers listen.
 *
 * Applications may be started and stopped in any order, by Application::SetStartTime() and
 * SetStopTime(), or TrainingWorker::Leave() and Return():
 * - One that starts later than others is waited for: for a minute they try to reach it. A worker
 *   then begins with its first step.
 * - A worker that is stopped closes its connections; its step is lost. The servers go on without
 *   it: nobody waits for it any more, and it counts as one that has finished. The others of a job
 *   without servers cannot go on, which ends the simulation with an error.
 * - Without a server, workers cannot go on, which ends the simulation with an error, unless all are
 *   done.
 *
 * The job must outlive Simulator::Run(). A connection that fails ends the simulation with an error.
 * A job that has ended keeps its connections open, and sends no more.
 */
class TrainingJob
{
  public:
    /**
     * @param run what to run, as MakeTrainingRun() or PrepareCase() makes it
     * @param transfer flow control
     * @param observer told of steps, transfers, ops, crashes and rejoins; may be null; must outlive
     * Simulator::Run()
     */
    explicit TrainingJob(TrainingRun run,
                         TransferSpec transfer = TransferSpec(),
                         RunObserver* observer = nullptr);
    ~TrainingJob();

    TrainingJob(const TrainingJob&) = delete;
    TrainingJob& operator=(const TrainingJob&) = delete;

    /**
     * @brief Set the beginning of the run. Without, each worker begins when it is connected.
     * @param origin simulated time from which start offsets, crashes and records count; connections
     * that are not made by a worker's first step are an error
     * @throws InputError if an endpoint is installed
     */
    void SetTimeOrigin(Time origin);

    /**
     * @brief Let the endpoints draw from given random streams, of ns-3's global seed and run.
     *
     * Random are which profiled step a step replays, by how much steps are late, and a random
     * order of transfers; a run that has none of these uses no stream. Without this call they are
     * what the run was made with. Random variables of ClusterHelper have its own call.
     * @param stream number of the first one, from 0
     * @return how many streams are used
     * @throws InputError if an endpoint is installed
     */
    int64_t AssignStreams(int64_t stream);

    /// @param done called when every worker has done its last step, or died for good
    void SetFinishedCallback(std::function<void()> done)
    {
        m_done = std::move(done);
    }

    /**
     * @brief Make an endpoint and put it on a node.
     * @param role of the next one of these
     * @param node where it runs
     * @param attributes of the application, set after those of the run
     * @return the application, to be started by the script
     * @throws InputError if there are no more such endpoints, one of the job is on the node, the
     * node has no address or not the one that the attribute Local says, or the run has start
     * offsets or crashes and no time origin
     */
    Ptr<StepApplication> Install(
        Role role,
        Ptr<Node> node,
        const std::map<std::string, Ptr<const AttributeValue>>& attributes);

    /**
     * @brief Make all endpoints and put them on the hosts of a network of dml's, whose sockets,
     * ports and addresses they get. Unless a time origin was set, it is that of the packet
     * engine: when all have had time to connect.
     * @param cluster with a host for each endpoint
     * @param rate of its links, where they have none of their own
     * @return the applications: servers, then workers
     * @throws InputError if an endpoint is installed or the network is of another job, RunError if
     * ns-3's routes are not the network's
     */
    ApplicationContainer Install(const Cluster& cluster, const DataRate& rate);

    /// @return whether every worker has done its last step, or died for good
    bool IsFinished() const
    {
        return m_finished == m_run.workers;
    }

    /// @brief After Simulator::Run() and before Simulator::Destroy(). @throws RunError that says
    /// what went wrong, or what the job waits for if it is not finished
    void Check() const;

    /// An endpoint on its node.
    struct Place
    {
        Endpoint endpoint;                //!< role and index
        Ptr<Node> node;                   //!< where
        InetSocketAddress address;        //!< where it listens
        Ptr<StepApplication> application; //!< application of the endpoint
    };

    /// @return all endpoints that are installed, in the order in which they were
    const std::vector<Place>& GetPlaces() const
    {
        return m_places;
    }

    /// @return what the endpoints do
    const TrainingRun& GetRun() const
    {
        return m_run;
    }

    /// @return how they send
    const TransferSpec& GetTransfer() const
    {
        return m_transfer;
    }

    /// @return the simulated time from which records count; zero: that of the simulation's start
    Time GetTimeOrigin() const
    {
        return m_origin;
    }

  private:
    uint32_t CountPlaces(Role role) const;
    uint32_t CountAll(Role role) const;
    void CheckOrigin() const;
    void Watch(const Ptr<StepApplication>& application, Role role);
    void Connect();
    void AddLauncher();
    void WorkerFinished(uint32_t worker);

    TrainingRun m_run;                          //!< what they do
    TransferSpec m_transfer;                    //!< flow control
    std::unique_ptr<JobEndpoints> m_endpoints;  //!< made of both
    std::unique_ptr<TransferJoiner> m_joiner;   //!< of what the observer is told; may be null
    std::unique_ptr<WorkerLauncher> m_launcher; //!< null: nobody starts workers again
    std::vector<Place> m_places;                //!< in the order in which they were installed
    Time m_origin;                              //!< of the run; zero: none
    uint32_t m_finished{0};                     //!< workers that have done all, or died for good
    std::function<void()> m_done;               //!< may be empty
};

} // namespace ns3::dml

#endif /* DML_TRAINING_JOB_H */
