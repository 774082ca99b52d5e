/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TCP_LANE_H
#define DML_TCP_LANE_H

#include "dml-socket-stream.h"
#include "dml-tcp-message-reader.h"
#include "dml-tcp-message-writer.h"

#include <functional>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-transport
 * @brief One of the connections of a TcpTransport: messages on an ns-3 TCP socket.
 */
class TcpLane : public SocketStream
{
  public:
    /// What a lane reports.
    struct Handlers
    {
        TcpMessageReader::Handler message;     //!< a message has come
        TcpMessageReader::ErrorHandler failed; //!< what has come is no message
        std::function<void()> progress;        //!< time to Pump()
    };

    /// @param socket a connected or connecting TCP socket, not used by anyone else
    /// @param handlers told what happens
    TcpLane(Ptr<Socket> socket, const Handlers& handlers);

    /// @param writer with what is to be sent here; must outlive the lane. None at first
    void SetWriter(TcpMessageWriter& writer);

    /// @return whether it has a writer
    bool HasWriter() const
    {
        return m_output != nullptr;
    }

  private:
    bool HasOutput() const override;
    void Fill(ByteSink& sink) override;
    void Take(const uint8_t* data, size_t n) override;
    void Progress() override;

    TcpMessageReader m_reader;           //!< of what comes
    TcpMessageWriter* m_output{nullptr}; //!< what is to be sent; may be null
    std::function<void()> m_progress;    //!< see Handlers
};

} // namespace ns3::dml

#endif /* DML_TCP_LANE_H */
