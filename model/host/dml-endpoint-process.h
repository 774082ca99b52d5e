/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ENDPOINT_PROCESS_H
#define DML_ENDPOINT_PROCESS_H

#include "dml-gloo-library.h"
#include "dml-grpc-library.h"
#include "dml-host-messages.h"

#include "ns3/dml-flow-probe.h"
#include "ns3/dml-job-endpoints.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

class KernelSocket;

/// What an endpoint's process took.
struct EndpointSummary
{
    double cpuSeconds{0};        //!< of user and system
    uint64_t timers{0};          //!< timers that ran
    double lateSeconds{0};       //!< of all timers together
    double latestSeconds{0};     //!< of the latest one
    uint64_t retransmissions{0}; //!< segments that TCP sent again
};

/// What an endpoint's process needs to know.
struct EndpointTask
{
    const JobEndpoints* endpoints{nullptr};             //!< of its job
    uint32_t job{0};                                    //!< number of the job
    Endpoint endpoint;                                  //!< role and index
    std::map<std::string, InetSocketAddress> addresses; //!< of all endpoints, by host
    bool binds{false};                       //!< whether it connects from its own address
    int64_t clock{0};                        //!< of WallClockSimulator, when all processes begin
    Time setup;                              //!< from then to the start of the run
    std::string congestion;                  //!< the kernel's name; empty: the system's default
    std::optional<GrpcLibrarySettings> grpc; //!< of the library; nothing: as the packet engine
    bool connections{false};                 //!< whether to report them
    SharedBoard* gloo{nullptr}; //!< where ranks of Gloo find each other; null: without Gloo
    uint32_t workers{1};        //!< of its job
    uint32_t rank{0};           //!< of it in collectives
    int messages{-1};           //!< pipe to the process that has started the run
    int control{-1};            //!< pipe from there; its end is the end of the run
};

/**
 * @ingroup dml-host
 * @brief A worker or server as a process: the applications of the packet engine on the kernel's
 * TCP, in real time.
 */
class EndpointProcess : private RunObserver
{
  public:
    /// @param task what it does; must outlive this
    explicit EndpointProcess(const EndpointTask& task);

    /// @brief Run until the control pipe ends; what goes wrong is a message.
    void Run();

  private:
    /// A connection with a peer.
    struct PeerSocket
    {
        Ptr<KernelSocket> socket; //!< this end
        uint32_t peer{0};         //!< index of the other one
    };

    void Observe(const RunRecord& record) override;
    void Prepare();
    void Connected(Ptr<Socket> socket, uint32_t peer);
    void SampleConnections();
    void Finished(uint32_t worker);
    void Failed();
    void Beat();
    void SendRecords();
    double GetNow() const;
    EndpointSummary Summarise() const;

    const EndpointTask& m_task;           //!< what it does
    HostMessageWriter m_writer;           //!< to whoever has started it
    Ptr<StepApplication> m_application;   //!< worker or server
    std::vector<StampedRecord> m_records; //!< not sent yet
    std::unique_ptr<FlowProbe> m_flows;   //!< what it receives
    std::vector<PeerSocket> m_sockets;    //!< of the application
};

} // namespace ns3::dml

#endif /* DML_ENDPOINT_PROCESS_H */
