/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRACE_PROTO_STREAM_H
#define DML_TRACE_PROTO_STREAM_H

#include <exception>
#include <google/protobuf/io/zero_copy_stream.h>

namespace ns3::dml
{

class TraceInput;

/**
 * @ingroup dml-import
 * @brief Hands a file to the protobuf library, block by block.
 *
 * Exceptions must not cross the library: one that occurs ends the stream and is kept.
 */
class TraceProtoStream : public google::protobuf::io::ZeroCopyInputStream
{
  public:
    /// @param input the file, which must live as long as this object
    explicit TraceProtoStream(TraceInput& input);

    bool Next(const void** data, int* size) override;
    void BackUp(int count) override;
    bool Skip(int count) override;
    int64_t ByteCount() const override;

    /// @throws InputError if the file could not be read to its end
    void Rethrow() const;

  private:
    TraceInput& m_input;        //!< the file
    int m_used{0};              //!< bytes handed out and not yet consumed from the file
    std::exception_ptr m_error; //!< what ended the stream, or null
};

} // namespace ns3::dml

#endif /* DML_TRACE_PROTO_STREAM_H */
