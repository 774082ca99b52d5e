/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LINK_TOTALS_H
#define DML_LINK_TOTALS_H

#include "dml-cluster.h"

#include "ns3/data-rate.h"
#include "ns3/net-device-container.h"
#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/queue-disc.h"
#include "ns3/queue-item.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace ns3::dml
{

class DeferredEffects;

/// What one direction of a link has sent, and what its queue did.
struct LinkCount
{
    uint64_t bytes{0};   //!< sent, headers included
    uint64_t packets{0}; //!< sent
    uint64_t dropped{0}; //!< packets dropped by the sending port's queue
    uint64_t marked{0};  //!< packets marked (ECN) by the sending port's queue
    uint64_t lost{0};    //!< packets lost on the way, by a fault
};

/// What one direction of a link did in a run.
struct LinkTotals : LinkCount
{
    std::string link{};       //!< from->to, names of nodes
    uint64_t rate{0};         //!< bits per second
    uint64_t fullestQueue{0}; //!< bytes: largest content of the queue, where it is a FIFO
    double utilisation{0};    //!< bytes over those that fit into the run
};

/**
 * @ingroup dml-packet
 * @brief Reads the counters of ns-3's devices, queues and queue discs.
 *
 * Where effects are held back, counts what they count; then a direction's numbers are those of the
 * rank that sends, except packets lost, which are those of the rank that receives.
 */
class LinkCounters
{
  public:
    /// @param cluster with nodes; must outlive this @param effects where to count; null: at once
    explicit LinkCounters(const Cluster& cluster, DeferredEffects* effects = nullptr);
    /**
     * @brief Count what devices of any network send.
     * @param devices both ends of point-to-point links, or one; the direction in which the device
     * number i sends is link i
     * @throws InputError if one is no PointToPointNetDevice, or is not connected
     */
    explicit LinkCounters(const NetDeviceContainer& devices);
    LinkCounters(const LinkCounters&) = delete;
    LinkCounters& operator=(const LinkCounters&) = delete;

    /**
     * @param duration of the run
     * @return totals of every directed link so far
     */
    std::vector<LinkTotals> GetTotals(Time duration) const;

    /// @param link any @return what it has counted so far
    LinkCount GetCount(DirectedLink link) const;

    /// @param link any @return bytes that wait to be sent
    uint64_t GetQueue(DirectedLink link) const;

    /// @param link any @param what is counted @param more that was not simulated
    void Credit(DirectedLink link, uint64_t LinkCount::*what, uint64_t more);

  private:
    /// What ns-3 traces but does not count.
    struct Counts
    {
        std::string name;                  //!< from->to, names of nodes
        DataRate rate;                     //!< at which it is sent
        Ptr<PointToPointNetDevice> device; //!< device that sends; null: a LocalLink
        Ptr<QueueDisc> disc;               //!< queue above the device; null: the device queues
        DeferredEffects* effects{nullptr}; //!< where to count; null: at once
        uint32_t fullest{0};               //!< bytes
        uint64_t left{0};                  //!< bytes that have left the queue of the device
        /// What was lost; the rest only if effects are held back, or something was not simulated.
        LinkCount own;
    };

    /// Watch what a device sends. @param counts of it @param other the device that receives
    /// @param isFifo whether its queue disc, if it has one, sends in order of arrival
    static void WatchDevice(Counts& counts, const Ptr<NetDevice>& other, bool isFifo);
    void Watch(DirectedLink link);
    static void QueueChanged(Counts* counts, uint32_t before, uint32_t now);
    static void DeviceQueueChanged(Counts* counts, uint32_t before, uint32_t now);
    static void Dequeued(Counts* counts, Ptr<const Packet> packet);
    void WatchLocal(DirectedLink link);
    void SentLocally(DirectedLink link, uint32_t bytes);
    template <typename... Args>
    static void CountOne(Counts* counts, uint64_t LinkCount::*what, Args...);

    const Cluster* m_cluster{nullptr};   //!< cluster with the links; null: there is none
    DeferredEffects* m_effects{nullptr}; //!< may be null
    std::vector<Counts> m_counts;        //!< by directed link
    std::set<Ptr<NetDevice>> m_locals;   //!< local links that are watched
};

} // namespace ns3::dml

#endif /* DML_LINK_TOTALS_H */
