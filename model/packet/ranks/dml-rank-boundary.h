/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RANK_BOUNDARY_H
#define DML_RANK_BOUNDARY_H

#include "ns3/packet.h"
#include "ns3/point-to-point-net-device.h"

#include <cstdint>

namespace ns3::dml
{

class LineageScheduler;

/**
 * @ingroup dml-packet
 * @brief What passes between this rank and the others: gives each packet its lineage on the way,
 * and its place in the order of events where it arrives.
 *
 * A channel between ranks must deliver EARLY before the packet is due: the boundary then schedules
 * the arrival itself, with the lineage that the packet carries.
 */
class RankBoundary
{
  public:
    /// By how much channels between ranks must be shorter than the links they stand for, ns.
    static constexpr int64_t EARLY = 1;

    /// @param scheduler of the simulator; must outlive this
    explicit RankBoundary(LineageScheduler& scheduler);
    RankBoundary(const RankBoundary&) = delete;
    RankBoundary& operator=(const RankBoundary&) = delete;

    /// @param device of this rank whose link leads to another one
    void Add(Ptr<PointToPointNetDevice> device);

    /// @return packets sent to other ranks, less those received from them
    int64_t GetBalance() const;

  private:
    static void Sending(RankBoundary* boundary, Ptr<const Packet> packet);
    static void Arrived(RankBoundary* boundary,
                        Ptr<PointToPointNetDevice> device,
                        Ptr<Packet> packet);

    LineageScheduler& m_scheduler; //!< of the simulator
    uint64_t m_sent{0};            //!< packets
    uint64_t m_received{0};        //!< packets
};

} // namespace ns3::dml

#endif /* DML_RANK_BOUNDARY_H */
