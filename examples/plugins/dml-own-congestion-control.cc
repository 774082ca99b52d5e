/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A congestion control of one's own: additive increase and multiplicative decrease by any two
// numbers (Yang and Lam: General AIMD Congestion Control, ICNP 2000). It is a TcpCongestionOps of
// ns-3 like any other, and knows nothing of dml. doc/extending.rst shows how a scenario chooses it.

#include "ns3/double.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <string>

namespace example
{

using namespace ns3;

class Aimd : public TcpCongestionOps
{
  public:
    static TypeId GetTypeId();

    std::string GetName() const override
    {
        return "Aimd";
    }

    void IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked) override
    {
        const uint32_t window = std::max(1U, tcb->GetCwndInSegments());
        const bool slowStart = tcb->m_cWnd < tcb->m_ssThresh;
        m_segments += (slowStart ? 1 : m_increase / window) * segmentsAcked;
        const auto whole = static_cast<uint32_t>(m_segments);
        m_segments -= whole;
        tcb->m_cWnd += whole * tcb->m_segmentSize;
    }

    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t /* bytesInFlight */) override
    {
        const auto less = static_cast<uint32_t>(tcb->m_cWnd * (1 - m_decrease));
        return std::max(less, 2 * tcb->m_segmentSize);
    }

    Ptr<TcpCongestionOps> Fork() override // for connections that come to a listening socket
    {
        return CopyObject<Aimd>(this);
    }

  private:
    double m_increase{1};   //!< attribute, segments in a round trip
    double m_decrease{0.5}; //!< attribute, part of the window
    double m_segments{0};   //!< by which the window is still to grow, below 1
};

NS_OBJECT_ENSURE_REGISTERED(Aimd);

TypeId
Aimd::GetTypeId()
{
    static TypeId tid = TypeId("example::Aimd")
                            .SetParent<TcpCongestionOps>()
                            .AddConstructor<Aimd>()
                            .AddAttribute("Increase",
                                          "Segments by which the window grows in a round trip.",
                                          DoubleValue(1),
                                          MakeDoubleAccessor(&Aimd::m_increase),
                                          MakeDoubleChecker<double>(0))
                            .AddAttribute("Decrease",
                                          "Part of the window that a loss or a mark takes.",
                                          DoubleValue(0.5),
                                          MakeDoubleAccessor(&Aimd::m_decrease),
                                          MakeDoubleChecker<double>(0, 1));
    return tid;
}

} // namespace example
