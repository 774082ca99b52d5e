/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SOCKET_STREAM_H
#define DML_SOCKET_STREAM_H

#include "dml-segment-writer.h"

#include "ns3/ptr.h"
#include "ns3/socket.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-transport
 * @brief One end of a TCP connection: moves bytes between an ns-3 socket and who makes and reads
 * them, and nothing else.
 *
 * The payload of tensors goes to the socket as virtual packets. The socket may still be connecting;
 * what is sent before goes out when it is connected.
 */
class SocketStream
{
  public:
    /// @param socket a connected or connecting TCP socket, not used by anyone else
    explicit SocketStream(Ptr<Socket> socket);
    virtual ~SocketStream();
    SocketStream(const SocketStream&) = delete;
    SocketStream& operator=(const SocketStream&) = delete;

    /// @brief Write out what there is, as far as the socket has room.
    void Pump();

    /// @brief Close the socket, as the end of a process does: TCP still sends what it has taken.
    void Close();

    /// @brief Tell the stream that its socket is connected.
    void SetConnected();

    /// @param socket any @return whether it is this one's
    bool IsOf(const Ptr<Socket>& socket) const
    {
        return socket == m_socket;
    }

  private:
    /// @return whether there is something to write
    virtual bool HasOutput() const = 0;
    /// @param sink gets as much as it has room for
    virtual void Fill(ByteSink& sink) = 0;
    /// @param data that has come @param n bytes
    virtual void Take(const uint8_t* data, size_t n) = 0;
    /// Bytes have come, or the socket has room for more: by default, Pump().
    virtual void Progress();

    void HandleReceive(Ptr<Socket> socket);
    void HandleRoom(Ptr<Socket> socket, uint32_t room);

    Ptr<Socket> m_socket;    //!< TCP
    SegmentWriter m_writer;  //!< to the socket
    bool m_connected{false}; //!< whether bytes may be sent
    /// Choose how much room is worth a call, for the send buffer as it is now.
    void SetRefill();

    uint32_t m_refillAt;           //!< room in the socket's buffer that is worth filling, in bytes
    std::vector<uint8_t> m_buffer; //!< received bytes on their way to the reader
};

} // namespace ns3::dml

#endif /* DML_SOCKET_STREAM_H */
