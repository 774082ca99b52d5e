/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-trace-file.h"
#include "dml-trace-schema.h"

#include "ns3/dml-own-json.h"

#include <nlohmann/json.hpp>

namespace ns3::dml
{

namespace
{

using Json = nlohmann::ordered_json;

/// Note bytes that are known.
void
AddBytes(Json& json, const char* key, uint64_t bytes)
{
    if (bytes > 0)
    {
        json[key] = bytes;
    }
}

Json
DescribeOp(const OpGraph& graph, OpIndex index)
{
    const Op& op = graph.Get(index);
    Json json{{"name", op.name}, {"kind", ToString(op.kind)}};
    if (NeedsTensor(op.kind))
    {
        json["tensor"] = op.tensor;
    }
    else
    {
        json["device"] = op.device;
    }
    json["deps"] = graph.GetDependencies(index);
    AddBytes(json, "activation_bytes", op.memory.activation);
    AddBytes(json, "output_bytes", op.memory.output);
    if (op.memory.noOutput)
    {
        json["output_bytes"] = 0;
    }
    AddBytes(json, "workspace_bytes", op.memory.workspace);
    return json;
}

} // namespace

std::vector<std::string>
DescribeJobInTrace(const Profile& profile, uint32_t pid)
{
    std::vector<std::string> events;
    const auto add = [&](const char* name, const Json& args) {
        events.push_back(WriteAsciiJson(
            {{"ph", "M"}, {"name", name}, {"pid", pid}, {"tid", 0}, {"args", args}}));
    };
    Json source = Json::array();
    for (const auto& [key, value] : profile.source)
    {
        source.push_back(Json::array({key, value}));
    }
    Json job{{"schema", TRACE_SCHEMA},
             {"model", profile.model},
             {"batch_size", profile.batchSize},
             {"samples", profile.GetSampleCount()},
             {"source", source}};
    AddBytes(job, "input_bytes", profile.inputBytes);
    AddBytes(job, "resident_bytes", profile.residentBytes);
    add(TRACE_PROFILE, job);
    for (const auto& device : profile.devices)
    {
        add(TRACE_DEVICE, {{"name", device.name}, {"slots", device.slots}});
    }
    for (const auto& tensor : profile.tensors)
    {
        add(TRACE_TENSOR, {{"name", tensor.name}, {"bytes", tensor.bytes}});
    }
    for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
    {
        add(TRACE_OP, DescribeOp(profile.graph, op));
    }
    return events;
}

} // namespace ns3::dml
