/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GRPC_MESSAGE_STREAM_H
#define DML_GRPC_MESSAGE_STREAM_H

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ns3::dml
{

/// Bytes before every gRPC message: compressed flag and 32-bit big-endian length.
constexpr uint32_t GRPC_PREFIX = 5;
/// Largest gRPC message in bytes, by its 32-bit length.
constexpr uint64_t GRPC_MAX_MESSAGE = std::numeric_limits<uint32_t>::max();

/**
 * @ingroup dml-http2
 * @brief One outgoing length-prefixed gRPC message and how much of it may be sent.
 *
 * The message is some real bytes followed by a number of zero bytes that take no memory. All
 * counts include the prefix.
 */
class GrpcMessageWriter
{
  public:
    /// Quota that no message can use up.
    static constexpr uint64_t UNLIMITED = std::numeric_limits<uint64_t>::max();

    /**
     * @brief Take a new message, with no quota.
     * @param head its first bytes
     * @param zeros zero bytes after the head
     * @throws InputError if the message exceeds GRPC_MAX_MESSAGE
     */
    void Start(std::string head, uint64_t zeros);

    /// Forget the message.
    void Clear();

    /// @return bytes not yet taken
    uint64_t GetRemaining() const
    {
        return m_total - m_taken;
    }

    /// @return bytes that may be taken now: the quota's rest or the message's, whichever is less
    uint64_t GetReadable() const;

    /// @return bytes taken since the quota was last 0
    uint64_t GetTurnBytes() const
    {
        return m_turnBytes;
    }

    /// @param bytes that may be taken in addition, or UNLIMITED
    void AddQuota(uint64_t bytes);

    /**
     * @brief Take the next bytes. A turn ends when the quota or the message is used up.
     * @param n how many, at most GetReadable()
     * @param real the real ones among them are appended here
     * @return how many zero bytes follow those
     */
    uint64_t Take(uint64_t n, std::vector<uint8_t>& real);

    /// @return zeros that may be left out: the rest of the turn, where the real bytes are taken
    uint64_t GetSkippable() const
    {
        return m_taken < m_real.size() ? 0 : GetReadable();
    }

    /// @brief Leave out the next zeros, as if they were taken. @param n at most GetSkippable()
    void Skip(uint64_t n);

  private:
    std::string m_real;      //!< prefix and head
    uint64_t m_total{0};     //!< bytes of prefix, head and zeros
    uint64_t m_taken{0};     //!< bytes taken
    uint64_t m_quota{0};     //!< bytes that may still be taken in this turn
    uint64_t m_turnBytes{0}; //!< bytes taken in this turn
};

/**
 * @ingroup dml-http2
 * @brief One incoming length-prefixed gRPC message, of which only the first bytes are kept.
 */
class GrpcMessageReader
{
  public:
    /**
     * @brief Be ready for a new message.
     * @param keep bytes of the message (prefix not counted) to keep; the rest is only counted
     */
    void Reset(size_t keep);

    /**
     * @param data next bytes of the stream, wherever the message was cut
     * @param n how many
     * @return true; false if they cannot belong to one uncompressed message, see GetError()
     */
    bool Add(const uint8_t* data, size_t n);

    /// @brief Count bytes that will not come, as if they had. @param n at most those that are
    /// missing
    void Skip(uint64_t n);

    /// @return why Add returned false, for a person; empty if it never did
    const std::string& GetError() const
    {
        return m_error;
    }

    /// @return true if the prefix is complete, so that GetLength() is known
    bool HasLength() const
    {
        return m_received >= GRPC_PREFIX;
    }

    /// @return bytes of the message without its prefix; 0 before HasLength()
    uint32_t GetLength() const
    {
        return m_length;
    }

    /// @return bytes of the message with its prefix; 0 before HasLength()
    uint64_t GetSize() const;

    /// @return bytes that arrived, prefix included
    uint64_t GetReceived() const
    {
        return m_received;
    }

    /// @return true if all of the message arrived
    bool IsComplete() const;

    /// @return the kept bytes; the caller may move them away
    std::string& GetKept()
    {
        return m_kept;
    }

  private:
    uint8_t m_prefix[GRPC_PREFIX]{}; //!< as far as it arrived
    uint32_t m_length{0};            //!< of the message, bytes
    uint64_t m_received{0};          //!< bytes, prefix included
    size_t m_keep{0};                //!< bytes to keep
    std::string m_kept;              //!< first bytes of the message
    std::string m_error;             //!< what was wrong
};

} // namespace ns3::dml

#endif /* DML_GRPC_MESSAGE_STREAM_H */
