/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-burst-congestion.h"

#include "ns3/dml-cubic-window.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

/// Linux' CUBIC, the same arithmetic as LinuxCubic.
class CubicCongestion : public BurstCongestion
{
  public:
    explicit CubicCongestion(bool hystart)
        : m_hystart(hystart)
    {
    }

    uint32_t NoteAck(const CongestionView& view) override
    {
        if (!m_cubic.NoteRoundTrip(view.now, view.roundTrip) || !m_hystart ||
            m_cubic.HasFoundQueue() || view.window >= view.threshold)
        {
            return view.threshold;
        }
        if (view.acked > m_roundEnd)
        {
            m_cubic.BeginRound(view.now);
            m_roundEnd = view.sent;
        }
        const double bytes = static_cast<double>(view.window) * view.segment;
        return m_cubic.FindsQueue(view.now, view.roundTrip, view.window, bytes, view.gsoSize)
                   ? view.window
                   : view.threshold;
    }

    uint32_t Grow(const CongestionView& view, uint32_t acked) override
    {
        return m_cubic.Grow(view.now, view.window, acked, true);
    }

    uint32_t ShrinkAfterLoss(uint32_t window) override
    {
        return m_cubic.Shrink(window);
    }

    void HandleTimeout(double now, uint64_t sent) override
    {
        m_cubic.Reset();
        m_cubic.BeginRound(now);
        m_roundEnd = sent;
    }

    void Resume(double now) override
    {
        m_cubic.Resume(now);
    }

    void MoveOrigin(double seconds) override
    {
        m_cubic.MoveOrigin(seconds);
    }

  private:
    bool m_hystart;         //!< slow start ends when delays or trains of ACKs show a queue
    CubicWindow m_cubic;    //!< its arithmetic
    uint64_t m_roundEnd{0}; //!< bytes that had been sent when HyStart's round began
};

/// Reno with congestion avoidance by bytes (RFC 5681, tcp_reno_cong_avoid()).
class RenoCongestion : public BurstCongestion
{
  public:
    uint32_t Grow(const CongestionView& view, uint32_t acked) override
    {
        m_acked += acked;
        const uint32_t added = m_acked / std::max(view.window, 1U);
        m_acked -= added * view.window;
        return added;
    }

    uint32_t ShrinkAfterLoss(uint32_t window) override
    {
        return std::max(window / 2, 2U);
    }

  private:
    uint32_t m_acked{0}; //!< segments acknowledged since the window grew
};

/// DCTCP (RFC 8257): Reno that shrinks by the part of bytes that were marked.
class DctcpCongestion : public RenoCongestion
{
  public:
    uint32_t NoteAck(const CongestionView& view) override
    {
        m_delivered += view.delivered;
        m_marked += view.marked;
        if (view.acked >= m_roundEnd && m_delivered > 0)
        {
            const double part = static_cast<double>(m_marked) / static_cast<double>(m_delivered);
            m_alpha += GAIN * (part - m_alpha);
            m_delivered = 0;
            m_marked = 0;
            m_roundEnd = view.sent;
        }
        return view.threshold;
    }

    uint32_t ShrinkAfterMark(uint32_t window) override
    {
        return std::max(static_cast<uint32_t>(window * (1 - m_alpha / 2)), 2U);
    }

  private:
    static constexpr double GAIN = 1.0 / 16; //!< g of RFC 8257

    double m_alpha{1};       //!< estimated part of bytes that are marked
    uint64_t m_delivered{0}; //!< bytes of this round
    uint64_t m_marked{0};    //!< of these
    uint64_t m_roundEnd{0};  //!< bytes that had been sent when the round began
};

} // namespace

std::vector<std::string>
BurstCongestionNames()
{
    return {"cubic", "linux-reno", "dctcp"};
}

std::unique_ptr<BurstCongestion>
MakeBurstCongestion(const TcpSpec& tcp)
{
    if (tcp.variant == "dctcp")
    {
        return std::make_unique<DctcpCongestion>();
    }
    if (tcp.variant == "linux-reno")
    {
        return std::make_unique<RenoCongestion>();
    }
    return std::make_unique<CubicCongestion>(tcp.hystart);
}

} // namespace ns3::dml
