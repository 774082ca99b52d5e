/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TCP_COUNTER_H
#define DML_TCP_COUNTER_H

#include "ns3/dml-step-application.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::dml
{

class DeferredEffects;

/// What TCP did against losses, over all connections.
struct TcpCounts
{
    uint64_t retransmissions{0}; //!< segments with data (or SYN) that were sent before
    uint64_t timeouts{0};        //!< retransmission timers that ran out on data
    uint64_t recoveries{0};      //!< fast recoveries that were entered
};

/**
 * @ingroup dml-packet
 * @brief Counts what TCP does against losses on the connections of applications.
 *
 * Hooks the traces Tx, CongState and RTO of both ends of every connection. An accepted connection
 * is seen from its acceptance on, without its SYN-ACK.
 */
class TcpCounter
{
  public:
    /// @param effects where to count; null: at once
    explicit TcpCounter(DeferredEffects* effects = nullptr);
    ~TcpCounter();
    TcpCounter(const TcpCounter&) = delete;
    TcpCounter& operator=(const TcpCounter&) = delete;

    /// @param application whose connections to count, before it starts; this must outlive its use
    void Watch(Ptr<StepApplication> application);

    /// @param what is counted @param more that was not simulated
    void Credit(uint64_t TcpCounts::*what, uint64_t more)
    {
        m_counts.*what += more;
    }

    /// @return the counts so far
    const TcpCounts& GetCounts() const
    {
        return m_counts;
    }

  private:
    /// One end of a connection.
    class End;

    void Add(Ptr<Socket> socket, uint32_t peer);
    void Count(uint64_t TcpCounts::*what);

    std::vector<std::unique_ptr<End>> m_ends; //!< in order of appearance
    TcpCounts m_counts;                       //!< of all
    DeferredEffects* m_effects;               //!< may be null
};

} // namespace ns3::dml

#endif /* DML_TCP_COUNTER_H */
