/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-http2-event-queue.h"

#include "ns3/dml-flag-guard.h"

#include <utility>

namespace ns3::dml
{

namespace
{

void
Call(Http2Listener& listener, const Http2EventQueue::Event& event)
{
    using Kind = Http2EventQueue::Kind;
    switch (event.kind)
    {
    case Kind::REQUEST:
        listener.OnRequest(event.streamId, event.first, event.bytes);
        break;
    case Kind::TURN_ENDED:
        listener.OnTurnEnded(event.streamId, event.number, event.done);
        break;
    case Kind::WINDOW_OPENED:
        listener.OnWindowOpened(event.streamId);
        break;
    case Kind::RESPONSE_STARTED:
        listener.OnResponseStarted(event.streamId, static_cast<uint32_t>(event.number));
        break;
    case Kind::RESPONSE:
        listener.OnResponse(event.streamId, event.bytes, static_cast<uint32_t>(event.number));
        break;
    case Kind::TRAILERS:
        listener.OnTrailers(event.streamId, static_cast<int32_t>(event.number));
        break;
    case Kind::PING_ACKNOWLEDGED:
        listener.OnPingAcknowledged(event.number);
        break;
    case Kind::ERROR:
        listener.OnError(event.first);
        break;
    }
}

} // namespace

void
Http2EventQueue::Add(Event event)
{
    m_events.push_back(std::move(event));
}

bool
Http2EventQueue::Deliver(Http2Listener& listener)
{
    if (m_delivering || m_events.empty())
    {
        return false;
    }
    const FlagGuard guard(m_delivering);
    while (m_next < m_events.size())
    {
        // Moved out first: the listener may cause events, and the vector may move.
        const Event event = std::move(m_events[m_next]);
        ++m_next;
        Call(listener, event);
    }
    m_events.clear();
    m_next = 0;
    return true;
}

} // namespace ns3::dml
