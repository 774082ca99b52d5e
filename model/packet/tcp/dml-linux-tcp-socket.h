/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LINUX_TCP_SOCKET_H
#define DML_LINUX_TCP_SOCKET_H

#include "dml-reordering-tolerance.h"
#include "dml-retransmission-queue.h"
#include "dml-sequence-ranges.h"
#include "dml-small-queues.h"

#include "ns3/dml-linux-sending.h"
#include "ns3/dml-ns3-compat.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"
#include "ns3/sequence-number.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-option-sack.h"

#include <cstdint>
#include <optional>

namespace ns3::dml
{

/**
 * @ingroup dml-packet
 * @brief A TCP socket that sends when Linux would.
 *
 * What Linux adds to TCP between the congestion control and the wire; each part can be switched off
 * by an attribute, and with all of them off it is ns-3's TcpSocketBase:
 *
 * - GsoSize: segments leave in bursts, as large as tcp_tso_autosize() and tcp_tso_should_defer()
 *   want them, and the receiver acknowledges a burst, not every second segment (GRO).
 * - Trains: such a burst is one packet of the simulator (TrainQueue).
 * - SmallQueues: a socket has little waiting in its own host (tcp_small_queue_check()).
 * - WindowValidation: the congestion window grows only if it was used (tcp_cwnd_validate(), RFC
 * 7661),
 * - IdleRestart: and shrinks while nothing is sent (tcp_cwnd_restart(), RFC 5681 section 4.1).
 * - MaxSendBuffer: the send buffer grows with the congestion window (tcp_sndbuf_expand()), up to
 * it.
 * - RecentAck: segments are lost when something that was sent well after them has arrived, also
 *   retransmitted ones (RACK, RFC 8985 section 6; RetransmissionQueue), and are sent again before
 *   anything else (tcp_xmit_retransmit_queue()),
 * - TailLossProbe: and the last ones are probed for after two round trips (section 7).
 *   Where segments arrive out of order, RecentAck also learns how far they may overtake each other
 *   (ReorderingTolerance), and takes back what it has made the window smaller by when D-SACKs (RFC
 *   2883) tell that nothing was lost (tcp_try_undo_dsack()).
 * - ExactRoundTrip: round trips are those of the last segment that an ACK covers, in ns, where the
 *   timestamps of ns-3 are in ms and TcpSocketBase takes the first one.
 */
class LinuxTcpSocket : public Ns3Parent<LinuxTcpSocket, TcpSocketBase>
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    LinuxTcpSocket();
    /// Of the one that listens. @param socket it
    LinuxTcpSocket(const LinuxTcpSocket& socket);
    ~LinuxTcpSocket() override;

    int Send(Ptr<Packet> packet, uint32_t flags) override;

  protected:
    Ptr<TcpSocketBase> Fork() override;
    void DoForwardUp(Ptr<Packet> packet, const Address& from, const Address& to) override;
    uint32_t AvailableWindow() const override;
    uint32_t SendDataPacket(SequenceNumber32 sequence, uint32_t size, bool withAck) override;
    void ReceivedAck(Ptr<Packet> packet, const TcpHeader& header) override;
    uint32_t BytesInFlight() const override;
    void NewAck(const SequenceNumber32& sequence, bool resetTimeout) override;
    void ReTxTimeout() override;
    void ReceivedData(Ptr<Packet> packet, const TcpHeader& header) override;
    void EstimateRtt(const TcpHeader& header) override;
    void DelAckTimeout() override;
    void SendEmptyPacket(uint8_t flags) override;

  private:
    /// @return payload of the next burst if the window allows, in bytes
    uint32_t GetBurstGoal() const;
    /// @param window that is free, bytes @return payload of the next burst
    uint32_t GetBurst(uint32_t window) const;
    /// Have ns-3 send a burst as one packet. @param window that is free, bytes
    void BeginTrain(uint32_t window) const;
    /// A segment is a segment again.
    void EndTrain() const;
    /// @param window that is free, bytes @return whether a larger burst is worth waiting for
    bool IsDeferred(uint32_t window) const;

    /// What held before an ACK, or a timer, changed it.
    struct StateBefore
    {
        bool recovers{false};  //!< whether a recovery went on
        uint32_t window{0};    //!< congestion window, bytes
        uint32_t threshold{0}; //!< of slow start, bytes
    };

    /// What a needless recovery has changed.
    struct UndoState
    {
        bool isPossible{false}; //!< a recovery has begun, and was not undone
        SequenceNumber32 begin; //!< first byte that it sent again
        uint32_t window{0};     //!< congestion window before it, bytes
        uint32_t threshold{0};  //!< of slow start before it, bytes
        uint32_t bytes{0};      //!< that it sent again, and that have not arrived twice
    };

    /// @return whether losses are repaired, and only as Linux does it
    bool RepairsAsLinux() const;
    /// @return whether a recovery has neither lost nor new segments to send
    bool HasNothingToSend() const;
    /// @return whether too much waits in this host
    bool IsThrottled() const;
    /// @return what decides how much is sent at once
    SenderView GetView() const;
    /// Let the segments that go down now be a burst. @param bytes of payload in it
    void BeginBurst(uint32_t bytes);
    /// @return bytes that have never been sent
    uint32_t GetUnsent() const;
    /// Continue, when some of what waited in this host is gone.
    void HandleLeft();
    /// Send what may be sent.
    void Resume();
    /// @param header of an ACK @return what has arrived behind gaps, the latest block first; empty
    /// without the option
    static TcpOptionSack::SackList ListSackBlocks(const TcpHeader& header);
    /// @return whether losses are found in the RetransmissionQueue
    bool FindsLosses() const;
    /// Hold lost what was sent well before something that has arrived. @return how long until more
    /// of it is overdue; 0: no more is
    Time DetectLosses();
    /// Take an ACK into the RetransmissionQueue. @param header of it @return as DetectLosses()
    Time NoteDelivered(const TcpHeader& header);
    /// After an ACK in which something was missing: begin a recovery if something is lost, send
    /// that again, then what is new. @param recovered whether a recovery went on before the ACK
    /// @param wait as NoteDelivered() returned it
    void Repair(bool recovered, const Time& wait);
    /// Segments were overtaken, and have not come since.
    void HandleOverdue();
    /// Begin a recovery if something is lost and none goes on, and send again what is lost.
    void SendLost();
    /// Have HandlePacket() called: copies may come.
    void WatchCopies();
    /// Take a packet as TcpSocketBase does, which does not tell of copies. @param packet it, with
    /// its TCP header @param header IP header @param port of the sender @param interface it came by
    void HandlePacket(Ptr<Packet> packet,
                      Ipv4Header header,
                      uint16_t port,
                      Ptr<Ipv4Interface> interface);
    /// Note what arrives a second time. @param begin first byte @param bytes of payload
    void NoteCopy(SequenceNumber32 begin, uint32_t bytes);
    /// @return the first byte that was sent once and that no SACK has covered so far, or @p end or
    /// a later one @param begin the first that may be @param end behind the last
    SequenceNumber32 FindFirstArrival(SequenceNumber32 begin, SequenceNumber32 end) const;
    /// @return packets on their way that begin there @param begin first byte @param end behind the
    /// last
    uint32_t CountSent(SequenceNumber32 begin, SequenceNumber32 end) const;
    /// @param header of an ACK that has not been taken yet @return packets from one that it reports
    /// late to the last one that has arrived; 0 if it reports none
    uint32_t CountOvertakers(const TcpHeader& header) const;
    /// Learn from an ACK that has been taken. @param header of it @param overtakers as
    /// CountOvertakers() found them before
    void NoteOrder(const TcpHeader& header, uint32_t overtakers);
    /// Go on while segments arrive out of order. @param acknowledged up to there @param bytes of
    /// them that are new
    void ContinueInDisorder(SequenceNumber32 acknowledged, uint32_t bytes);
    /// Note the state before something changes it.
    void NoteState();
    /// A recovery sends something again. @param sequence its first byte @param bytes number of them
    void NoteSentAgain(SequenceNumber32 sequence, uint32_t bytes);
    /// An ACK may tell that something has arrived twice. @param packet it
    void HandleDuplicate(const Packet& packet);
    /// Nothing was lost: go on as before the recovery.
    void UndoRecovery();
    /// Have HandleSent() called.
    void TraceSent();
    /// @return how long an ACK may stay away
    Time GetProbeTimeout() const;
    /// Have a probe sent, if no ACK comes for long.
    void ScheduleProbe();
    /// Send it, if it is due.
    void HandleProbe();
    /// Let slow start lead back to most of the window, which is to shrink (tcp_current_ssthresh()).
    void KeepThreshold();
    /// Shrink the window after a pause.
    void RestartAfterIdle();
    /// Find out whether the window limits the sender, before an ACK changes anything.
    void NoteUsage();
    /// @return whether the window limits the sender
    bool IsWindowUsed() const;
    /// A packet goes down. @param packet payload @param header of it @param socket this
    void HandleSent(Ptr<const Packet> packet,
                    const TcpHeader& header,
                    Ptr<const TcpSocketBase> socket);

    std::optional<TcpHeader> m_overtakenAck; //!< of the segment that is being taken, if it is one
    uint32_t m_gsoSize{65536};               //!< attribute
    bool m_trains{false};                    //!< attribute
    bool m_smallQueues{true};                //!< attribute
    bool m_windowValidation{true};           //!< attribute
    bool m_idleRestart{true};                //!< attribute
    uint32_t m_maxSendBuffer{0};             //!< attribute
    bool m_exactRoundTrip{true};             //!< attribute
    Ptr<RandomVariableStream> m_ackJitter;   //!< attribute
    bool m_recentAck{true};                  //!< attribute
    bool m_tailProbe{true};                  //!< attribute
    bool m_holdsAck{false};                  //!< more of the burst that arrives is to come
    bool m_ackHeld{false};                   //!< an ACK waits for that
    SequenceNumber32 m_heldEnd;              //!< behind the last segment that has arrived
    bool m_acknowledgesOne{false};           //!< the delayed ACK that waits is not of a burst
    bool m_acknowledgesBurst{false};         //!< the delayed ACK that waits is of a whole burst
    Ptr<SmallQueues> m_queues;               //!< of this host; null: nothing sent yet
    uint32_t m_number{0};                    //!< in m_queues
    mutable bool m_throttled{false};         //!< waits for its host's queues
    mutable bool m_deferred{false};          //!< waits for a larger burst
    mutable uint32_t m_segment{0};           //!< bytes of a segment while a train goes out; else 0
    uint32_t m_burstLeft{0};                 //!< bytes of the burst that goes out now
    Time m_burstTime{-1};                    //!< when it began
    uint32_t m_burst{0};                     //!< its number
    uint32_t m_following{0};                 //!< its packets after the one that goes down now
    EventId m_resume;                        //!< sends on
    RetransmissionQueue m_queue;             //!< what has been sent, if FindsLosses()
    uint32_t m_delivered{0};                 //!< by the last ACK, bytes
    uint32_t m_mostWindow{UINT32_MAX};       //!< to which an ACK may grow the window, bytes
    EventId m_reordering;                    //!< segments have been overtaken
    SequenceNumber32 m_highestSacked;        //!< behind the last byte that has arrived
    SequenceRanges m_sacked;                 //!< what SACKs have covered, behind the first gap
    ReorderingTolerance m_tolerance;         //!< of segments that arrive late
    StateBefore m_before;                    //!< the last ACK, or timer
    UndoState m_undo;                        //!< of the last recovery
    SequenceNumber32 m_copy;                 //!< first byte of what is arriving a second time
    uint32_t m_copyBytes{0};                 //!< of it; 0: it is the first time
    bool m_tracesSent{false};                //!< HandleSent() is called
    bool m_watchesCopies{false};             //!< HandlePacket() is called
    EventId m_probe;                         //!< looks whether a probe is due
    Time m_probeBase;                        //!< from when it waits
    bool m_probed{false};                    //!< since the last ACK
    bool m_holds{false};                     //!< Repair() is to send what TcpSocketBase would
    bool m_sendsLost{false};                 //!< sends what is lost
    bool m_timesOut{false};                  //!< the retransmission timer has just run out
    Time m_lastSent{-1};                     //!< of data
    WindowUsage m_usage;                     //!< whether the window is the limit
    SequenceNumber32 m_usageEnd;             //!< end of its round
};

} // namespace ns3::dml

#endif /* DML_LINUX_TCP_SOCKET_H */
