/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Bytes from the peer of an HTTP/2 session, and the messages in them.

#include "dml-fuzz-target.h"

#include "ns3/dml-batch-size-service.h"
#include "ns3/dml-byte-sink.h"
#include "ns3/dml-grant-rule.h"
#include "ns3/dml-grpc-messages.h"
#include "ns3/dml-http2-listener.h"
#include "ns3/dml-http2-session.h"
#include "ns3/dml-rendezvous-key.h"

#include <algorithm>
#include <array>
#include <memory>

namespace ns3::dml
{

namespace
{

/// Takes bytes, at most so many in all, and forgets them.
class Drain : public ByteSink
{
  public:
    size_t GetRoom() override
    {
        return m_room;
    }

    void Write(const uint8_t* /* data */, size_t n) override
    {
        m_room -= n;
    }

    void WriteZeros(size_t n) override
    {
        m_room -= n;
    }

  private:
    size_t m_room{1 << 20}; //!< bytes
};

/// Answers every request, and reads every message.
class Peer : public Http2Listener
{
  public:
    void SetSession(Http2Session& session)
    {
        m_session = &session;
    }

    void OnRequest(int32_t stream, const std::string& path, const std::string& message) override
    {
        if (const auto request = RunGraphRequest::Decode(message))
        {
            ReportFromValues(request->send);
            SampleReportFromValues(request->send, 0);
        }
        const auto tensor = RecvTensorRequest::Decode(message);
        if (tensor)
        {
            RendezvousKey::Decode(tensor->rendezvousKey);
        }
        if (path.size() % 5 == 4)
        {
            m_session->SubmitFailure(stream, 12);
            return;
        }
        m_session->SubmitResponse(stream,
                                  RecvTensorResponseHead(message.size()),
                                  100 * message.size(),
                                  tensor ? SendMode::IN_TURNS : SendMode::AT_ONCE);
        m_session->Grant(stream, message.size() + 1);
    }

    void OnTurnEnded(int32_t stream, uint64_t bytes, bool messageDone) override
    {
        if (!messageDone)
        {
            m_session->Grant(stream, bytes + 1);
        }
    }

    void OnResponse(int32_t /* stream */, const std::string& head, uint32_t /* length */) override
    {
        RunGraphResponse::Decode(head);
    }

  private:
    Http2Session* m_session{nullptr}; //!< whose listener it is
};

/// The first byte of an input says how the session is set up and how the rest is cut.
void
Fuzz(Http2Role role, const std::string& bytes)
{
    constexpr std::array<const char*, 4> RULES{"message", "capped", "consume", "bdp"};
    const uint8_t choice = bytes.empty() ? 0 : static_cast<uint8_t>(bytes[0]);
    double now = 0;
    Http2Config config;
    config.role = role;
    config.window = (choice & 4) != 0 ? 28000000 : 1000;
    config.clock = [&now] { return now; };
    Peer peer;
    Http2Session session(config, MakeGrantRule(RULES[choice % 4]), peer);
    peer.SetSession(session);
    Drain drain;
    if (role == Http2Role::CLIENT)
    {
        for (int i = 0; i < 3; ++i)
        {
            session.SendRequest("/tensorflow.WorkerService/RecvTensor", "ps0:50051", "key");
        }
    }
    const std::size_t piece = (choice >> 3) == 0 ? bytes.size() + 1 : choice >> 3;
    for (std::size_t at = 1; at < bytes.size(); at += piece)
    {
        session.Pump(drain);
        session.Receive(reinterpret_cast<const uint8_t*>(bytes.data()) + at,
                        std::min(piece, bytes.size() - at));
        now += 0.001;
    }
    session.Pump(drain);
}

} // namespace

void
FuzzHttp2Client(const std::string& bytes)
{
    Fuzz(Http2Role::CLIENT, bytes);
}

void
FuzzHttp2Server(const std::string& bytes)
{
    Fuzz(Http2Role::SERVER, bytes);
}

} // namespace ns3::dml
