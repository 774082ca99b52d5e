/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STREAM_TAP_H
#define DML_STREAM_TAP_H

#include "dml-frame-walker.h"

#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/point-to-point-net-device.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3::dml
{

/// DATA of one stream that left without DATA of another stream of the connection between.
struct StreamTurn
{
    uint32_t address{0}; //!< IPv4 address of the receiver, host byte order
    int32_t stream{0};   //!< HTTP/2 stream
    uint64_t bytes{0};   //!< payload of the DATA frames
    Time start;          //!< when its first byte went on the link
    Time end;            //!< when its last byte had gone
};

/// A window that a receiver announced in SETTINGS.
struct WindowChange
{
    uint32_t address{0};      //!< IPv4 address of the receiver of data, host byte order
    uint32_t window{0};       //!< SETTINGS_INITIAL_WINDOW_SIZE, bytes
    uint32_t maxFrameSize{0}; //!< SETTINGS_MAX_FRAME_SIZE, bytes; 0: not in the same frame
    Time time;                //!< when the packet had arrived
};

/**
 * @ingroup dml-packet
 * @brief Reads off a host's link which bytes of which HTTP/2 stream were on it when.
 *
 * Watches what the host sends from the port where it answers RPCs, and the SETTINGS that come back.
 * TCP segments are put in order; a byte counts when it is first sent.
 */
class StreamTap
{
  public:
    /// @param device of the host, on its link
    void Attach(Ptr<PointToPointNetDevice> device);

    /**
     * @brief The turns of tensors: streams that carry less are left out.
     * @param least bytes of a stream that counts
     * @return turns in order of their first bytes; `stream` is the place of the stream among those
     *         that count of its connection, from 0, in the order in which they were opened
     */
    std::vector<StreamTurn> GetTurnsByPlace(uint64_t least) const;

    /// @return SETTINGS of the receivers, in order
    const std::vector<WindowChange>& GetWindowChanges() const
    {
        return m_changes;
    }

  private:
    /// One direction of a connection.
    struct Flow
    {
        uint32_t address{0};                   //!< of the peer
        bool started{false};                   //!< its SYN was seen
        uint32_t next{0};                      //!< sequence number of the next byte
        std::map<uint32_t, std::string> ahead; //!< segments after a hole, by sequence number
        std::unique_ptr<FrameWalker> walker;   //!< of the bytes in order
        int32_t stream{0};                     //!< of the last DATA
        std::size_t turn{0};                   //!< index of the last turn
        std::string settings;                  //!< payload of SETTINGS as far as it came
    };

    void Sent(Ptr<const Packet> packet);
    void Received(Ptr<const Packet> packet);
    void Handle(const Packet& packet, bool sent);
    void AddData(Flow& flow, int32_t stream, uint64_t bytes);
    void AddSettings(Flow& flow, const FrameWalker::Header& frame, std::string_view data);

    double m_secondsPerByte{0};          //!< on the link
    Time m_start;                        //!< of the packet at hand
    Time m_end;                          //!< of the packet at hand
    std::map<uint64_t, Flow> m_flows;    //!< by peer's address and port and direction
    std::vector<StreamTurn> m_turns;     //!< in order
    std::vector<WindowChange> m_changes; //!< in order
};

} // namespace ns3::dml

#endif /* DML_STREAM_TAP_H */
