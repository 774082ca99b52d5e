/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-grpc-messages.h"

#include <cstring>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <limits>

namespace ns3
{
namespace dml
{

namespace
{

using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;
using google::protobuf::io::StringOutputStream;

// The protobuf wire format: a field starts with number << 3 | wire type.
constexpr uint32_t VARINT = 0;
constexpr uint32_t FIXED64 = 1;
constexpr uint32_t BYTES = 2;
constexpr uint32_t FIXED32 = 5;

constexpr uint32_t
Tag(uint32_t field, uint32_t wireType)
{
    return field << 3 | wireType;
}

/**
 * Appends fields to a message, which is complete when the writer dies. As proto3 does, it leaves
 * out fields of value zero.
 */
class FieldWriter
{
  public:
    explicit FieldWriter(std::string& message)
        : m_stream(&message),
          m_coded(&m_stream)
    {
    }

    void Integer(uint32_t field, int64_t value)
    {
        if (value != 0)
        {
            m_coded.WriteTag(Tag(field, VARINT));
            m_coded.WriteVarint64(static_cast<uint64_t>(value));
        }
    }

    void Text(uint32_t field, const std::string& value)
    {
        if (!value.empty())
        {
            Length(field, value.size());
            m_coded.WriteString(value);
        }
    }

    /// The tag and length of a field whose @p length bytes follow.
    void Length(uint32_t field, uint64_t length)
    {
        m_coded.WriteTag(Tag(field, BYTES));
        m_coded.WriteVarint64(length);
    }

  private:
    StringOutputStream m_stream; //!< outlives m_coded, which trims it
    CodedOutputStream m_coded;   //!< the encoder
};

/// Goes through the fields of a message.
class FieldReader
{
  public:
    explicit FieldReader(const std::string& message)
        : m_coded(reinterpret_cast<const uint8_t*>(message.data()),
                  static_cast<int>(message.size()))
    {
    }

    /// @return the next field's tag, or 0 at the end and after an error
    uint32_t Next()
    {
        const uint32_t tag = m_good ? m_coded.ReadTag() : 0;
        if (tag == 0)
        {
            m_good = m_good && m_coded.ConsumedEntireMessage();
        }
        return tag;
    }

    int64_t Integer()
    {
        uint64_t value = 0;
        m_good = m_good && m_coded.ReadVarint64(&value);
        return static_cast<int64_t>(value);
    }

    void Text(std::string& value)
    {
        const int length = ReadLength();
        m_good = m_good && m_coded.ReadString(&value, length);
    }

    void Skip(uint32_t tag)
    {
        switch (tag & 7)
        {
        case VARINT:
            Integer();
            break;
        case FIXED64:
            m_good = m_good && m_coded.Skip(8);
            break;
        case FIXED32:
            m_good = m_good && m_coded.Skip(4);
            break;
        case BYTES: {
            const int length = ReadLength();
            m_good = m_good && m_coded.Skip(length);
            break;
        }
        default:
            m_good = false; // groups: none of these messages has any
        }
        m_good = m_good && tag >> 3 != 0;
    }

    /// @return true if the message was understood to its end
    bool IsGood() const
    {
        return m_good;
    }

  private:
    int ReadLength()
    {
        uint64_t length = 0;
        m_good = m_good && m_coded.ReadVarint64(&length) &&
                 length <= static_cast<uint64_t>(std::numeric_limits<int>::max());
        return m_good ? static_cast<int>(length) : 0;
    }

    CodedInputStream m_coded; //!< the decoder
    bool m_good{true};        //!< no error so far
};

/**
 * @param bytes of a message
 * @param take called with each field's tag; reads it and returns true, or returns false
 * @return true if @p bytes are a message
 */
template <typename T>
bool
ReadMessage(const std::string& bytes, T take)
{
    if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max()))
    {
        return false;
    }
    FieldReader reader(bytes);
    while (const uint32_t tag = reader.Next())
    {
        if (!take(reader, tag))
        {
            reader.Skip(tag);
        }
    }
    return reader.IsGood();
}

/// Append values as tensorflow.NamedTensorProto messages: name, tensor (dtype, double_val).
void
WriteValues(FieldWriter& writer, uint32_t field, const NamedValues& values)
{
    constexpr int64_t dtDouble = 2;
    for (const auto& [name, value] : values)
    {
        uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof(bits));
        std::string packed;
        for (uint32_t byte = 0; byte < sizeof(bits); ++byte)
        {
            packed += static_cast<char>(bits >> (8 * byte) & 0xff);
        }
        std::string tensor;
        {
            FieldWriter inner(tensor);
            inner.Integer(1, dtDouble);
            inner.Text(6, packed);
        }
        std::string named;
        {
            FieldWriter inner(named);
            inner.Text(1, name);
            inner.Text(2, tensor);
        }
        writer.Text(field, named);
    }
}

/// Read one of the messages that WriteValues() appends.
/// @return whether it is one
bool
ReadValue(FieldReader& reader, NamedValues& values)
{
    std::string named;
    std::string name;
    std::string tensor;
    std::string packed;
    reader.Text(named);
    const auto text = [](uint32_t field, std::string& into) {
        return [field, &into](FieldReader& inner, uint32_t tag) {
            const bool found = tag == Tag(field, BYTES);
            if (found)
            {
                inner.Text(into);
            }
            return found;
        };
    };
    const bool good =
        ReadMessage(named,
                    [&name, &tensor, &text](FieldReader& inner, uint32_t tag) {
                        return text(1, name)(inner, tag) || text(2, tensor)(inner, tag);
                    }) &&
        ReadMessage(tensor, text(6, packed)) && packed.size() == sizeof(uint64_t);
    uint64_t bits = 0;
    for (std::size_t byte = 0; good && byte < packed.size(); ++byte)
    {
        bits |= static_cast<uint64_t>(static_cast<uint8_t>(packed[byte])) << (8 * byte);
    }
    std::memcpy(&values[name], &bits, sizeof(bits));
    return good;
}

} // namespace

std::string
RunGraphRequest::Encode() const
{
    std::string message;
    {
        FieldWriter writer(message);
        writer.Text(1, graphHandle);
        writer.Integer(2, stepId);
        WriteValues(writer, 3, send);
    }
    return message;
}

std::optional<RunGraphRequest>
RunGraphRequest::Decode(const std::string& bytes)
{
    RunGraphRequest request;
    bool values = true;
    const bool good = ReadMessage(bytes, [&request, &values](FieldReader& reader, uint32_t tag) {
        switch (tag)
        {
        case Tag(1, BYTES):
            reader.Text(request.graphHandle);
            return true;
        case Tag(2, VARINT):
            request.stepId = reader.Integer();
            return true;
        case Tag(3, BYTES):
            values = ReadValue(reader, request.send) && values;
            return true;
        default:
            return false;
        }
    });
    return good && values ? std::make_optional(request) : std::nullopt;
}

std::string
RunGraphResponse::Encode() const
{
    std::string message;
    {
        FieldWriter writer(message);
        WriteValues(writer, 1, recv);
        writer.Integer(5, statusCode);
    }
    return message;
}

std::optional<RunGraphResponse>
RunGraphResponse::Decode(const std::string& bytes)
{
    RunGraphResponse response;
    bool values = true;
    const bool good = ReadMessage(bytes, [&response, &values](FieldReader& reader, uint32_t tag) {
        switch (tag)
        {
        case Tag(1, BYTES):
            values = ReadValue(reader, response.recv) && values;
            return true;
        case Tag(5, VARINT):
            response.statusCode = static_cast<int32_t>(reader.Integer());
            return true;
        default:
            return false;
        }
    });
    return good && values ? std::make_optional(response) : std::nullopt;
}

std::string
RecvTensorRequest::Encode() const
{
    std::string message;
    {
        FieldWriter writer(message);
        writer.Integer(1, stepId);
        writer.Text(2, rendezvousKey);
    }
    return message;
}

std::optional<RecvTensorRequest>
RecvTensorRequest::Decode(const std::string& bytes)
{
    RecvTensorRequest request;
    const bool good = ReadMessage(bytes, [&request](FieldReader& reader, uint32_t tag) {
        switch (tag)
        {
        case Tag(1, VARINT):
            request.stepId = reader.Integer();
            return true;
        case Tag(2, BYTES):
            reader.Text(request.rendezvousKey);
            return true;
        default:
            return false;
        }
    });
    return good ? std::make_optional(request) : std::nullopt;
}

std::string
RecvTensorResponseHead(uint64_t tensorBytes)
{
    constexpr int64_t dtFloat = 1;
    constexpr int64_t dtUint8 = 4;
    constexpr uint64_t floatBytes = 4;
    const bool floats = tensorBytes % floatBytes == 0;

    std::string dimension; // TensorShapeProto.Dim: size
    FieldWriter(dimension).Integer(
        1,
        static_cast<int64_t>(floats ? tensorBytes / floatBytes : tensorBytes));
    std::string shape; // TensorShapeProto: dim
    {
        FieldWriter writer(shape);
        writer.Length(2, dimension.size());
    }
    shape += dimension;
    std::string tensor; // TensorProto: dtype, tensor_shape, tensor_content
    {
        FieldWriter writer(tensor);
        writer.Integer(1, floats ? dtFloat : dtUint8);
        writer.Text(2, shape);
        writer.Length(4, tensorBytes);
    }
    std::string head; // RecvTensorResponse: tensor
    {
        FieldWriter writer(head);
        writer.Length(1, tensor.size() + tensorBytes);
    }
    return head + tensor;
}

uint64_t
RecvTensorResponseSize(uint64_t tensorBytes)
{
    return RecvTensorResponseHead(tensorBytes).size() + tensorBytes;
}

} // namespace dml
} // namespace ns3
