/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FRAME_WALKER_H
#define DML_FRAME_WALKER_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace ns3::dml
{

/// What a client sends before its first frame (RFC 9113, section 3.4).
constexpr std::string_view HTTP2_PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Bytes before the payload of every frame (RFC 9113, section 4.1).
constexpr std::size_t FRAME_HEADER = 9;

/// Types and flags of HTTP/2 frames (RFC 9113, section 6).
constexpr uint8_t FRAME_DATA = 0;
constexpr uint8_t FRAME_HEADERS = 1;
constexpr uint8_t FRAME_SETTINGS = 4;
constexpr uint8_t FRAME_PING = 6;
constexpr uint8_t FRAME_GOAWAY = 7;
constexpr uint8_t FRAME_WINDOW_UPDATE = 8;
constexpr uint8_t FRAME_END_STREAM = 1;
constexpr uint8_t FRAME_ACK = 1;

/**
 * @ingroup dml-packet
 * @brief Finds the frames in the bytes that one end of an HTTP/2 connection sends.
 *
 * It takes bytes as they come, keeps no payload, and checks nothing: a payload that the frame's
 * length announces is believed.
 */
class FrameWalker
{
  public:
    /// The header of a frame.
    struct Header
    {
        uint32_t length{0};  //!< bytes of the payload
        uint8_t type{0};     //!< RFC 9113, section 6
        uint8_t flags{0};    //!< by type
        int32_t streamId{0}; //!< 0: connection
    };

    /// Told of every piece of a payload, and of an empty payload once.
    /// @param frame its header @param offset of the piece in the payload @param data the piece
    using Callback =
        std::function<void(const Header& frame, uint32_t offset, std::string_view data)>;

    /// @param callback told what is found
    explicit FrameWalker(Callback callback);

    /// @param bytes the next bytes of the connection, from its first one on; a preface is skipped
    void Add(std::string_view bytes);

  private:
    Callback m_callback;                         //!< as given
    std::size_t m_preface{0};                    //!< bytes of the preface seen
    bool m_started{false};                       //!< past the preface, if there is one
    std::array<uint8_t, FRAME_HEADER> m_bytes{}; //!< of the header, as far as it came
    std::size_t m_count{0};                      //!< how many
    Header m_frame;                              //!< the current one, if its header is complete
    uint32_t m_offset{0};                        //!< payload bytes seen
};

} // namespace ns3::dml

#endif /* DML_FRAME_WALKER_H */
