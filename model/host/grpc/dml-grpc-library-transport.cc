/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-grpc-peer.h"

#include "ns3/boolean.h"
#include "ns3/dml-error.h"
#include "ns3/dml-grpc-message-stream.h"
#include "ns3/dml-grpc-requests.h"
#include "ns3/dml-kernel-socket.h"
#include "ns3/dml-transport.h"
#include "ns3/event-id.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

NS_LOG_COMPONENT_DEFINE("DmlGrpcLibraryTransport");

namespace
{

/// Tells a sender that a tensor has arrived; gRPC itself never says so.
constexpr const char* ACKNOWLEDGE_PATH = "/dml.Transport/Acknowledge";

/// @return a file of the kernel's connection, which is gRPC's from now on
int
TakeFile(const Ptr<Socket>& socket)
{
    const auto connection = DynamicCast<KernelSocket>(socket);
    if (!connection)
    {
        throw RunError("gRPC's library wants sockets of the kernel");
    }
    return connection->HandOver();
}

// The windows that peers announce, which gRPC tells nobody but its log. Its tracer "http" logs each
// setting that a connection gets. That takes some per cent of the library's CPU time.
std::mutex g_windowMutex;          //!< of what follows
std::map<int, uint64_t> g_windows; //!< by file of a connection

/// Called by gRPC from any thread.
void
ReadLogLine(gpr_log_func_args* line)
{
    int file = 0;
    unsigned long window = 0;
    if (std::sscanf(line->message,
                    "CHTTP2:SVR:fd:%d: got setting INITIAL_WINDOW_SIZE = %lu",
                    &file,
                    &window) == 2)
    {
        const std::lock_guard<std::mutex> lock(g_windowMutex);
        g_windows[file] = window;
    }
    else if (line->severity == GPR_LOG_SEVERITY_ERROR)
    {
        std::fprintf(stderr, "gRPC: %s\n", line->message);
    }
}

/// From now on, hear of the windows of all connections of this process; nothing else is logged.
void
BeginWindowLog()
{
    gpr_set_log_function(ReadLogLine);
    gpr_set_log_verbosity(GPR_LOG_SEVERITY_INFO);
    grpc_tracer_set_enabled("http", 1);
}

/// @param file of a connection that gRPC has accepted
/// @return its last INITIAL_WINDOW_SIZE, in bytes; 0: none yet
uint64_t
GetLoggedWindow(int file)
{
    const std::lock_guard<std::mutex> lock(g_windowMutex);
    const auto window = g_windows.find(file);
    return window == g_windows.end() ? 0 : window->second;
}

} // namespace

/**
 * @ingroup dml-host
 * @brief Requests and tensors by Google's own gRPC, on sockets of the kernel.
 *
 * As with GrpcTransport, each end calls RunGraph and RecvTensor on the connection that it has
 * opened. Frames and windows are the library's affair. So is the order of tensors unless Ordered:
 * then a message is given to the library when the one before has gone to the kernel. gRPC takes
 * messages whole, so a turn that is less than the rest of a message ends at once, and its bytes go
 * with the last one.
 */
class GrpcLibraryTransport : public Transport, private GrpcRequestHandler
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();
    ~GrpcLibraryTransport() override;

    uint64_t GetMessageSize(uint64_t tensorBytes) const override;
    void Begin(const TransportEnds& ends, TransportListener& listener) override;
    void Ask(Ptr<Socket> socket) override;
    void SetConnected(Ptr<Socket> socket) override;
    bool IsConnected() const override;
    void Answer(Ptr<Socket> socket) override;
    bool IsAnswering() const override;
    void StopAnswering() override;
    void Close() override;
    void RequestTensor(OpIndex transfer, const std::string& name, uint32_t step) override;
    void RequestRunGraph(const RunGraphRequest& request) override;
    void AnswerRunGraph(int32_t call, const NamedValues& values) override;
    uint64_t GetWindow(OpIndex transfer) const override;
    void StartTurn(const Turn& turn, uint64_t tensorBytes) override;
    uint64_t GetStreamWindow() const override;

  private:
    /// A tensor that the peer has asked for.
    struct TensorAnswer
    {
        int32_t call{0};     //!< of the peer
        uint64_t bytes{0};   //!< bytes whose turns have come
        std::string message; //!< request for it
    };

    /// Told of a call's answer.
    using Done = std::function<void(const grpc::ByteBuffer&)>;

    void HandleTensor(int32_t call, OpIndex transfer, const std::string& message) override;
    void HandleRequest(int32_t call, const std::string& path, const std::string& message);
    void Call(const std::string& path, const std::string& message, Done done);
    void TurnEnded(OpIndex transfer);

    bool m_bdpProbe{true};                  //!< attribute
    uint32_t m_lookahead{0};                //!< attribute, bytes
    bool m_ordered{false};                  //!< attribute
    bool m_acknowledged{false};             //!< attribute
    bool m_windows{false};                  //!< attribute
    int m_answering{-1};                    //!< file of the peer's connection
    TransportEnds m_ends;                   //!< both ends of the conversation
    TransportListener* m_listener{nullptr}; //!< told what happens
    EventId m_turnEnd;                      //!< of a turn that ends at once
    std::vector<TensorAnswer> m_answers;    //!< by op
    std::map<std::string, OpIndex> m_sent;  //!< not acknowledged yet, by what asked for them
    std::set<std::string> m_early;          //!< acknowledged before their turns ended
    Ptr<Socket> m_asking;                   //!< opened by this node
    Ptr<Socket> m_accepted;                 //!< opened by the peer
    std::unique_ptr<GrpcPeer> m_peer;       //!< the conversation in gRPC's words; null: closed
};

NS_OBJECT_ENSURE_REGISTERED(GrpcLibraryTransport);

TypeId
GrpcLibraryTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::GrpcLibraryTransport")
            .SetParent<Transport>()
            .SetGroupName("Dml")
            .AddConstructor<GrpcLibraryTransport>()
            .AddAttribute("BdpProbe",
                          "Whether gRPC measures how large its windows should be "
                          "(GRPC_ARG_HTTP2_BDP_PROBE).",
                          BooleanValue(true),
                          MakeBooleanAccessor(&GrpcLibraryTransport::m_bdpProbe),
                          MakeBooleanChecker())
            .AddAttribute("Lookahead",
                          "Bytes of a stream that it lets the peer send ahead "
                          "(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES); 0: its own.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&GrpcLibraryTransport::m_lookahead),
                          MakeUintegerChecker<uint32_t>(0, std::numeric_limits<int32_t>::max()))
            .AddAttribute("Ordered",
                          "Whether the application decides the order of tensors: gRPC gets one at "
                          "a time.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&GrpcLibraryTransport::m_ordered),
                          MakeBooleanChecker())
            .AddAttribute("Acknowledged",
                          "Whether a call tells the sender of each tensor that has arrived; the "
                          "same at both ends.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&GrpcLibraryTransport::m_acknowledged),
                          MakeBooleanChecker())
            .AddAttribute("Windows",
                          "Whether GetStreamWindow() knows, which costs CPU time.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&GrpcLibraryTransport::m_windows),
                          MakeBooleanChecker());
    return tid;
}

GrpcLibraryTransport::~GrpcLibraryTransport()
{
    m_turnEnd.Cancel();
}

uint64_t
GrpcLibraryTransport::GetMessageSize(uint64_t tensorBytes) const
{
    return GRPC_PREFIX + RecvTensorResponseSize(tensorBytes);
}

void
GrpcLibraryTransport::Begin(const TransportEnds& ends, TransportListener& listener)
{
    m_ends = ends;
    m_listener = &listener;
    m_answers.resize(ends.ops);
    if (m_windows)
    {
        BeginWindowLog();
    }
    grpc::ChannelArguments settings;
    settings.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, m_bdpProbe ? 1 : 0);
    if (m_lookahead > 0)
    {
        settings.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, static_cast<int>(m_lookahead));
    }
    m_peer = std::make_unique<GrpcPeer>(
        settings,
        [this](int32_t call, const std::string& path, const std::string& message) {
            HandleRequest(call, path, message);
        });
}

void
GrpcLibraryTransport::Ask(Ptr<Socket> socket)
{
    m_asking = socket;
}

void
GrpcLibraryTransport::SetConnected(Ptr<Socket> socket)
{
    m_peer->Connect(TakeFile(socket));
}

bool
GrpcLibraryTransport::IsConnected() const
{
    return m_peer && m_peer->IsConnected();
}

void
GrpcLibraryTransport::Answer(Ptr<Socket> socket)
{
    m_accepted = socket;
    m_answering = TakeFile(socket);
    m_peer->Accept(m_answering);
}

bool
GrpcLibraryTransport::IsAnswering() const
{
    return m_peer && m_peer->IsAccepted();
}

void
GrpcLibraryTransport::StopAnswering()
{
    m_accepted->Close();
    m_peer->Forget();
}

void
GrpcLibraryTransport::Close()
{
    m_turnEnd.Cancel();
    m_peer.reset();
    for (const auto& socket : {m_asking, m_accepted})
    {
        if (socket)
        {
            socket->Close(); // or it would go on trying to connect
        }
    }
}

void
GrpcLibraryTransport::Call(const std::string& path, const std::string& message, Done done)
{
    m_peer->Call(path,
                 message,
                 [this, path, done = std::move(done)](const grpc::Status& status,
                                                      const grpc::ByteBuffer& response) {
                     if (status.ok())
                     {
                         done(response);
                     }
                     else if (status.error_code() != grpc::StatusCode::UNAVAILABLE &&
                              status.error_code() != grpc::StatusCode::CANCELLED)
                     {
                         m_listener->Failed("the call of " + path + " failed with gRPC status " +
                                            std::to_string(status.error_code()) + ": " +
                                            status.error_message());
                     } // else the peer ends or is gone, which its socket tells
                 });
}

void
GrpcLibraryTransport::RequestTensor(OpIndex transfer, const std::string& name, uint32_t step)
{
    const std::string message = MakeRecvTensorMessage(m_ends, name, step);
    Call(RECV_TENSOR_PATH, message, [this, transfer, message](const grpc::ByteBuffer& response) {
        NS_LOG_LOGIC("transfer " << transfer << " complete: " << response.Length() << " bytes");
        if (m_acknowledged)
        {
            Call(ACKNOWLEDGE_PATH, message, [](const grpc::ByteBuffer&) {});
        }
        m_listener->TransferArrived(transfer);
    });
}

void
GrpcLibraryTransport::RequestRunGraph(const RunGraphRequest& request)
{
    Call(RUN_GRAPH_PATH,
         request.Encode(),
         [this, step = static_cast<uint32_t>(request.stepId), graph = request.graphHandle](
             const grpc::ByteBuffer& bytes) {
             const auto response = RunGraphResponse::Decode(ReadGrpcBuffer(bytes));
             response ? m_listener->GraphDone(step, graph, response->recv)
                      : m_listener->Failed("an answer to RunGraph cannot be understood");
         });
}

void
GrpcLibraryTransport::AnswerRunGraph(int32_t call, const NamedValues& values)
{
    RunGraphResponse response;
    response.recv = values;
    m_peer->Answer(call, MakeGrpcBuffer(response.Encode()));
}

void
GrpcLibraryTransport::HandleRequest(int32_t call,
                                    const std::string& path,
                                    const std::string& message)
{
    if (path != ACKNOWLEDGE_PATH)
    {
        HandleGrpcRequest(call, path, message, *m_listener, *this);
        return;
    }
    m_peer->Answer(call, MakeGrpcBuffer(std::string()));
    const auto sent = m_sent.find(message);
    if (sent == m_sent.end())
    {
        m_early.insert(message); // the peer was faster than the news that all has gone
        return;
    }
    const OpIndex transfer = sent->second;
    m_sent.erase(sent);
    m_listener->TransferAcknowledged(transfer);
}

void
GrpcLibraryTransport::HandleTensor(int32_t call, OpIndex transfer, const std::string& message)
{
    m_answers[transfer] = {call, 0, message};
    m_listener->TransferRequested(transfer);
}

uint64_t
GrpcLibraryTransport::GetWindow([[maybe_unused]] OpIndex transfer) const
{
    return std::numeric_limits<uint64_t>::max(); // the library has windows of its own
}

void
GrpcLibraryTransport::StartTurn(const Turn& turn, uint64_t tensorBytes)
{
    TensorAnswer& answer = m_answers[turn.transfer];
    answer.bytes += turn.bytes;
    const bool whole = answer.bytes == GetMessageSize(tensorBytes);
    if (whole && m_ordered)
    {
        m_peer->Answer(answer.call,
                       MakeGrpcBuffer(RecvTensorResponseHead(tensorBytes), tensorBytes),
                       [this, transfer = turn.transfer](bool) { TurnEnded(transfer); });
        return;
    }
    if (whole)
    {
        m_peer->Answer(answer.call,
                       MakeGrpcBuffer(RecvTensorResponseHead(tensorBytes), tensorBytes));
    }
    m_turnEnd = Simulator::ScheduleNow(&GrpcLibraryTransport::TurnEnded, this, turn.transfer);
}

uint64_t
GrpcLibraryTransport::GetStreamWindow() const
{
    return GetLoggedWindow(m_answering);
}

void
GrpcLibraryTransport::TurnEnded(OpIndex transfer)
{
    const std::string message = m_answers[transfer].message;
    const OpIndex sent = m_listener->TurnServed();
    if (sent != NO_INDEX && m_early.erase(message) > 0)
    {
        m_listener->TransferAcknowledged(sent);
    }
    else if (sent != NO_INDEX)
    {
        m_sent[message] = sent;
    }
}

} // namespace ns3::dml

/// Found by its name when the library is loaded. @return type of GrpcLibraryTransport
extern "C" ns3::TypeId
DmlGrpcLibraryTransport()
{
    return ns3::dml::GrpcLibraryTransport::GetTypeId();
}
