/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-run-metadata-node.h"

#include "dml-tf-left-out.h"
#include "dml-tf-names.h"

#include "ns3/dml-error.h"

#include <rapidjson/encodings.h>
#include <rapidjson/memorystream.h>

namespace ns3::dml
{

namespace
{

/// @return a number of bytes; @throws InputError if it is out of range
uint64_t
ReadSize(int64_t bytes, const std::string& place)
{
    if (bytes < 0 || bytes > TfStep::MAX_BYTES)
    {
        throw InputError(place + ": found " + std::to_string(bytes) + "; accepted: 0 to " +
                         std::to_string(TfStep::MAX_BYTES));
    }
    return bytes;
}

/**
 * @param micros a time, which counts where @p nanos is 0
 * @param nanos the same, or 0
 * @param max its largest value in nanoseconds
 * @param place of it without the unit
 * @return nanoseconds; @throws InputError if it is out of range
 */
int64_t
ReadTime(int64_t micros, int64_t nanos, int64_t max, const std::string& place)
{
    const int64_t unit = nanos != 0 ? 1 : 1000;
    const int64_t value = nanos != 0 ? nanos : micros;
    if (value < 0 || value > max / unit)
    {
        throw InputError(place + (nanos != 0 ? "nanos" : "micros") + ": found " +
                         std::to_string(value) + "; accepted: 0 to " + std::to_string(max / unit));
    }
    return value * unit;
}

/// @return one thing that a node made; @throws InputError if a value in it cannot be right
TfOutput
ReadTfOutput(const tensorflow::NodeOutput& output, const std::string& place)
{
    if (output.slot() < 0)
    {
        throw InputError(place + ": /output/slot: found " + std::to_string(output.slot()) +
                         "; accepted: an integer from 0");
    }
    const auto& allocation = output.tensor_description().allocation_description();
    return {static_cast<uint32_t>(output.slot()),
            ReadSize(allocation.requested_bytes(),
                     place + ": /output/tensor_description/allocation_description/"
                             "requested_bytes"),
            allocation.ptr()};
}

/// @param faults gets outputs that are left out @return what a node made
std::vector<TfOutput>
ListTfOutputs(const tensorflow::NodeExecStats& node, const std::string& place, TraceFaults& faults)
{
    std::vector<TfOutput> outputs;
    for (const tensorflow::NodeOutput& output : node.output())
    {
        try
        {
            outputs.push_back(ReadTfOutput(output, place));
        }
        catch (const InputError& error)
        {
            faults.Add(TraceFault::UNREADABLE, error.what());
        }
    }
    return outputs;
}

/// @param faults gets sizes that cannot be right @return bytes that a node allocated for itself
uint64_t
ReadTemporary(const tensorflow::NodeExecStats& node, const std::string& place, TraceFaults& faults)
{
    const std::string memory = place + ": /memory_stats";
    try
    {
        return ReadSize(node.memory_stats().temp_memory_size(), memory + "/temp_memory_size") +
               ReadSize(node.memory_stats().device_temp_memory_size(),
                        memory + "/device_temp_memory_size");
    }
    catch (const InputError& error)
    {
        faults.Add(TraceFault::UNREADABLE, error.what());
        return 0;
    }
}

/// As AddRunMetadataNode(). @throws InputError if a value in the record cannot be right
void
ReadNode(const tensorflow::NodeExecStats& node,
         bool isGpuTrace,
         const std::string& place,
         TfStep& step)
{
    const std::string& name = node.node_name();
    if (name.empty())
    {
        throw InputError(place + ": /node_name: found none; accepted: the name of a graph node");
    }
    const int64_t start = ReadTime(node.all_start_micros(),
                                   node.all_start_nanos(),
                                   TfStep::MAX_START,
                                   place + ": /all_start_");
    const int64_t end = start + ReadTime(node.all_end_rel_micros(),
                                         node.all_end_rel_nanos(),
                                         TfStep::MAX_LENGTH,
                                         place + ": /all_end_rel_");
    const std::string& label = node.timeline_label();
    CheckRunMetadataText(name, place + ": /node_name");
    CheckRunMetadataText(label, place + ": /timeline_label");

    if (name == "RecvTensor")
    {
        TfReceive receive;
        receive.start = start;
        receive.end = end;
        const auto outputs = ListTfOutputs(node, place, step.faults);
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
    op.outputs = ListTfOutputs(node, place, step.faults);
    op.temporary = ReadTemporary(node, place, step.faults);
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

} // namespace

namespace
{

/// @return whether @p text can be the name of a node
bool
IsName(const std::string& text)
{
    try
    {
        CheckRunMetadataText(text, "");
        return !text.empty();
    }
    catch (const InputError&)
    {
        return false;
    }
}

} // namespace

void
CheckRunMetadataText(const std::string& text, const std::string& place)
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

void
LeaveOutRunMetadataNode(const tensorflow::NodeExecStats& node,
                        bool isGpuTrace,
                        const std::string& error,
                        TfStep& step)
{
    constexpr std::string_view EQUALS = " = ";
    const std::string_view label = node.timeline_label();
    TfOp op;
    TfReceive receive;
    const bool isOp = ParseTfOpLabel(label, op);
    const bool isTransfer =
        node.node_name() == "RecvTensor" || (!isOp && ParseTfReceiveLabel(label, receive));
    const std::string_view name = isOp && !IsName(node.node_name())
                                      ? label.substr(0, label.find(EQUALS))
                                      : std::string_view(node.node_name());
    LeaveOutTfRecord(step,
                     isTransfer ? "RecvTensor" : std::string_view(op.type),
                     isGpuTrace ? std::string_view() : name,
                     error);
}

void
AddRunMetadataNode(const tensorflow::NodeExecStats& node,
                   bool isGpuTrace,
                   const std::string& place,
                   TfStep& step)
{
    try
    {
        ReadNode(node, isGpuTrace, place, step);
    }
    catch (const InputError& error)
    {
        LeaveOutRunMetadataNode(node, isGpuTrace, error.what(), step);
    }
}

} // namespace ns3::dml
