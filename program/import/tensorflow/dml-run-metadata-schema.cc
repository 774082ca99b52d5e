/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-run-metadata-schema.h"

#include "dml-tf-names.h"

#include "ns3/dml-error.h"

#include <google/protobuf/compiler/parser.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <rapidjson/encodings.h>
#include <rapidjson/memorystream.h>
#include <stdexcept>

namespace ns3
{
namespace dml
{

namespace
{

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

/// Strings are bytes here: the library would print a line about each that is not UTF-8.
constexpr const char* SCHEMA = R"(
syntax = "proto3";
message AllocationDescription { int64 requested_bytes = 1; uint64 ptr = 6; }
message TensorDescription { AllocationDescription allocation_description = 4; }
message NodeOutput { int32 slot = 1; TensorDescription tensor_description = 3; }
message MemoryStats { int64 temp_memory_size = 1; int64 device_temp_memory_size = 2; }
message NodeExecStats {
  bytes node_name = 1;
  int64 all_start_micros = 2;
  int64 all_end_rel_micros = 5;
  repeated NodeOutput output = 7;
  bytes timeline_label = 8;
  MemoryStats memory_stats = 12;
  int64 all_start_nanos = 13;
  int64 all_end_rel_nanos = 16;
}
)";

} // namespace

/// Descriptors of what is read.
struct RunMetadataSchema::Tables
{
    google::protobuf::DescriptorPool pool;             //!< owns the descriptors
    google::protobuf::DynamicMessageFactory factory;   //!< owns the prototypes
    const google::protobuf::Descriptor* node{nullptr}; //!< NodeExecStats

    /// @param message a message; @param name of a field; @return the field
    static const FieldDescriptor* Find(const Message& message, const char* name)
    {
        return message.GetDescriptor()->FindFieldByName(name);
    }

    static int64_t GetInteger(const Message& message, const char* name)
    {
        return message.GetReflection()->GetInt64(message, Find(message, name));
    }

    static std::string GetString(const Message& message, const char* name)
    {
        return message.GetReflection()->GetString(message, Find(message, name));
    }

    static const Message& GetMessage(const Message& message, const char* name)
    {
        return message.GetReflection()->GetMessage(message, Find(message, name));
    }

    /// @return a number of bytes; @throws InputError if it is out of range
    static uint64_t GetSize(const Message& message, const char* name, const std::string& place)
    {
        const int64_t bytes = GetInteger(message, name);
        if (bytes < 0 || bytes > TfStep::MAX_BYTES)
        {
            throw InputError(place + "/" + name + ": found " + std::to_string(bytes) +
                             "; accepted: 0 to " + std::to_string(TfStep::MAX_BYTES));
        }
        return bytes;
    }

    /// @return what a node made
    static std::vector<TfOutput> ListOutputs(const Message& node, const std::string& place)
    {
        std::vector<TfOutput> outputs;
        const FieldDescriptor* const field = Find(node, "output");
        for (int i = 0; i < node.GetReflection()->FieldSize(node, field); ++i)
        {
            const Message& output = node.GetReflection()->GetRepeatedMessage(node, field, i);
            const Message& allocation =
                GetMessage(GetMessage(output, "tensor_description"), "allocation_description");
            const int32_t slot = output.GetReflection()->GetInt32(output, Find(output, "slot"));
            if (slot < 0)
            {
                throw InputError(place + ": /output/slot: found " + std::to_string(slot) +
                                 "; accepted: an integer from 0");
            }
            outputs.push_back(
                {static_cast<uint32_t>(slot),
                 GetSize(allocation,
                         "requested_bytes",
                         place + ": /output/tensor_description/allocation_description"),
                 allocation.GetReflection()->GetUInt64(allocation, Find(allocation, "ptr"))});
        }
        return outputs;
    }
};

RunMetadataSchema::RunMetadataSchema()
    : m_tables(std::make_unique<Tables>())
{
    google::protobuf::io::ArrayInputStream text(SCHEMA, std::char_traits<char>::length(SCHEMA));
    google::protobuf::io::Tokenizer tokenizer(&text, nullptr);
    google::protobuf::FileDescriptorProto file;
    file.set_name("run_metadata.proto");
    const google::protobuf::FileDescriptor* built = nullptr;
    if (google::protobuf::compiler::Parser().Parse(&tokenizer, &file))
    {
        built = m_tables->pool.BuildFile(file);
    }
    m_tables->node = built != nullptr ? built->FindMessageTypeByName("NodeExecStats") : nullptr;
    if (m_tables->node == nullptr)
    {
        throw std::logic_error("the schema of RunMetadata does not compile");
    }
}

RunMetadataSchema::~RunMetadataSchema() = default;

void
RunMetadataSchema::CheckText(const std::string& text, const std::string& place)
{
    rapidjson::MemoryStream stream(text.data(), text.size());
    unsigned codepoint;
    while (stream.Tell() < text.size())
    {
        if (!rapidjson::UTF8<>::Decode(stream, &codepoint))
        {
            throw InputError(place + ": found bytes that are no UTF-8; accepted: text");
        }
    }
}

const RunMetadataSchema&
RunMetadataSchema::Get()
{
    static const RunMetadataSchema schema;
    return schema;
}

std::unique_ptr<Message>
RunMetadataSchema::MakeNode() const
{
    return std::unique_ptr<Message>(m_tables->factory.GetPrototype(m_tables->node)->New());
}

void
RunMetadataSchema::Add(const Message& node,
                       bool isGpuTrace,
                       const std::string& place,
                       TfStep& step) const
{
    const auto getTime = [&](const char* micros, const char* nanos, int64_t max) {
        const int64_t us = Tables::GetInteger(node, micros);
        const int64_t ns = Tables::GetInteger(node, nanos);
        const int64_t unit = ns != 0 ? 1 : 1000;
        const int64_t value = ns != 0 ? ns : us;
        if (value < 0 || value > max / unit)
        {
            throw InputError(place + ": /" + (ns != 0 ? nanos : micros) + ": found " +
                             std::to_string(value) + "; accepted: 0 to " +
                             std::to_string(max / unit));
        }
        return value * unit;
    };
    const std::string name = Tables::GetString(node, "node_name");
    if (name.empty())
    {
        throw InputError(place + ": /node_name: found none; accepted: the name of a graph node");
    }
    const int64_t start = getTime("all_start_micros", "all_start_nanos", TfStep::MAX_START);
    const int64_t end =
        start + getTime("all_end_rel_micros", "all_end_rel_nanos", TfStep::MAX_LENGTH);
    const std::string label = Tables::GetString(node, "timeline_label");
    CheckText(name, place + ": /node_name");
    CheckText(label, place + ": /timeline_label");

    if (name == "RecvTensor")
    {
        TfReceive receive;
        receive.start = start;
        receive.end = end;
        const auto outputs = Tables::ListOutputs(node, place);
        receive.bytes = outputs.empty() ? 0 : outputs.front().bytes;
        receive.known = receive.bytes > 0 ? TfBytes::EXACT : TfBytes::UNKNOWN;
        // Without a readable label it is matched with its readers like those of a timeline.
        ParseTfReceiveLabel(label, receive);
        step.receives.push_back(std::move(receive));
        return;
    }
    TfOp op;
    op.node = name;
    op.launch = start;
    op.start = start;
    op.end = end;
    op.outputs = Tables::ListOutputs(node, place);
    const Message& memory = Tables::GetMessage(node, "memory_stats");
    for (const char* size : {"temp_memory_size", "device_temp_memory_size"})
    {
        op.temporary += Tables::GetSize(memory, size, place + ": /memory_stats");
    }
    if (isGpuTrace)
    {
        op.node = name.substr(0, name.find(':'));
    }
    else
    {
        ParseTfOpLabel(label, op);
    }
    step.ops.push_back(std::move(op));
}

} // namespace dml
} // namespace ns3
