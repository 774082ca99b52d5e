/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BACKGROUND_SOURCE_H
#define DML_BACKGROUND_SOURCE_H

#include "ns3/application.h"
#include "ns3/bulk-send-application.h"
#include "ns3/data-rate.h"
#include "ns3/dml-background-flow.h"
#include "ns3/dml-model-clock.h"
#include "ns3/dml-network-spec.h"
#include "ns3/dml-skippable-flow.h"
#include "ns3/event-id.h"
#include "ns3/inet-socket-address.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/socket.h"

#include <cstdint>
#include <functional>
#include <optional>

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
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// @param origin time from which the flow's times count @param flow from this node
    /// @param sink where it goes
    void Configure(Time origin, const BackgroundSpec& flow, const InetSocketAddress& sink);

    /// @return the flow, for FastForward
    virtual SkippableFlow& GetFlow() = 0;

    /// @param skipped told what was left out
    void SetSkipHandler(std::function<void(const SkippedTraffic& skipped)> skipped);

  protected:
    /// It starts.
    virtual void Begin() = 0;
    /// It stops.
    virtual void End() = 0;

    BackgroundSpec m_spec;                                //!< what to send
    InetSocketAddress m_sink{Ipv4Address(), 0};           //!< where to
    std::function<void(const SkippedTraffic&)> m_skipped; //!< told what was left out; may be empty

  private:
    void StartApplication() override;

    Time m_origin; //!< from which times count
};

/**
 * @ingroup dml-packet
 * @brief Datagrams at a constant rate, all the time or now and then. They come when those of
 * OnOffApplication come, whose periods go by ns-3's clock instead.
 */
class DatagramSource : public BackgroundSource, private SkippableFlow
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// @param times of the flow, the same in all engines @param size of a datagram's payload, bytes
    void SetDatagrams(const BackgroundFlow& times, uint32_t size);

    /// @brief Trace sink of who gets them. @param packet that has arrived
    void Arrived(Ptr<const Packet> packet, const Address&);

    SkippableFlow& GetFlow() override;

  private:
    void Begin() override;
    void End() override;
    /// An on period begins, or an off period.
    void Switch();
    void StartSending();
    void StopSending();
    void ScheduleNext();
    void Send();

    void Update() override;
    double GetGivenRate() const override;
    uint64_t Skip(const Time& from, const Time& to, uint64_t acks) override;

    std::optional<OnOffTimes> m_times; //!< of ON_OFF
    uint32_t m_size{0};                //!< bytes of a datagram's payload
    Ptr<Socket> m_socket;              //!< null: not begun, or ended
    bool m_on{false};                  //!< sends
    ModelEvent m_switch;               //!< end of a period
    EventId m_next;                    //!< the next datagram
    Time m_last;                       //!< when the last one went, or the period began
    uint64_t m_saved{0};               //!< bits of the next one, from periods before this
    uint32_t m_sent{0};                //!< how many
    uint32_t m_arrived{0};             //!< of these
    uint32_t m_passed{0};              //!< of these, up to the last one that has arrived
    uint32_t m_passedBefore{0};        //!< m_passed at the last look
    uint32_t m_arrivedBefore{0};       //!< m_arrived then
    double m_through{1};               //!< part that arrived, from look to look
    double m_rest{0};                  //!< of a datagram, not yet left out
};

/**
 * @ingroup dml-packet
 * @brief BulkSendApplication by the model's clock.
 */
class BulkSource : public BackgroundSource, private SkippableTcpFlow
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    SkippableFlow& GetFlow() override;

  private:
    void Begin() override;
    void End() override;

    void Update() override;
    bool IsAsking() const override;
    uint64_t Skip(const Time& from, const Time& to, uint64_t acks) override;

    void Written(Ptr<const Packet> packet);
    void Sent(Ptr<const Packet> packet, const TcpHeader&, Ptr<const TcpSocketBase>);

    Ptr<BulkSendApplication> m_sender; //!< null: not begun
    bool m_ended{false};               //!< it writes no more
    uint64_t m_written{0};             //!< bytes that TCP has got
    uint64_t m_spared{0};              //!< bytes that were left out
    uint64_t m_sent{0};                //!< bytes that TCP has sent
    uint64_t m_packets{0};             //!< with these
};

} // namespace ns3::dml

#endif /* DML_BACKGROUND_SOURCE_H */
