/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BACKGROUND_TRAFFIC_H
#define DML_BACKGROUND_TRAFFIC_H

#include "ns3/application.h"
#include "ns3/dml-background-flow.h"
#include "ns3/dml-cluster.h"
#include "ns3/dml-network-spec.h"
#include "ns3/dml-skippable-flow.h"
#include "ns3/inet-socket-address.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// A part of a background flow that was left out.
struct SkippedTraffic
{
    uint64_t sent{0};    //!< bytes of payload
    uint64_t arrived{0}; //!< of these; the rest is dropped on the way
    uint64_t payload{1}; //!< of a packet, bytes
    uint64_t acks{0};    //!< ACKs that would have gone back
};

/**
 * @ingroup dml-packet
 * @brief Sends a flow that is of no job, by the model's clock.
 */
class BackgroundSource : public Application
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    /// @param origin time from which the flow's times count @param flow from this node
    /// @param sink where it goes @param port from which it is sent; 0: any
    void Configure(Time origin,
                   const BackgroundSpec& flow,
                   const InetSocketAddress& sink,
                   uint16_t port);

    /// @return the flow, for FastForward
    virtual SkippableFlow& GetFlow() = 0;

    /// @param skipped told what was left out
    void SetSkipHandler(std::function<void(const SkippedTraffic& skipped)> skipped)
    {
        m_skipped = std::move(skipped);
    }

  protected:
    /// It starts.
    virtual void Begin() = 0;
    /// It stops.
    virtual void End() = 0;

    BackgroundSpec m_spec;                                //!< what to send
    InetSocketAddress m_sink{Ipv4Address(), 0};           //!< where to
    uint16_t m_port{0};                                   //!< from which it is sent; 0: any
    std::function<void(const SkippedTraffic&)> m_skipped; //!< told what was left out; may be empty

  private:
    void StartApplication() override;

    Time m_origin; //!< from which times count
};

/**
 * @ingroup dml-packet
 * @brief Flows that are not of a training job: UDP at a constant rate and on/off, in datagrams that
 * fill a packet, and bulk over TCP with the scenario's settings. They end in ns-3's PacketSink.
 */
class BackgroundTraffic
{
  public:
    /**
     * @param cluster where the hosts are; must outlive the traffic
     * @param origin simulation time from which the flows' times count
     */
    BackgroundTraffic(const Cluster& cluster, Time origin);

    /**
     * @brief Install a flow, or the end of it that is on this rank.
     * @param flow between two hosts of the cluster
     * @param times the same flow, with the on and off times that both engines have
     */
    void Add(const BackgroundSpec& flow, const BackgroundFlow& times);

    /// @return bytes of payload of a datagram
    uint32_t GetDatagramSize() const;

    /// @return senders of the flows in the order of Add(), of those that begin on this rank
    const std::vector<Ptr<BackgroundSource>>& GetSources() const
    {
        return m_sources;
    }

  private:
    const Cluster& m_cluster;                     //!< where the hosts are
    Time m_origin;                                //!< from which times count
    uint32_t m_flows{0};                          //!< how many there are
    std::vector<Ptr<BackgroundSource>> m_sources; //!< of the flows
};

} // namespace ns3::dml

#endif /* DML_BACKGROUND_TRAFFIC_H */
