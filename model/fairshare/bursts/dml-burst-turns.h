/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BURST_TURNS_H
#define DML_BURST_TURNS_H

#include "ns3/dml-flow-network.h"

#include <cstddef>
#include <cstdint>
#include <deque>

namespace ns3::dml
{

/**
 * @ingroup dml-fairshare
 * @brief The turns of a connection that have not arrived: each is accepted once the send buffer has
 * taken its last byte, and arrives when all bytes up to its end have.
 */
class BurstTurns
{
  public:
    /// What a flow sends without interruption.
    struct Turn
    {
        uint64_t end;   //!< in the stream
        uint64_t order; //!< as the engine gave it
        FlowId flow;    //!< whose it is
    };

    /// @param bytes that a flow sends next, after which it ends @param order of that end
    /// @param flow whose it is
    void Add(uint64_t bytes, uint64_t order, FlowId flow)
    {
        m_written += bytes;
        m_turns.push_back({m_written, order, flow});
    }

    /// @param accepted bytes of the stream that are @param report told of each turn that is now
    template <typename Function>
    void Accept(uint64_t accepted, const Function& report)
    {
        for (; m_accepted < m_turns.size() && m_turns[m_accepted].end <= accepted; ++m_accepted)
        {
            report(m_turns[m_accepted]);
        }
    }

    /// @param received bytes of the stream that have arrived @param report told of each turn that
    /// has now
    template <typename Function>
    void Arrive(uint64_t received, const Function& report)
    {
        while (!m_turns.empty() && m_turns.front().end <= received)
        {
            report(m_turns.front());
            m_turns.pop_front();
            --m_accepted;
        }
    }

  private:
    std::deque<Turn> m_turns{}; //!< in order
    std::size_t m_accepted{0};  //!< the first ones of these
    uint64_t m_written{0};      //!< bytes of all so far
};

} // namespace ns3::dml

#endif /* DML_BURST_TURNS_H */
