/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_COLLAPSE_METER_H
#define DML_COLLAPSE_METER_H

#include "dml-interval-union.h"

#include "ns3/dml-run-observer.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-metrics
 * @brief Finds channels whose connection has collapsed: whose transfers take more than a hundred
 * times what links and windows allow.
 *
 * Of each channel, the time in which any transfer was under way (from the first byte to the last at
 * the receiver) is compared with what its transfers would take one after the other at the least
 * rate that a connection gets on the network, with two round trips for each. Of a collective's
 * messages no more than the size of the tensor is known, which lets them take longer. What is
 * shorter than ten retransmission timeouts in all is no collapse: a single lost packet at the end
 * of a small transfer costs one.
 */
class CollapseMeter : public RunListener<CollapseMeter>
{
  public:
    /// What the slowest connection may count on.
    struct Path
    {
        double bytesPerSecond{0}; //!< least rate, all connections being busy
        double roundTrip{0};      //!< s, without queues
        double timeout{0};        //!< least retransmission timeout, s
    };

    /// The channel that is furthest from what it should do.
    struct Collapse
    {
        TransferChannel channel; //!< it
        double goodput{0};       //!< part of the least rate at which its transfers went
        double seconds{0};       //!< in which they were under way
    };

    /**
     * @param bytes of each tensor
     * @param path of the slowest connection
     */
    CollapseMeter(std::vector<uint64_t> bytes, const Path& path);

    void On(const TransferRecord& record);

    /// @return the channel with the least goodput, of those that have collapsed; nothing if none
    /// has
    std::optional<Collapse> GetWorst() const;

  private:
    /// Of one channel.
    struct Sum
    {
        TransferChannel channel; //!< it
        IntervalUnion busy;      //!< latest times in which transfers were under way
        double before{0};        //!< length of those that were before, s
        double allowed{0};       //!< that its transfers may take, s
    };

    std::vector<uint64_t> m_bytes; //!< of each tensor
    Path m_path;                   //!< of the slowest connection
    /// Role and index of the sender, and of the receiver.
    std::map<std::tuple<Role, uint32_t, Role, uint32_t>, Sum> m_channels;
};

} // namespace ns3::dml

#endif /* DML_COLLAPSE_METER_H */
