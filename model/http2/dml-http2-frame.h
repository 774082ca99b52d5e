/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HTTP2_FRAME_H
#define DML_HTTP2_FRAME_H

#include "dml-byte-sink.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-http2
 * @brief The one frame that is being written out: real bytes, then zero bytes.
 *
 * A frame may be larger than the sink's room; what is left waits here.
 */
class Http2FrameOutput
{
  public:
    /// What to tell the application when the frame is out.
    struct TurnEnd
    {
        int32_t streamId{0}; //!< 0: no turn ends with this frame
        uint64_t bytes{0};   //!< of the turn
        bool done{false};    //!< message done
    };

    /**
     * @brief Start a frame of bytes that are somewhere else.
     * @param data bytes, which must stay until the frame is out
     * @param n how many
     */
    void SetBytes(const uint8_t* data, size_t n)
    {
        m_data = data;
        m_size = n;
        m_zeros = 0;
        m_turnEnd = TurnEnd();
    }

    /// @return an empty buffer for the real bytes of a frame, to be filled before SetBuffered()
    std::vector<uint8_t>& GetBuffer()
    {
        m_buffer.clear();
        return m_buffer;
    }

    /**
     * @brief Start a frame of the buffer's bytes and zeros.
     * @param zeros how many zero bytes follow the buffer
     * @param turnEnd what ends with it
     */
    void SetBuffered(uint64_t zeros, const TurnEnd& turnEnd)
    {
        SetBytes(m_buffer.data(), m_buffer.size());
        m_zeros = zeros;
        m_turnEnd = turnEnd;
    }

    /// @return true if nothing is left to write
    bool IsEmpty() const
    {
        return m_size == 0 && m_zeros == 0;
    }

    /// @return the turn that ended with the last frame; told once
    TurnEnd TakeTurnEnd()
    {
        const TurnEnd turnEnd = m_turnEnd;
        m_turnEnd = TurnEnd();
        return turnEnd;
    }

    /**
     * @brief Write as much as fits.
     * @param sink to write to
     * @return IsEmpty()
     */
    bool Drain(ByteSink& sink)
    {
        while (!IsEmpty())
        {
            const size_t room = sink.GetRoom();
            if (room == 0)
            {
                return false;
            }
            if (m_size > 0)
            {
                const size_t n = std::min(room, m_size);
                sink.Write(m_data, n);
                m_data += n;
                m_size -= n;
            }
            else
            {
                const auto n = static_cast<size_t>(std::min<uint64_t>(room, m_zeros));
                sink.WriteZeros(n);
                m_zeros -= n;
            }
        }
        return true;
    }

  private:
    const uint8_t* m_data{nullptr}; //!< next real byte
    size_t m_size{0};               //!< real bytes left
    uint64_t m_zeros{0};            //!< zero bytes left after them
    std::vector<uint8_t> m_buffer;  //!< real bytes of a DATA frame
    TurnEnd m_turnEnd;              //!< ends with this frame
};

} // namespace ns3::dml

#endif /* DML_HTTP2_FRAME_H */
