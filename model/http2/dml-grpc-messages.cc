/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-grpc-messages.h"

#include <dml-worker-service.pb.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <limits>

namespace ns3::dml
{

namespace
{

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedOutputStream;
using NamedTensors = google::protobuf::RepeatedPtrField<tensorflow::NamedTensorProto>;

/// @return whether @p bytes are a message, which @p message gets
bool
Parse(const std::string& bytes, google::protobuf::MessageLite& message)
{
    return bytes.size() <= static_cast<size_t>(std::numeric_limits<int>::max()) &&
           message.ParseFromString(bytes);
}

void
WriteValues(const NamedValues& values, NamedTensors& tensors)
{
    for (const auto& [name, value] : values)
    {
        tensorflow::NamedTensorProto& named = *tensors.Add();
        named.set_name(name);
        named.mutable_tensor()->set_dtype(tensorflow::DT_DOUBLE);
        named.mutable_tensor()->add_double_val(value);
    }
}

/// @return whether all are scalars
bool
ReadValues(const NamedTensors& tensors, NamedValues& values)
{
    for (const tensorflow::NamedTensorProto& named : tensors)
    {
        if (named.tensor().double_val_size() != 1)
        {
            return false;
        }
        values[named.name()] = named.tensor().double_val(0);
    }
    return true;
}

/// Append the tag and the length of a field whose @p length bytes follow.
void
AppendLength(int field, uint64_t length, std::string& message)
{
    uint8_t bytes[15]; // varints of 32 and 64 bits
    uint8_t* end = CodedOutputStream::WriteTagToArray(
        WireFormatLite::MakeTag(field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED),
        bytes);
    end = CodedOutputStream::WriteVarint64ToArray(length, end);
    message.append(bytes, end);
}

} // namespace

std::string
RunGraphRequest::Encode() const
{
    tensorflow::RunGraphRequest message;
    message.set_graph_handle(graphHandle);
    message.set_step_id(stepId);
    WriteValues(send, *message.mutable_send());
    return message.SerializeAsString();
}

std::optional<RunGraphRequest>
RunGraphRequest::Decode(const std::string& bytes)
{
    tensorflow::RunGraphRequest message;
    RunGraphRequest request;
    if (!Parse(bytes, message) || !ReadValues(message.send(), request.send))
    {
        return std::nullopt;
    }
    request.stepId = message.step_id();
    request.graphHandle = std::move(*message.mutable_graph_handle());
    return request;
}

std::string
RunGraphResponse::Encode() const
{
    tensorflow::RunGraphResponse message;
    WriteValues(recv, *message.mutable_recv());
    message.set_status_code(statusCode);
    return message.SerializeAsString();
}

std::optional<RunGraphResponse>
RunGraphResponse::Decode(const std::string& bytes)
{
    tensorflow::RunGraphResponse message;
    RunGraphResponse response;
    if (!Parse(bytes, message) || !ReadValues(message.recv(), response.recv))
    {
        return std::nullopt;
    }
    response.statusCode = message.status_code();
    return response;
}

std::string
RecvTensorRequest::Encode() const
{
    tensorflow::RecvTensorRequest message;
    message.set_step_id(stepId);
    message.set_rendezvous_key(rendezvousKey);
    return message.SerializeAsString();
}

std::optional<RecvTensorRequest>
RecvTensorRequest::Decode(const std::string& bytes)
{
    tensorflow::RecvTensorRequest message;
    if (!Parse(bytes, message))
    {
        return std::nullopt;
    }
    return RecvTensorRequest{message.step_id(), std::move(*message.mutable_rendezvous_key())};
}

std::string
RecvTensorResponseHead(uint64_t tensorBytes)
{
    constexpr uint64_t floatBytes = 4;
    const bool floats = tensorBytes % floatBytes == 0;
    tensorflow::TensorProto tensor;
    tensor.set_dtype(floats ? tensorflow::DT_FLOAT : tensorflow::DT_UINT8);
    tensor.mutable_tensor_shape()->add_dim()->set_size(
        static_cast<int64_t>(floats ? tensorBytes / floatBytes : tensorBytes));
    std::string start = tensor.SerializeAsString();
    // The content, the last field, is not in memory.
    AppendLength(tensorflow::TensorProto::kTensorContentFieldNumber, tensorBytes, start);
    std::string head;
    AppendLength(tensorflow::RecvTensorResponse::kTensorFieldNumber,
                 start.size() + tensorBytes,
                 head);
    return head + start;
}

uint64_t
RecvTensorResponseSize(uint64_t tensorBytes)
{
    return RecvTensorResponseHead(tensorBytes).size() + tensorBytes;
}

} // namespace ns3::dml
