/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-http2-window-policy.h"

#include "ns3/boolean.h"
#include "ns3/dml-grow.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(Http2WindowPolicy);
NS_OBJECT_ENSURE_REGISTERED(RoundRobinPolicy);

TypeId
Http2WindowPolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::Http2WindowPolicy")
            .SetParent<TransferPolicy>()
            .SetGroupName("Dml")
            .AddConstructor<Http2WindowPolicy>()
            .AddAttribute("RejoinAtStart",
                          "Whether an unfinished transfer rejoins the tail of the queue when its "
                          "turn starts (as gRPC does) instead of when it ends.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&Http2WindowPolicy::m_rejoinAtStart),
                          MakeBooleanChecker());
    return tid;
}

void
Http2WindowPolicy::Add(OpIndex transfer, uint64_t bytes)
{
    PushBackGrowing(m_queue, Stream{transfer, 0, bytes});
}

Turn
Http2WindowPolicy::Next(const WindowView& windows)
{
    for (auto stream = m_queue.begin(); stream != m_queue.end(); ++stream)
    {
        const uint64_t window = windows.GetWindow(stream->transfer, stream->turns);
        if (window > 0 || stream->remaining == 0)
        {
            m_current = *stream;
            const uint64_t bytes = std::min({stream->remaining, window, GetTurnLimit()});
            m_current.remaining -= bytes;
            ++m_current.turns;
            m_open = true;
            // erase() moves what is behind, so the usual case is a case of its own
            if (stream == m_queue.begin())
            {
                m_queue.pop_front();
            }
            else
            {
                m_queue.erase(stream);
            }
            if (m_rejoinAtStart && m_current.remaining > 0)
            {
                PushBackGrowing(m_queue, m_current);
            }
            return Turn{m_current.transfer, bytes};
        }
    }
    return Turn{};
}

bool
Http2WindowPolicy::TurnEnded()
{
    m_open = false;
    if (m_current.remaining > 0 && !m_rejoinAtStart)
    {
        PushBackGrowing(m_queue, m_current);
    }
    return m_current.remaining == 0;
}

uint32_t
Http2WindowPolicy::GetSize() const
{
    const bool queued = m_rejoinAtStart && m_current.remaining > 0;
    return m_queue.size() + (m_open && !queued ? 1 : 0);
}

TypeId
RoundRobinPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::RoundRobinPolicy")
                            .SetParent<Http2WindowPolicy>()
                            .SetGroupName("Dml")
                            .AddConstructor<RoundRobinPolicy>()
                            .AddAttribute("Quantum",
                                          "Bytes of one turn at most.",
                                          UintegerValue(DEFAULT_QUANTUM),
                                          MakeUintegerAccessor(&RoundRobinPolicy::m_quantum),
                                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

uint64_t
RoundRobinPolicy::GetTurnLimit() const
{
    return m_quantum;
}

} // namespace ns3::dml
