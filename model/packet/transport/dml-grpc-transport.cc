/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-grpc-transport.h"

#include "dml-socket-stream.h"

#include "ns3/dml-message-framing.h"
#include "ns3/log.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace ns3::dml
{

NS_LOG_COMPONENT_DEFINE("DmlGrpcTransport");
NS_OBJECT_ENSURE_REGISTERED(GrpcTransport);

namespace
{

/// Number of the PING that asks whether transfer 0 has arrived; 0 is not allowed.
constexpr uint64_t FIRST_PING = 1;

} // namespace

/// One connection of a node: an HTTP/2 session on an ns-3 TCP socket.
class GrpcConnection : public SocketStream
{
  public:
    /// @param config role and windows of the session @param grantRule by which it grants window
    /// @param listener told what happens @param socket a connected or connecting TCP socket
    GrpcConnection(const Http2Config& config,
                   std::unique_ptr<GrantRule> grantRule,
                   Http2Listener& listener,
                   Ptr<Socket> socket)
        : SocketStream(std::move(socket)),
          m_session(config, std::move(grantRule), listener)
    {
    }

    /// @return the session; after any call that may make output, call Pump()
    Http2Session& GetSession()
    {
        return m_session;
    }

    /// @return the session
    const Http2Session& GetSession() const
    {
        return m_session;
    }

  private:
    bool HasOutput() const override
    {
        return m_session.HasOutput();
    }

    void Fill(ByteSink& sink) override
    {
        m_session.Pump(sink);
    }

    void Take(const uint8_t* data, size_t n) override
    {
        m_session.Receive(data, n);
    }

    Http2Session m_session; //!< HTTP/2 and gRPC
};

GrpcTransport::AskingListener::AskingListener(GrpcTransport& transport)
    : m_transport(transport)
{
}

GrpcTransport::AnsweringListener::AnsweringListener(GrpcTransport& transport)
    : m_transport(transport)
{
}

TypeId
GrpcTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::GrpcTransport")
            .SetParent<Transport>()
            .SetGroupName("Dml")
            .AddConstructor<GrpcTransport>()
            .AddAttribute("Window",
                          "HTTP/2 stream window that this node announces, in bytes.",
                          UintegerValue(28000000),
                          MakeUintegerAccessor(&GrpcTransport::m_window),
                          MakeUintegerChecker<uint32_t>(1, HTTP2_MAX_WINDOW))
            .AddAttribute("MaxFrameSize",
                          "Largest HTTP/2 frame payload that this node accepts, in bytes.",
                          UintegerValue(16384),
                          MakeUintegerAccessor(&GrpcTransport::m_maxFrameSize),
                          MakeUintegerChecker<uint32_t>(16384, 16777215))
            .AddAttribute("GrantRule",
                          "Rule by which this node grants window to a sender.",
                          StringValue("message"),
                          MakeStringAccessor(&GrpcTransport::m_grantRule),
                          MakeStringChecker());
    return tid;
}

GrpcTransport::GrpcTransport()
    : m_askingListener(*this),
      m_answeringListener(*this)
{
}

GrpcTransport::~GrpcTransport() = default;

uint64_t
GrpcTransport::GetMessageSize(uint64_t tensorBytes) const
{
    return GRPC_PREFIX + RecvTensorResponseSize(tensorBytes);
}

void
GrpcTransport::Begin(const TransportEnds& ends, TransportListener& listener)
{
    m_ends = ends;
    m_listener = &listener;
    std::ostringstream authority;
    authority << ends.address.GetIpv4() << ':' << ends.address.GetPort();
    m_authority = authority.str();
}

Http2Config
GrpcTransport::MakeConfig(Http2Role role) const
{
    // tensors arrive where this node asks for them
    return {role,
            role == Http2Role::CLIENT && !m_growing ? GetLocalWindow(0) : m_window,
            m_maxFrameSize,
            m_ends.clock};
}

uint32_t
GrpcTransport::GetLocalWindow(uint32_t step) const
{
    const auto& windows = m_ends.windows;
    return windows.empty() ? m_window : windows[std::min<std::size_t>(step, windows.size() - 1)];
}

void
GrpcTransport::Ask(Ptr<Socket> socket)
{
    auto rule =
        MakeGrantRule(m_grantRule,
                      m_ends.windows.empty() ? BdpEstimator::MAX_WINDOW : m_ends.windows.front());
    m_growing = rule->Measures();
    m_asking = std::make_unique<GrpcConnection>(MakeConfig(Http2Role::CLIENT),
                                                std::move(rule),
                                                m_askingListener,
                                                std::move(socket));
}

void
GrpcTransport::Answer(Ptr<Socket> socket)
{
    m_answering = std::make_unique<GrpcConnection>(MakeConfig(Http2Role::SERVER),
                                                   MakeGrantRule(m_grantRule),
                                                   m_answeringListener,
                                                   std::move(socket));
    m_answering->SetConnected();
}

bool
GrpcTransport::IsAnswering() const
{
    return m_answering != nullptr;
}

void
GrpcTransport::StopAnswering()
{
    m_answering->Close();
    m_answering.reset();
}

void
GrpcTransport::SetConnected([[maybe_unused]] Ptr<Socket> socket)
{
    m_connected = true;
    m_asking->SetConnected();
}

bool
GrpcTransport::IsConnected() const
{
    return m_connected;
}

void
GrpcTransport::AnnounceWindow(uint32_t step)
{
    if (!m_ends.windows.empty() && !m_growing)
    {
        m_asking->GetSession().AnnounceWindow(GetLocalWindow(step));
        m_asking->Pump();
    }
}

void
GrpcTransport::RequestTensor(OpIndex transfer, const std::string& name, uint32_t step)
{
    const int32_t stream =
        m_asking->GetSession().SendRequest(RECV_TENSOR_PATH,
                                           m_authority,
                                           MakeRecvTensorMessage(m_ends, name, step));
    m_awaited[stream] = {transfer, step, {}};
    m_asking->Pump();
}

void
GrpcTransport::RequestRunGraph(const RunGraphRequest& request)
{
    const int32_t stream =
        m_asking->GetSession().SendRequest(RUN_GRAPH_PATH,
                                           m_authority,
                                           request.Encode(),
                                           Http2Session::MAX_REQUEST); // all of the answer
    m_awaited[stream] = {NO_INDEX, static_cast<uint32_t>(request.stepId), request.graphHandle};
    m_asking->Pump();
}

void
GrpcTransport::AnswerRunGraph(int32_t call, const NamedValues& values)
{
    RunGraphResponse response;
    response.recv = values;
    m_answering->GetSession().SubmitResponse(call, response.Encode(), 0, SendMode::AT_ONCE);
    m_answering->Pump();
}

void
GrpcTransport::Close()
{
    for (const auto* connection : {&m_asking, &m_answering})
    {
        if (*connection)
        {
            (*connection)->Close();
        }
    }
}

uint64_t
GrpcTransport::GetWindow(OpIndex transfer) const
{
    return m_answering->GetSession().GetRemoteWindow(m_requests.at(transfer).stream);
}

uint64_t
GrpcTransport::GetStreamWindow() const
{
    return m_answering ? m_answering->GetSession().GetPeerWindow() : 0;
}

void
GrpcTransport::StartTurn(const Turn& turn, uint64_t tensorBytes)
{
    Http2Session& session = m_answering->GetSession();
    Request& request = m_requests[turn.transfer];
    if (!request.submitted)
    {
        session.SubmitResponse(request.stream, RecvTensorResponseHead(tensorBytes), tensorBytes);
        request.submitted = true;
    }
    m_turn = request.stream;
    ++m_turns;
    session.Grant(request.stream, turn.bytes);
    m_answering->Pump();
}

OpenTurn
GrpcTransport::GetOpenTurn() const
{
    if (!m_answering || m_turn == 0)
    {
        return {};
    }
    const Http2Session& session = std::as_const(*m_answering).GetSession();
    const bool open = session.GetRemoteWindow(m_turn) > 0;
    const double frame = m_maxFrameSize;
    return {m_turns,
            m_turn,
            open ? session.GetSkippable(m_turn) : 0,
            frame / (frame + MessageFraming().header)};
}

void
GrpcTransport::SkipSending(uint64_t bytes)
{
    m_answering->GetSession().SkipOutgoing(m_turn, bytes);
}

uint64_t
GrpcTransport::GetMissing(int32_t call) const
{
    return m_asking ? m_asking->GetSession().GetMissing(call) : 0;
}

void
GrpcTransport::SkipReceiving(int32_t call, uint64_t bytes)
{
    m_asking->GetSession().SkipIncoming(call, bytes);
}

void
GrpcTransport::HandleTensor(int32_t call,
                            OpIndex transfer,
                            [[maybe_unused]] const std::string& message)
{
    m_requests[transfer] = {call, false};
    m_listener->TransferRequested(transfer);
}

void
GrpcTransport::AskingListener::OnResponse(int32_t streamId,
                                          const std::string& head,
                                          uint32_t length)
{
    const auto awaited = m_transport.m_awaited.find(streamId);
    if (awaited == m_transport.m_awaited.end())
    {
        m_transport.m_listener->Failed("a response came that was not asked for");
        return;
    }
    const auto [op, step, graph] = awaited->second;
    m_transport.m_awaited.erase(awaited);
    NS_LOG_LOGIC("stream " << streamId << " complete: " << length << " bytes");
    if (op == NO_INDEX)
    {
        const auto response = RunGraphResponse::Decode(head);
        if (!response || head.size() < length)
        {
            m_transport.m_listener->Failed("an answer to RunGraph cannot be understood");
            return;
        }
        m_transport.m_listener->GraphDone(step, graph, response->recv);
    }
    else
    {
        m_transport.m_listener->TransferArrived(op);
    }
}

void
GrpcTransport::AskingListener::OnTrailers(int32_t streamId, int32_t grpcStatus)
{
    if (grpcStatus != 0)
    {
        m_transport.m_listener->Failed("the call on stream " + std::to_string(streamId) +
                                       " failed with gRPC status " + std::to_string(grpcStatus));
    }
}

void
GrpcTransport::AskingListener::OnError(const std::string& text)
{
    m_transport.m_listener->Failed(text);
}

void
GrpcTransport::AnsweringListener::OnRequest(int32_t streamId,
                                            const std::string& path,
                                            const std::string& message)
{
    HandleGrpcRequest(streamId, path, message, *m_transport.m_listener, m_transport);
}

void
GrpcTransport::AnsweringListener::OnTurnEnded([[maybe_unused]] int32_t streamId,
                                              [[maybe_unused]] uint64_t bytes,
                                              [[maybe_unused]] bool messageDone)
{
    const OpIndex op = m_transport.m_listener->TurnServed();
    if (op != NO_INDEX)
    {
        m_transport.m_answering->GetSession().SendPing(op + FIRST_PING);
    }
}

void
GrpcTransport::AnsweringListener::OnPingAcknowledged(uint64_t number)
{
    m_transport.m_listener->TransferAcknowledged(number - FIRST_PING);
}

void
GrpcTransport::AnsweringListener::OnWindowOpened([[maybe_unused]] int32_t streamId)
{
    m_transport.m_listener->WindowOpened();
}

void
GrpcTransport::AnsweringListener::OnError(const std::string& text)
{
    m_transport.m_listener->Failed(text);
}

} // namespace ns3::dml
