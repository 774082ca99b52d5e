/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRACE_PROTO_STREAM_H
#define DML_TRACE_PROTO_STREAM_H

#include "ns3/dml-trace-input.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief Hands a file to the protobuf library's CopyingInputStreamAdaptor, block by block.
 *
 * Exceptions must not cross the library: one that occurs ends the stream and is kept.
 */
class TraceProtoStream : public google::protobuf::io::CopyingInputStream
{
  public:
    static constexpr int BLOCK = 65536; //!< bytes handed out at once

    /// @param input the file, which must live as long as this object
    explicit TraceProtoStream(TraceInput& input)
        : m_input(input)
    {
    }

    int Read(void* buffer, int size) override
    {
        return Take(size, buffer);
    }

    int Skip(int count) override
    {
        int done = 0;
        for (int taken = 1; done < count && taken > 0; done += std::max(taken, 0))
        {
            taken = Take(count - done, nullptr);
        }
        return done;
    }

    /// @throws InputError if the file could not be read to its end
    void Rethrow() const
    {
        if (m_error)
        {
            std::rethrow_exception(m_error);
        }
    }

  private:
    /// @param size most bytes; @param buffer gets them, if given; @return bytes taken, 0 at the end
    /// of the file, -1 after an error
    int Take(int size, void* buffer)
    {
        try
        {
            const std::string_view block = m_input.PeekAhead(std::min(size, BLOCK));
            if (buffer != nullptr)
            {
                std::memcpy(buffer, block.data(), block.size());
            }
            m_input.Skip(block.size());
            return static_cast<int>(block.size());
        }
        catch (...)
        {
            m_error = std::current_exception();
            return -1;
        }
    }

    TraceInput& m_input;        //!< the file
    std::exception_ptr m_error; //!< what ended the stream, or null
};

} // namespace ns3::dml

#endif /* DML_TRACE_PROTO_STREAM_H */
