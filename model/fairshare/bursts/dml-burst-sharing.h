/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BURST_SHARING_H
#define DML_BURST_SHARING_H

#include "dml-burst-ack-times.h"
#include "dml-burst-network.h"
#include "dml-burst-receiver.h"
#include "dml-burst-sender.h"
#include "dml-burst-turns.h"
#include "dml-time-rank.h"

#include "ns3/dml-bandwidth-sharing.h"
#include "ns3/dml-fair-share-network.h"
#include "ns3/dml-load-meter.h"
#include "ns3/dml-turnover-heap.h"
#include "ns3/rng-stream.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-fairshare
 * @brief TCP at the level of GSO bursts: what connections do to each other on real queues, without
 * simulating each packet.
 *
 * Every burst passes the queue of its host and the ports of its route; its ACK comes back the same
 * way that packets would, and waits where they would. What happens at a sender is BurstSender's, at
 * a port BurstPort's. Hosts acknowledge a burst after an exponential time (`ack_jitter`), single
 * segments as RFC 1122 has it. Datagrams of background flows leave at their rate, a segment at a
 * time.
 *
 * A turn is accepted when the send buffer has taken its last byte, which is when the next one on
 * the connection may begin, and it arrives when all bytes up to its end have.
 *
 * It simulates up to the horizon that GetNextEnd() is given and never beyond, so what it does
 * depends neither on how often it is asked nor on what the engine does next.
 */
class BurstSharing : public BandwidthSharing
{
  public:
    /**
     * @param network a prepared network with ports, which outlives this
     * @param observer told of the servers' links; may be null
     */
    BurstSharing(const FairShareNetwork& network, RunObserver* observer);
    ~BurstSharing() override;

    void Start(FlowId flow, double bytes, uint64_t order, double now) override;
    using BandwidthSharing::GetNextEnd;
    const FlowEnd& GetNextEnd(double horizon) override;
    void Finish() override;
    void Stop(FlowId flow, double now) override;
    void SetCapacity(LinkId link, double bytesPerSecond, double now) override;
    void MoveOrigin(double seconds) override;
    void Flush(double now) override;

    bool HeedsAcks() const override
    {
        return true;
    }

    /// Seconds over which the loads of links are averaged.
    static constexpr double METER_INTERVAL = 0.01;

    double GetReturnWait(FlowId flow, double now) const override;
    std::optional<TransportTotals> GetTotals() const override;

  private:
    /// Kinds of events.
    enum class Kind : uint8_t
    {
        SERVED,  //!< port has served a burst
        ARRIVAL, //!< the first burst on a link comes to its end
        RETURN,  //!< an ACK comes that crosses no link
        ACK,     //!< connection acknowledges
        TIMER,   //!< connection looks at its timer, or sends its next datagram
        LEFT,    //!< a burst of connection has left the port of the switch that sends it
    };

    /// An event.
    struct Event
    {
        int64_t rank;   //!< of its time, see RankOf()
        uint64_t order; //!< rank among simultaneous ones
        uint32_t index; //!< of a link, a burst or a connection
        Kind kind;      //!< what happens

        /// @param other another event @return whether this one happens first
        bool GoesBefore(const Event& other) const
        {
            return rank != other.rank ? rank < other.rank : order < other.order;
        }
    };

    /// A burst of which it is known when it leaves the port of its sender.
    struct Leaving
    {
        double time; //!< seconds
        double size; //!< bytes on the link
    };

    /// A TCP connection, or a flow of datagrams.
    struct Connection
    {
        std::unique_ptr<BurstSender> sender;     //!< null before it is used
        uint32_t forward{NO_ROUTE};              //!< index of the first hop of its bytes
        uint32_t reverse{NO_ROUTE};              //!< index of the first hop of its ACKs
        uint32_t life{0};                        //!< how often it was opened anew
        uint32_t unacknowledged{0};              //!< segments since the last ACK
        double ackAt{BurstSender::NEVER};        //!< when an ACK is due, seconds
        uint64_t ackOrder{0};                    //!< rank of that among simultaneous events
        double ackWatchedAt{BurstSender::NEVER}; //!< when an event looks whether it is due, seconds
        double timerAt{BurstSender::NEVER};      //!< when an event looks at the timer, seconds
        bool acksBurst{false};                   //!< the ACK that is due is of a burst
        BurstReceiver receiver;                  //!< the other side
        BurstTurns turns;                        //!< that have not arrived
        double rate{0};                //!< of datagrams, bytes on the link per second; 0: TCP
        double pause{0};               //!< until the next datagram when it goes on, seconds
        double returnDelay{0};         //!< of ACKs that cross no link, seconds
        double roundTrip{0};           //!< of a handshake, seconds
        uint32_t gsoSize{0};           //!< bytes of its host's largest burst; 0: single segments
        uint32_t control{0};           //!< its congestion control, see TcpNetwork::GetVariant()
        std::deque<Leaving> leaving{}; //!< bursts in the port of the switch that sends them
    };

    static constexpr uint32_t NO_ROUTE = UINT32_MAX; //!< of a connection that crosses no link

    void MakeConnections(const FairShareNetwork& network);
    void Schedule(double time, uint64_t order, Kind kind, uint32_t index);
    // inline: one file has all their callers, and a burst takes a dozen of these calls
    inline void WatchLink(LinkId link);
    inline void Handle(Kind kind, uint32_t index, uint64_t order);
    inline void Enter(BurstId id, double time);
    inline void Serve(LinkId link);
    void LoseAll(BurstPort& port, BurstId id);
    void LoseEnd(BurstPort& port, NetworkBurst& burst, uint32_t segments);
    inline void HandleServed(LinkId link);
    void HandleLeft(uint32_t index);
    /// @brief Tell the next port of a burst that is being sent. @param burst it @param departure
    /// when its last segment leaves, seconds @param port that sends it
    inline void Announce(const NetworkBurst& burst, double departure, const BurstPort& port);
    inline void Depart(BurstId id, double departure, LinkId link);
    inline void HandleArrival(LinkId link);
    inline void TakeBurst(BurstId id);
    inline void TakeData(uint32_t index, const NetworkBurst& burst);
    inline void TakeAck(uint32_t index, const NetworkBurst& burst);
    inline void WatchAck(uint32_t index);
    inline void HandleAckTime(uint32_t index, uint64_t order);
    /// @brief The last thing that the handling of an event does. @param index of the connection
    inline void SendAck(uint32_t index);
    /// @param time seconds @return whether nothing else happens until then, nor then, if what is
    /// happening causes nothing
    inline bool IsQuietUntil(double time) const;
    void SendData(uint32_t index);
    void SendDatagram(uint32_t index);
    void HandleTimer(uint32_t index);
    inline void WatchTimer(uint32_t index);
    void Drop(const NetworkBurst& burst, uint32_t bytes);
    inline void AcceptTurns(Connection& connection);
    void Report(const BurstTurns::Turn& turn, FlowEnd::Kind kind);
    void Close(Connection& connection);
    static void AddTotals(const Connection& connection, uint32_t segment, TransportTotals& totals);
    inline uint32_t CountSegments(uint32_t bytes) const;
    inline double GetLinkBytes(uint32_t bytes, uint32_t segments) const;

    const TcpNetwork& m_tcp;               //!< segments and hosts
    double m_linkRatio;                    //!< bytes on a link for a byte of a tensor
    double m_ackSize;                      //!< bytes on a link
    double m_ackTimeout;                   //!< until a single segment is acknowledged, seconds
    RngStream m_random;                    //!< draws what ports drop, and seeds m_ackTimes
    BurstAckTimes m_ackTimes;              //!< until a burst is acknowledged
    BurstNetwork m_network;                //!< ports, routes and what is on its way
    std::vector<Connection> m_connections; //!< by number
    std::vector<uint32_t> m_connectionOf;  //!< by flow
    TurnoverHeap<Event> m_events;          //!< to come
    uint64_t m_order{0};                   //!< events so far
    double m_now{0};                       //!< seconds
    int64_t m_horizon{0};                  //!< rank of the time up to which events are handled
    std::deque<FlowEnd> m_ends;            //!< that the engine has not heard of
    FlowEnd m_none;                        //!< nothing ends
    LoadMeter m_meter;                     //!< of servers' links
    TransportTotals m_closed;              //!< of connections that were closed, and events of all
};

} // namespace ns3::dml

#endif /* DML_BURST_SHARING_H */
