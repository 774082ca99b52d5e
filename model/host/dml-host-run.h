/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HOST_RUN_H
#define DML_HOST_RUN_H

#include "dml-endpoint-process.h"
#include "dml-host-places.h"
#include "dml-shared-board.h"

#include "ns3/dml-cluster-network.h"
#include "ns3/dml-link-totals.h"
#include "ns3/dml-training-run.h"
#include "ns3/dml-transfer-joiner.h"
#include "ns3/dml-transfer-spec.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ns3::dml
{

class RecordMerger;

/// What a run of the host engine took and met.
struct HostRunTotals
{
    std::vector<LinkTotals> links;  //!< what every link carried, from the start of the run
    std::vector<std::string> notes; //!< what was not as the scenario says
    EndpointSummary processes;      //!< all processes of the run together
    std::map<std::string, double> cpuSeconds; //!< of each endpoint's process, by its host
    double seconds{0};                        //!< from the start of the run to its end
    double otherCpu{0}; //!< cores that everything else on this machine took, mean
};

/**
 * @ingroup dml-host
 * @brief One run of the host engine, on this machine: a process for every endpoint, and one that
 * keeps the places in which they live. Only computing is replayed, by timers.
 *
 * What is sent when is decided by the applications of the packet engine, so that the engines differ
 * in the network alone: the kernel's TCP between namespaces, and links that tc shapes. Linux only.
 *
 * The keeper is a child of the calling process, the endpoints are children of the keeper; each of
 * them is killed when its parent dies, and with the last of them go the places.
 */
class HostRun
{
  public:
    /// Makes the places, in the keeper's process.
    using MakePlaces = std::function<std::unique_ptr<HostPlaces>()>;

    /**
     * @param jobs what to run; must outlive this
     * @param network with their hosts; must outlive this
     * @param transfer flow control; must outlive this
     * @param grpc who speaks gRPC; must outlive this
     * @param make makes the places
     * @param observer told of everything; may be null
     */
    HostRun(const std::vector<TrainingRun>& jobs,
            const ClusterNetwork& network,
            const TransferSpec& transfer,
            const HostGrpcSpec& grpc,
            MakePlaces make,
            RunObserver* observer);
    ~HostRun();
    HostRun(const HostRun&) = delete;
    HostRun& operator=(const HostRun&) = delete;

    /// @brief Report connections, too, which costs some CPU time.
    void SampleConnections();

    /// @brief Let Gloo do the collectives of all jobs.
    void UseGloo();

    /// @param rule asked after each step of the first job: true ends the run; may be empty
    void StopWhen(std::function<bool()> rule);

    /**
     * @brief Run until the first job has done its steps. It forks: the calling process has one
     * thread, and has not used gRPC's library, whose epoll set its children would share.
     * @param progress told the fraction of steps that are done; may be empty
     * @return what it took
     * @throws RunError if a process fails or dies
     */
    HostRunTotals Run(const std::function<void(double)>& progress);

  private:
    /// An endpoint, and what comes from its process.
    struct Member
    {
        uint32_t job{0};                           //!< number of its job
        Endpoint endpoint;                         //!< role and index
        int messages{-1};                          //!< what its process says; closed: -1
        int writes{-1};                            //!< the other end, until there is a process
        std::unique_ptr<HostMessageReader> reader; //!< of the messages
        std::string error;                         //!< why it cannot go on
        double failed{0};                          //!< when it said so
    };

    /// Tells the merger's records on, and counts steps.
    class StepCounter;

    /// For how long the processes may be silent.
    using Clock = std::chrono::steady_clock;

    void MakePipes();
    void CloseFile(int& file) const;
    [[noreturn]] void Keep(pid_t parent);
    static std::string DescribeEnd(int status);
    pid_t StartEndpoint(const HostPlaces& places, Member& member, int64_t clock) const;
    EndpointTask MakeTask(const HostPlaces& places, const Member& member, int64_t clock) const;
    bool WaitForEndpoints(std::map<pid_t, const Member*>& processes) const;
    Time GetSetup() const;
    bool Listen(RecordMerger& merger);
    void Read(std::size_t number, RecordMerger& merger);
    void Take(std::size_t number, const HostMessage& message, RecordMerger& merger);
    void TakeCounts(const std::string& body);
    void TakeSummary(const Member& member, const std::string& body);
    void EndSilence(bool waits);
    void Stop();
    void Check() const;
    std::string GetName(const Member& member) const;

    const std::vector<TrainingRun>& m_jobs; //!< what to run
    const ClusterNetwork& m_network;        //!< with their hosts
    const TransferSpec& m_transfer;         //!< flow control
    HostGrpcSpec m_grpc;                    //!< implementation of gRPC, and its settings
    MakePlaces m_make;                      //!< makes the places
    std::vector<JobEndpoints> m_endpoints;  //!< of the jobs
    std::vector<Member> m_members;          //!< all endpoints; the last one is the keeper
    int m_control[2]{-1, -1};               //!< pipe whose end is the end of the run
    pid_t m_keeper{-1};                     //!< its process
    DeafObserver m_nobody;                  //!< stands in for no observer
    TransferJoiner m_joiner;                //!< what records are told to
    std::function<bool()> m_stopRule;       //!< may be empty
    std::function<void(double)> m_progress; //!< may be empty
    bool m_connections{false};              //!< to be reported
    std::vector<std::unique_ptr<SharedBoard>> m_boards; //!< by job, of Gloo; empty: without Gloo
    uint32_t m_finished{0};                             //!< workers of the first job
    bool m_stopping{false};                             //!< the control pipe is closed
    bool m_over{false};                //!< the first job has done its steps, or enough of them
    std::chrono::seconds m_silence{0}; //!< for which the processes may say nothing
    Clock::time_point m_limit;         //!< when they have been silent for too long
    HostRunTotals m_totals;            //!< what it took
};

} // namespace ns3::dml

#endif /* DML_HOST_RUN_H */
