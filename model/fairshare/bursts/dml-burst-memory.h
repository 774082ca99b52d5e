/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BURST_MEMORY_H
#define DML_BURST_MEMORY_H

#include <vector>

namespace ns3::dml
{

class BurstPort;

/**
 * @ingroup dml-fairshare
 * @brief The memory of a switch that its ports share, for bursts (SharedBuffer).
 *
 * Ports know what they hold at a time; only those that may hold something are asked.
 */
class BurstMemory
{
  public:
    /// @param bytes of it, above 0
    explicit BurstMemory(double bytes)
        : m_bytes(bytes)
    {
    }

    /// @brief Something waits in a port, or comes to it. @param port that shares this memory
    void Use(BurstPort& port);

    /// @param now seconds, not before the last call @param port that shares this memory @return
    /// bytes that it may hold
    double FindLimit(double now, const BurstPort& port);

  private:
    double m_bytes;                  //!< of the memory
    std::vector<BurstPort*> m_ports; //!< that may hold something, each once
};

} // namespace ns3::dml

#endif /* DML_BURST_MEMORY_H */
