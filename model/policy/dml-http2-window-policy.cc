/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-http2-window-policy.h"

#include "ns3/dml-grow.h"

#include <algorithm>

namespace ns3
{
namespace dml
{

NS_OBJECT_ENSURE_REGISTERED(Http2WindowPolicy);

TypeId
Http2WindowPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::Http2WindowPolicy")
                            .SetParent<TransferPolicy>()
                            .SetGroupName("Dml")
                            .AddConstructor<Http2WindowPolicy>();
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
            m_turnBytes = std::min(stream->remaining, window);
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
            return Turn{m_current.transfer, m_turnBytes};
        }
    }
    return Turn{};
}

bool
Http2WindowPolicy::TurnEnded()
{
    m_open = false;
    m_current.remaining -= m_turnBytes;
    ++m_current.turns;
    if (m_current.remaining == 0)
    {
        return true;
    }
    PushBackGrowing(m_queue, m_current);
    return false;
}

uint32_t
Http2WindowPolicy::GetSize() const
{
    return m_queue.size() + (m_open ? 1 : 0);
}

} // namespace dml
} // namespace ns3
