/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SEGMENT_WRITER_H
#define DML_SEGMENT_WRITER_H

#include "ns3/dml-byte-sink.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/tcp-socket-base.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-transport
 * @brief Hands a stream to a TCP socket in packets that end where TCP's segments will.
 *
 * Zero bytes go as virtual payload. ns-3 keeps what an application sends as packets, and splits and
 * merges them where segments end elsewhere; what it merges it makes real, and then copies for every
 * header on every hop. So each packet is made here, once, with its last zeros virtual.
 * What goes over the wire, and when, is the same as if every part were sent by itself.
 */
class SegmentWriter : public ByteSink
{
  public:
    /// @param socket of TCP, not written to by anyone else
    explicit SegmentWriter(Ptr<Socket> socket);

    size_t GetRoom() override;
    void Write(const uint8_t* data, size_t n) override;
    void WriteZeros(size_t n) override;

    /// @brief Hand over what is held back: to be called when there is no more to write for now.
    void Flush();

  private:
    /// @return whether the next part has to be sent by itself
    bool IsFirstAlone() const;
    /// Send the first packet since the last Flush().
    void SendFirst(Ptr<Packet> packet);
    /// Have the socket send at the time at which it would if each part were sent at once: TCP takes
    /// its place among the events of the next nanosecond when it is first told of data.
    void Announce();
    /// @return bytes that the socket has but not yet put into segments
    uint32_t GetUnsent() const;
    /// Count @p n more bytes; hand over the packet if it is full.
    void Grow(uint32_t n);
    /// Hand over the packet under way.
    void Send();

    Ptr<Socket> m_socket;        //!< TCP
    Ptr<TcpSocketBase> m_tcp;    //!< the same, or null if it is no socket of ns-3's own TCP
    bool m_byRate{false};        //!< congestion control measures rates, as BBR does
    uint32_t m_segment;          //!< bytes of a full segment
    bool m_announced{false};     //!< since the last Flush()
    uint32_t m_size{0};          //!< bytes of the packet under way
    uint32_t m_left{0};          //!< bytes that it lacks
    std::vector<uint8_t> m_real; //!< its first bytes
    uint32_t m_zeros{0};         //!< zero bytes that follow them
};

} // namespace ns3::dml

#endif /* DML_SEGMENT_WRITER_H */
