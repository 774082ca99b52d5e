/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STEP_APPLICATION_H
#define DML_STEP_APPLICATION_H

#include "ns3/application.h"
#include "ns3/attribute.h"
#include "ns3/dml-address-plan.h"
#include "ns3/dml-collective-service.h"
#include "ns3/dml-grpc-messages.h"
#include "ns3/dml-model-clock.h"
#include "ns3/dml-step-executor.h"
#include "ns3/dml-transport.h"
#include "ns3/inet-socket-address.h"
#include "ns3/object-factory.h"
#include "ns3/traced-callback.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// How a connection can fail.
enum class PeerTrouble : uint8_t
{
    UNREACHED, //!< it was never established
    LATE,      //!< it was established after the first step should have started
    LOST,      //!< it was established, and lost
};

/// An endpoint that an application works with.
struct PeerAddress
{
    Endpoint endpoint;         //!< role and index
    InetSocketAddress address; //!< where it listens
    /// From where it connects, besides: the other addresses of its node.
    std::vector<Ipv4Address> sources{};
    ClientPorts ports{};    //!< from which connections to it are opened
    ClientPorts itsPorts{}; //!< from which it opens its own, by which peers on one host differ
    /// Network card over which connections to it are opened; null: that of the route.
    Ptr<NetDevice> device{};
};

/// A peer that an application could not go on without.
struct LostPeer
{
    uint32_t peer{0};                       //!< index
    PeerTrouble trouble{PeerTrouble::LOST}; //!< what happened
    double time{0};                         //!< when, as StepApplication::GetNow()
    double clock{0};                        //!< when, seconds since connections began to be made
};

/**
 * @ingroup dml-apps
 * @brief What a parameter server and a worker have in common: peers, connections, tensors.
 *
 * With each peer a node has a conversation, which its Transport (attribute Transport) puts into
 * bytes: on the connections that it opened it asks for tensors, on those that the peer opened it
 * answers. Which tensor goes next, and how much of it, is the transfer policy's decision, one
 * policy object per peer. All that nodes know of each other comes in messages.
 *
 * An application that is stopped (Application::SetStopTime()) is a process that ends: it closes its
 * connections and sends no more. What the others do then is theirs to say.
 */
class StepApplication : public Application, protected StepHost
{
  public:
    /// Port on which an application listens unless told otherwise (attribute Port).
    static constexpr uint16_t PORT = AddressPlan::FIRST_PORT;

    /// @return the object TypeId
    static TypeId GetTypeId();
    StepApplication();
    ~StepApplication() override;

    /**
     * @brief TracedCallback signature of the trace source Connection.
     * @param socket this node's end
     * @param peer index of the other end
     */
    typedef void (*ConnectionCallback)(Ptr<Socket> socket, uint32_t peer);

    /**
     * @brief TracedCallback signature of the trace sources Turn and Chunk.
     * @param record of a transfer's turn at the sender, or of a compute op; it counts times from
     * the attribute TimeOrigin
     */
    typedef void (*ChunkCallback)(const ChunkRecord& record);

    /**
     * @brief TracedCallback signature of the trace sources Sent and Received.
     * @param record of a transfer, likewise: in Sent, `lastByte` is when TCP took it; in Received,
     * `ready` and `firstByte` are not known
     */
    typedef void (*TransferCallback)(const TransferRecord& record);

    /**
     * @brief Set the step that is run.
     * @param whole plan of the whole step; the application takes its own part
     * @param workers number of workers of the job
     */
    void SetPlan(std::shared_ptr<const StepPlan> whole, uint32_t workers);

    /**
     * @brief Set with whom the application works.
     * @param peers those with which its plan has channels or it talks about batch sizes or
     * gradients, servers before workers, each by index; no two on the same host
     */
    void SetPeers(std::vector<PeerAddress> peers);

    /// @param windows bytes of a tensor that this node lets each peer send ahead, where the
    /// transport has such windows: by peer, then by step, the last one staying; empty: as the
    /// transport's attributes say everywhere
    void SetPeerWindows(std::vector<std::vector<uint64_t>> windows)
    {
        m_peerWindows = std::move(windows);
    }

    /// @param speed of all compute resources of this node, before it starts; null: always 1
    void SetDeviceSpeed(std::shared_ptr<const DeviceSpeed> speed)
    {
        m_speed = std::move(speed);
    }

    /// @param slots of each device of a worker, before it starts; 0: as the plan says
    void SetDeviceSlots(uint32_t slots)
    {
        m_slots = slots;
    }

    /// @param recorder told of chunks and transfers at this node
    void SetRecorder(JobRecorder recorder)
    {
        m_recorder = recorder;
    }

    /// @param service that does collectives in place of this node's messages, before it starts
    void SetCollectiveService(std::shared_ptr<CollectiveService> service)
    {
        m_collectives = std::move(service);
    }

    /// @param failed called when something went wrong, instead of ending the simulation; the
    /// application stops
    void SetFailureHandler(std::function<void()> failed)
    {
        m_failed = std::move(failed);
    }

    /// @param socket of the trace source Connection @return whether a peer has opened the
    /// connection, on which this node then sends tensors
    bool HasAccepted(const Socket& socket) const;

    /// @param peer index @return Transport::GetStreamWindow() of the conversation with it; 0: there
    /// is none now
    uint64_t GetStreamWindow(uint32_t peer) const;

    /// @param peer index @return the conversation with it; null: there is none now
    Transport* FindTransport(uint32_t peer) const;

    /// @return one line for each op that has not completed, for a stall report
    virtual std::vector<std::string> GetBlockedOps() const;

    /// @return seconds since the time origin (attribute TimeOrigin)
    double GetNow() const override;
    int64_t GetInstant() const override;

    /// @return what went wrong on a connection, or empty
    const std::string& GetError() const
    {
        return m_error;
    }

    /// @return the peer that GetError() is about, if it is about one
    const std::optional<LostPeer>& GetLostPeer() const
    {
        return m_lostPeer;
    }

  protected:
    void DoDispose() override;
    void StartApplication() override;
    void StopApplication() override;

    /// @return which endpoint this is
    virtual Endpoint GetEndpoint() const = 0;
    /// @param peer index @return the executor that works with it
    virtual StepExecutor& GetExecutorOf(uint32_t peer) = 0;
    /// @param number of an executor, as in ComputeTask::owner @return the executor
    virtual StepExecutor& GetExecutor(uint32_t number) const = 0;
    /// @brief Make the executors; plan and peers are known.
    virtual void MakeExecutors() = 0;
    /// @brief The peer asks to run a step. @param peer index @param stream number of the call, to
    /// be answered
    /// @param request the request
    virtual void HandleRunGraph(uint32_t peer, int32_t stream, const RunGraphRequest& request);

    /**
     * @brief The peer answered a RunGraph.
     * @param peer index
     * @param step number of the step
     * @param graph handle of the graph
     * @param values that it gave
     */
    virtual void HandleRunGraphDone([[maybe_unused]] uint32_t peer,
                                    [[maybe_unused]] uint32_t step,
                                    [[maybe_unused]] const std::string& graph,
                                    [[maybe_unused]] const NamedValues& values)
    {
    }

    /// @brief A connection with a peer was closed or refused; by default, that is an error.
    /// @param peer index
    virtual void HandlePeerLost(uint32_t peer);

    /// @brief A peer has closed its connections in order, as a process does that ends; by default
    /// as HandlePeerLost(). @param peer index
    virtual void HandlePeerLeft(uint32_t peer)
    {
        HandlePeerLost(peer);
    }

    /// @return whether HandlePeerLost() is no error
    virtual bool CanLosePeers() const
    {
        return false;
    }

    /// @param peer index @return whether it may close the connection that it has opened, and open
    /// another one, while this end's connection with it stays
    virtual bool CanReopen([[maybe_unused]] uint32_t peer) const
    {
        return false;
    }

    /// @return whether the process will die, so that an op without end is no error
    virtual bool WillCrash() const
    {
        return false;
    }

    /// @brief A peer that was dropped has opened a new connection. @param peer index
    virtual void HandlePeerBack([[maybe_unused]] uint32_t peer)
    {
    }

    /// @brief All connections that this node opened to a peer are established. @param peer index
    virtual void HandleConnected([[maybe_unused]] uint32_t peer)
    {
    }

    void StartTask(DeviceQueue& queue, const ComputeTask& task) override;
    bool RunCollective(StepExecutor& executor, uint32_t collective) override;

    uint64_t GetMessageSize(uint64_t bytes) const override
    {
        return m_messageSize(bytes);
    }

    void StartTurn(StepExecutor& executor, uint32_t resource, const Turn& turn) override;
    void WakeUp(StepExecutor& executor, uint32_t resource, double delay) override;
    void RequestTransfer(StepExecutor& executor, OpIndex op) override;

    /**
     * @brief Make an executor for this node's part of the step.
     * @param number its number, given to ComputeTask::owner
     * @param worker worker whose steps it runs
     * @param devices by resource, null where the node has none
     * @return the executor, with a new transfer policy for each link that it sends on
     */
    std::unique_ptr<StepExecutor> MakeExecutor(uint32_t number,
                                               uint32_t worker,
                                               std::vector<DeviceQueue*> devices);
    /**
     * @brief Make a queue for each compute resource of this node.
     * @param serverCores slots of a server's compute resource; 0: as the plan says
     * @return by resource; null for links and other nodes' resources
     */
    std::vector<DeviceQueue*> MakeDevices(uint32_t serverCores = 0);
    /// @brief Take this node's part of the step that SetPlan() has set last, for the executors and
    /// conversations that are made from now on.
    void PreparePlan();
    /// @param endpoints peers with whom it talks from the next Open() on; by default with all
    void UsePeers(const std::vector<Endpoint>& endpoints);
    /// @return with how many peers it talks
    uint32_t GetPeersInUse() const;
    /// @brief Listen, and open connections to all peers.
    void Open();
    /// @brief Close all connections, and do not listen any more: the end of a process.
    void CloseAll();
    /// @param peer of which all connections are closed and forgotten until it opens a new one
    void DropPeer(uint32_t peer);
    /// @param peer index @param step number of the step @param graph its handle @param values fed
    void SendRunGraph(uint32_t peer,
                      uint32_t step,
                      const std::string& graph,
                      const NamedValues& values = {});
    /// @brief Announce the window of a step, before asking for its tensors.
    /// @param peer index @param step number of the step
    void AnnounceWindow(uint32_t peer, uint32_t step);
    /// @param peer index @param stream number of the call @param values that the graph gave
    void AnswerRunGraph(uint32_t peer, int32_t stream, const NamedValues& values = {});
    /// @param text what went wrong; ends the simulation, unless there is a handler
    void Fail(const std::string& text);
    /// @param text what went wrong, which is not about this node; as Fail()
    void FailRun(const std::string& text);
    /// @param peer with which it went wrong @param trouble what; as Fail()
    void FailPeer(uint32_t peer, PeerTrouble trouble);

    /// @return what makes transfer policies (attribute Policy)
    const ObjectFactory& GetPolicy() const
    {
        return m_policy;
    }

    /// @return this node's part of the step
    const StepPlan& GetPlan() const
    {
        return *m_plan;
    }

    /// @return number of workers of the job
    uint32_t GetWorkers() const
    {
        return m_workers;
    }

    /// @return number of peers
    uint32_t GetPeers() const
    {
        return m_addresses.size();
    }

    /// @param peer index @return which endpoint it is
    const Endpoint& GetPeerEndpoint(uint32_t peer) const
    {
        return m_addresses[peer].endpoint;
    }

    /// @param endpoint any @return index of the peer that it is; NO_INDEX: none
    uint32_t FindPeer(const Endpoint& endpoint) const;

    /// @return number of peers that are servers; they are the first
    uint32_t GetServers() const
    {
        const auto servers = m_peersOf.find(Role::SERVER);
        return servers == m_peersOf.end() ? 0 : servers->second.size();
    }

    /// @return true once the application has been stopped: its connections are gone
    bool IsStopped() const
    {
        return !m_open;
    }

    /// @return when the application was started
    Time GetStarted() const
    {
        return m_started;
    }

    /// @brief End without a word to others: no connection is closed.
    void GoSilent();

    JobRecorder m_recorder; //!< told of what happens

  private:
    /// One peer and the conversation with it.
    /// A socket of a conversation.
    struct PeerSocket
    {
        uint32_t peer{0};     //!< index
        bool accepted{false}; //!< the peer has opened it
    };

    struct Conversation : TransportListener
    {
        Ptr<Transport> transport; //!< tells this
    };

    class PeerConversation;

    /// Tells the trace sources what is told the recorder.
    class RecordTraces;

    Peer GetSite() const;
    static std::string GetDeviceName(const Endpoint& endpoint);
    std::string GetPeerDeviceName(uint32_t peer) const;
    uint32_t GetPeerOf(uint32_t executor, OpIndex op) const;
    std::string GetNameAtSender(const StepExecutor& executor, OpIndex op) const;
    void FindSendChannels();

    /// Answers the policies from the real windows of the conversations.
    class SessionWindows;

    Ptr<Socket> MakeSocket();
    static void AcceptInLife(StepApplication* application,
                             uint64_t life,
                             Ptr<Socket> socket,
                             const Address& from);
    void HandleAccept(Ptr<Socket> socket);
    void HandleConnectionSucceeded(Ptr<Socket> socket);
    void HandleConnectionFailed(Ptr<Socket> socket);
    void HandleNoRoute(Ptr<Socket> socket);
    bool WaitsFor(uint32_t peer) const;
    bool IsOverdue(uint32_t peer) const;
    void LosePatience();
    void TryAgain(uint32_t peer, uint64_t life);
    void WatchClose(Ptr<Socket> socket);
    void ForgetAccepted(uint32_t peer);
    void HandleConnectionClosed(Ptr<Socket> socket);
    void HandleConnectionLost(Ptr<Socket> socket);
    void ReportLater(Ptr<Socket> socket, void (StepApplication::*report)(uint32_t));
    void Connect(uint32_t peer);
    uint32_t FindPeer(Ptr<Socket> socket) const;
    void WakeNow(uint32_t executor, uint32_t resource);
    void TaskDone(ComputeTask task, double start);

    std::shared_ptr<const StepPlan> m_whole; //!< the whole step
    Peer m_site;                             //!< the part of the step that this node does
    /// This node's parts of the steps that were set; sizes are those of messages.
    std::vector<std::unique_ptr<const StepPlan>> m_plans;
    const StepPlan* m_plan{nullptr};                     //!< the last of them
    std::function<uint64_t(uint64_t)> m_messageSize;     //!< of a tensor, in bytes
    std::unordered_map<std::string, OpIndex> m_opByName; //!< transfers by name
    uint32_t m_workers{1};                               //!< of the job
    bool m_peersKnown{false};                            //!< SetPeers() was called
    std::vector<PeerAddress> m_addresses;                //!< of the peers
    std::vector<bool> m_inUse;                           //!< by peer: whether it talks with it
    std::map<uint32_t, uint32_t> m_opened;               //!< connections, by peer, so far
    std::vector<uint32_t> m_sendChannels;                //!< by peer: place in the plan's resources
    /// By role and index of an endpoint: which peer it is.
    std::map<Role, std::vector<uint32_t>> m_peersOf;
    std::vector<std::unique_ptr<Conversation>> m_peers;       //!< by index
    std::vector<std::unique_ptr<DeviceQueue>> m_deviceQueues; //!< of this node
    std::vector<std::unique_ptr<WindowView>> m_windowViews;   //!< of the executors
    TypeId m_socketFactory;                                   //!< attribute
    std::map<Ptr<Socket>, PeerSocket> m_sockets;              //!< in use
    std::vector<uint64_t> m_generations; //!< by peer: of its connections, goes up when dropped
    uint64_t m_life{0};                  //!< goes up when all connections are closed
    bool m_open{false};                  //!< it talks with its peers, if it has any
    Ptr<Socket> m_listening;             //!< accepts the peers' connections
    std::shared_ptr<CollectiveService> m_collectives; //!< null: this node does them
    uint32_t m_slots{0};                        //!< of a worker's devices; 0: as the plan says
    std::shared_ptr<const DeviceSpeed> m_speed; //!< of the devices; may be null
    ObjectFactory m_policy;                     //!< attribute: makes transfer policies
    ObjectFactory m_transport;                  //!< attribute: makes transports
    std::vector<std::vector<uint64_t>> m_peerWindows;      //!< by peer, step; bytes; may be empty
    uint16_t m_port{PORT};                                 //!< attribute
    Time m_timeOrigin;                                     //!< attribute
    Time m_patience;                                       //!< attribute
    Time m_started;                                        //!< when its process began
    ModelEvent m_patienceEnd;                              //!< when patience ends
    std::set<uint32_t> m_missing;                          //!< peers that were never reached
    std::map<uint32_t, Time> m_called;                     //!< by peer: when it was last called
    std::string m_error;                                   //!< what went wrong
    std::optional<LostPeer> m_lostPeer;                    //!< with whom
    std::function<void()> m_failed;                        //!< empty: the simulation ends
    Ipv4Address m_local{Ipv4Address::GetAny()};            //!< attribute
    TracedCallback<Ptr<Socket>, uint32_t> m_connection;    //!< trace source
    TracedCallback<const ChunkRecord&> m_turnTrace;        //!< trace source
    TracedCallback<const ChunkRecord&> m_chunkTrace;       //!< trace source
    TracedCallback<const TransferRecord&> m_sentTrace;     //!< trace source
    TracedCallback<const TransferRecord&> m_receivedTrace; //!< trace source
    std::unique_ptr<RecordTraces> m_traces; //!< null: no trace source was connected at the start
};

} // namespace ns3::dml

#endif /* DML_STEP_APPLICATION_H */
