/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-profile-reader.h"

#include "dml-profile-reader-parts.h"

#include "ns3/dml-yaml-field.h"
#include "ns3/dml-yaml-parser.h"
#include "ns3/dml-yaml-text.h"

#include <filesystem>
#include <unordered_set>

namespace ns3::dml
{

namespace
{

constexpr uint64_t MAX_DEVICE_SLOTS = 1000000;

void
CheckSchema(const YamlField& root)
{
    const std::string accepted = std::string(PROFILE_SCHEMA) + ", " + BUCKETS_SCHEMA + " or " +
                                 MEMORY_SCHEMA + " (other formats can be converted: dml import)";
    if (!root.IsMap())
    {
        root.Fail("a profile, a map with the key schema: " + accepted);
    }
    const auto schema = root.Get("schema");
    const std::string& version = schema.GetString(accepted);
    if (version != PROFILE_SCHEMA && version != BUCKETS_SCHEMA && version != MEMORY_SCHEMA)
    {
        schema.Fail(accepted);
    }
    if (const auto buckets = root.Get("buckets"); buckets && version == PROFILE_SCHEMA)
    {
        buckets.FailWith("found the key with the schema " + version + "; accepted: it with " +
                         BUCKETS_SCHEMA);
    }
    for (const char* key : {"input_bytes", "resident_bytes"})
    {
        if (const auto bytes = root.Get(key); bytes && version != MEMORY_SCHEMA)
        {
            bytes.FailWith("found the key with the schema " + version + "; accepted: it with " +
                           MEMORY_SCHEMA);
        }
    }
}

uint64_t
ReadHeld(const YamlField& bytes)
{
    return bytes ? bytes.GetSize(0, MAX_OP_MEMORY) : 0;
}

void
ReadSource(const YamlField& source, Profile& profile)
{
    if (!source)
    {
        return;
    }
    for (const auto& [key, value] : source.GetEntries("a map of texts"))
    {
        profile.source.emplace_back(key, value.GetText("a text"));
    }
}

void
ReadDevices(const YamlField& devices, Profile& profile)
{
    if (!devices)
    {
        profile.devices.push_back({"cpu", 1});
        return;
    }
    const std::string accepted = "a list of devices, at least one";
    std::unordered_set<std::string> names;
    for (const auto& field : devices.GetItems(accepted))
    {
        Device device;
        if (!field.IsMap())
        {
            device.name = field.GetString("a name, or a map with the keys name, slots");
        }
        else
        {
            field.CheckKeys({"name", "slots"});
            device.name = field.Get("name").GetString("a name");
            if (const auto slots = field.Get("slots"))
            {
                device.slots = slots.GetInteger(1, MAX_DEVICE_SLOTS);
            }
        }
        if (!names.insert(device.name).second)
        {
            field.FailWith("found device " + QuoteText(device.name, '\'') +
                           " a second time; accepted: a unique name");
        }
        profile.devices.push_back(std::move(device));
    }
    if (profile.devices.empty())
    {
        devices.Fail(accepted);
    }
}

void
ReadTensors(const YamlField& tensors, Profile& profile)
{
    std::unordered_set<std::string> names;
    for (const auto& field : tensors.GetItems("a list of tensors"))
    {
        field.CheckKeys({"name", "bytes"});
        const auto name = field.Get("name");
        Tensor tensor;
        tensor.name = name.GetString("a name");
        tensor.bytes = field.Get("bytes").GetSize(0, MAX_TENSOR_BYTES);
        if (!names.insert(tensor.name).second)
        {
            name.FailWith("found tensor " + QuoteText(tensor.name, '\'') +
                          " a second time; accepted: a unique name");
        }
        profile.tensors.push_back(std::move(tensor));
    }
}

} // namespace

Profile
ReadProfile(const std::string& path)
{
    const YamlField root(ParseYaml(ReadTextFile(path, "a profile (a YAML file)"), path));
    CheckSchema(root);
    root.CheckKeys({"schema",
                    "model",
                    "batch_size",
                    "input_bytes",
                    "resident_bytes",
                    "source",
                    "devices",
                    "samples",
                    "tensors",
                    "ops",
                    "buckets"});

    Profile profile;
    profile.model = root.Get("model").GetString("the name of a model");
    profile.batchSize = root.Get("batch_size").GetInteger(1, MAX_BATCH);
    profile.inputBytes = ReadHeld(root.Get("input_bytes"));
    profile.residentBytes = ReadHeld(root.Get("resident_bytes"));
    ReadSource(root.Get("source"), profile);
    ReadDevices(root.Get("devices"), profile);
    ReadTensors(root.Get("tensors"), profile);

    ReadProfileOps(root, std::filesystem::path(path).parent_path().string(), profile);
    ReadProfileBuckets(root.Get("buckets"), profile);
    return profile;
}

} // namespace ns3::dml
