/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LINK_PROBE_H
#define DML_LINK_PROBE_H

#include "ns3/dml-run-observer.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/point-to-point-net-device.h"

#include <cstdint>

namespace ns3::dml
{

class DeferredEffects;

/**
 * @ingroup dml-packet
 * @brief Reports what a device puts on its link, in wire bytes, as mean rates over short intervals.
 *
 * Hooks the device's PhyTxEnd trace. Intervals without a packet are not reported.
 */
class LinkProbe
{
  public:
    /**
     * @param device the sending end of the link
     * @param link what it is to a parameter server
     * @param interval length of an interval
     * @param origin simulation time from which records count
     * @param recorder told of each interval; may be null
     * @param effects where to count; null: at once
     */
    LinkProbe(Ptr<PointToPointNetDevice> device,
              const AccessLink& link,
              Time interval,
              Time origin,
              JobRecorder recorder,
              DeferredEffects* effects = nullptr);
    LinkProbe(const LinkProbe&) = delete;
    LinkProbe& operator=(const LinkProbe&) = delete;

    /// @brief Count bytes that were not simulated. @param from time of the model
    /// @param to later time @param bytes between them
    void Credit(Time from, Time to, uint64_t bytes);

    /// @brief Report the last interval.
    void Flush();

    /// @return bytes put on the link, link-layer headers included
    uint64_t GetBytes() const;

  private:
    void Transmitted(Ptr<const Packet> packet);
    void Count(int64_t time, uint64_t bytes);

    AccessLink m_link;          //!< what it is to a parameter server
    int64_t m_interval;         //!< time steps
    int64_t m_origin;           //!< time steps
    JobRecorder m_recorder;     //!< may be nobody
    DeferredEffects* m_effects; //!< may be null
    int64_t m_current{-1};      //!< number of the interval
    uint64_t m_inInterval{0};   //!< bytes in it
    uint64_t m_total{0};        //!< bytes
};

} // namespace ns3::dml

#endif /* DML_LINK_PROBE_H */
