/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GRPC_MESSAGE_READER_H
#define DML_GRPC_MESSAGE_READER_H

#include "dml-grpc-message-writer.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace ns3::dml
{

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
    const std::string& GetError() const;

    /// @return true if the prefix is complete, so that GetLength() is known
    bool HasLength() const;

    /// @return bytes of the message without its prefix; 0 before HasLength()
    uint32_t GetLength() const;

    /// @return bytes that arrived, prefix included
    uint64_t GetReceived() const;

    /// @return true if all of the message arrived
    bool IsComplete() const;

    /// @return the kept bytes; the caller may move them away
    std::string& GetKept();

  private:
    uint8_t m_prefix[GRPC_PREFIX]{}; //!< as far as it arrived
    uint32_t m_length{0};            //!< of the message, bytes
    uint64_t m_received{0};          //!< bytes, prefix included
    size_t m_keep{0};                //!< bytes to keep
    std::string m_kept;              //!< first bytes of the message
    std::string m_error;             //!< what was wrong
};

} // namespace ns3::dml

#endif /* DML_GRPC_MESSAGE_READER_H */
