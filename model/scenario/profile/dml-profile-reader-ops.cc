/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-profile-reader-parts.h"
#include "dml-profile-reader.h"

#include "ns3/dml-plural.h"
#include "ns3/dml-suggestion.h"
#include "ns3/dml-unit-parser.h"

#include <algorithm>
#include <filesystem>
#include <unordered_set>

namespace ns3::dml
{

namespace
{

const std::vector<std::string>
    OP_KEYS{"name", "kind", "device", "tensor", "deps", "seconds", "samples"};

/// Keys of the bytes that an op holds, those of forward ops alone first.
const std::vector<std::pair<const char*, uint64_t OpMemory::*>> MEMORY_KEYS{
    {"activation_bytes", &OpMemory::activation},
    {"output_bytes", &OpMemory::output},
    {"workspace_bytes", &OpMemory::workspace}};

/// @return keys of an op of a profile that may @p hold bytes, or not
std::vector<std::string>
ListOpKeys(bool hold)
{
    std::vector<std::string> keys = OP_KEYS;
    for (const auto& key : MEMORY_KEYS)
    {
        keys.insert(keys.end(), hold ? 1 : 0, key.first);
    }
    return keys;
}

/// Refuse a key that has no meaning for the op's kind.
void
RefuseKey(const YamlField& op, const char* key, OpKind kind, const std::string& why)
{
    if (const auto field = op.Get(key))
    {
        field.FailWith("found the key '" + std::string(key) + "'; accepted: none for ops of kind " +
                       std::string(ToString(kind)) + " (" + why + ")");
    }
}

/// Refuse keys that the profile's version does not know.
void
RefuseMemory(const YamlField& op)
{
    for (const auto& key : MEMORY_KEYS)
    {
        if (op.IsMap() && op.Get(key.first))
        {
            op.Get(key.first).FailWith("found the key with an earlier schema; accepted: it with " +
                                       std::string(MEMORY_SCHEMA));
        }
    }
}

/// @return the bytes that an op holds, 0 where no key tells
OpMemory
ReadMemory(const YamlField& field, OpKind kind)
{
    OpMemory memory;
    for (const auto& [key, bytes] : MEMORY_KEYS)
    {
        const bool workspace = bytes == &OpMemory::workspace;
        if (kind != OpKind::FORWARD && !(workspace && kind == OpKind::BACKWARD))
        {
            RefuseKey(field,
                      key,
                      kind,
                      workspace ? "it is for forward and backward ops" : "it is for forward ops");
        }
        else if (const auto value = field.Get(key))
        {
            memory.*bytes = value.GetSize(0, MAX_OP_MEMORY);
            memory.noOutput |= bytes == &OpMemory::output && memory.output == 0;
        }
    }
    return memory;
}

/// A list of seconds. The common case makes no YamlField of every value, as there may be millions.
std::vector<double>
ReadSampleList(const YamlField& field)
{
    const std::string accepted = "a list of seconds, one for each measured step";
    if (!field.IsList() || field.GetNode()->items.empty())
    {
        field.Fail(accepted);
    }
    std::vector<double> samples;
    const auto& items = field.GetNode()->items;
    samples.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i)
    {
        const bool isScalar = items[i]->kind == YamlNode::Kind::SCALAR;
        const auto seconds = isScalar ? ParseSeconds(items[i]->text) : std::nullopt;
        if (!seconds)
        {
            field.GetItems(accepted)[i].Fail(SECONDS_FORM);
        }
        samples.push_back(*seconds);
    }
    return samples;
}

/// Reads the ops of a profile whose tensors and devices are known. Call in the order of
/// declaration.
class OpsReader
{
  public:
    OpsReader(Profile& profile, const YamlField& ops)
        : m_profile(profile),
          m_fields(ops.GetItems("a list of ops"))
    {
        if (m_fields.empty())
        {
            ops.Fail("a list of at least one op");
        }
        for (TensorIndex i = 0; i < profile.tensors.size(); ++i)
        {
            m_tensors.emplace(profile.tensors[i].name, i);
        }
    }

    /// Read names, kinds, tensors, devices, inline durations and bytes that ops hold.
    /// @param memory whether the profile's version knows the keys of the latter
    void ReadOps(bool memory)
    {
        const auto keys = ListOpKeys(memory);
        for (auto& field : m_fields)
        {
            const auto nameField = field.IsMap() ? field.Get("name") : field;
            if (field.IsMap() && nameField && !nameField.GetNode()->text.empty())
            {
                field = field.WithRemark("op " + QuoteText(nameField.GetNode()->text, '\''));
            }
            if (!memory)
            {
                RefuseMemory(field);
            }
            field.CheckKeys(keys);
            Op op = ReadOp(field);
            if (!m_index.emplace(op.name, m_profile.graph.GetSize()).second)
            {
                field.Get("name").FailWith(
                    "found a second op of this name; accepted: a unique name");
            }
            m_profile.samples.push_back(ReadDurations(field, op));
            m_profile.graph.Add(std::move(op));
        }
    }

    /// Read dependencies, which may name ops that are listed later.
    void ReadDependencies()
    {
        for (OpIndex after = 0; after < m_fields.size(); ++after)
        {
            const auto deps = m_fields[after].Get("deps");
            if (!deps)
            {
                continue;
            }
            std::unordered_set<OpIndex> seen;
            for (const auto& item : deps.GetItems("a list of op names"))
            {
                const auto before = m_index.find(item.GetString("the name of an op"));
                if (before == m_index.end())
                {
                    std::vector<std::string> names;
                    for (OpIndex op = 0; op < m_fields.size(); ++op)
                    {
                        names.push_back(m_profile.graph.Get(op).name);
                    }
                    item.FailMeant(Suggest(item.GetNode()->text, names), "the name of an op");
                }
                if (!seen.insert(before->second).second)
                {
                    item.FailWith("found " + QuoteText(item.GetNode()->text, '"') +
                                  " a second time; accepted: each dependency once");
                }
                m_profile.graph.AddDependency(before->second, after);
            }
        }
    }

    /// Read the file of samples if there is one, and give every op one value per step.
    /// @param field the key `samples`; may be missing @param folder that the file's path starts
    /// from
    void ReadSamples(const YamlField& field, const std::string& folder)
    {
        std::vector<std::string> missing;
        std::vector<std::string> others;
        for (OpIndex op = 0; op < m_fields.size(); ++op)
        {
            const Op& known = m_profile.graph.Get(op);
            const bool lacks = m_profile.samples[op].empty() && !IsTransfer(known.kind);
            (lacks ? missing : others).push_back(known.name);
            if (lacks && !field)
            {
                m_fields[op].FailWith(
                    "found neither seconds nor samples; accepted: one of them, or a "
                    "file of samples (the key samples of the profile)");
            }
        }
        if (field)
        {
            const std::string& name = field.GetString("the name of a CSV file");
            if (missing.empty())
            {
                field.FailWith(
                    "found " + QuoteText(name, '"') +
                    " though every op has seconds or samples; accepted: only one of both");
            }
            const auto path = (std::filesystem::path(folder) / name).lexically_normal();
            std::error_code ignored;
            if (!std::filesystem::is_regular_file(path, ignored))
            {
                field.FailWith(
                    "found " + QuoteText(name, '"') + ", but there is no file " +
                    PrintableText(path.string()) +
                    "; accepted: the name of a CSV file, relative to the profile's folder");
            }
            for (auto& [op, samples] : ReadSampleFile(path.string(), missing, others))
            {
                m_profile.samples[m_index.at(op)] = std::move(samples);
            }
        }
        EqualiseSamples();
    }

    /// @param error of Profile::Validate(); @return the field at fault: a dependency, or an op
    YamlField Locate(const ProfileError& error) const
    {
        const YamlField& op = m_fields[error.op];
        // of a cycle: the dependency on the op that precedes this one in it
        const auto cycle = m_profile.graph.FindCycle();
        const auto deps = op.Get("deps");
        if (!cycle.empty() && cycle.front() == error.op && deps)
        {
            for (const auto& item : deps.GetItems(""))
            {
                if (item.GetNode()->text == m_profile.graph.Get(cycle.back()).name)
                {
                    return item;
                }
            }
        }
        return op;
    }

  private:
    Op ReadOp(const YamlField& field)
    {
        Op op;
        op.name = field.Get("name").GetString("a name");
        const auto kindField = field.Get("kind");
        const auto kind = OpKindFromString(kindField.GetString(OpKindNames()));
        if (!kind)
        {
            kindField.Fail(OpKindNames());
        }
        op.kind = *kind;
        op.tensor = ReadTensor(field, op);
        op.device = ReadDevice(field, op);
        op.memory = ReadMemory(field, op.kind);
        return op;
    }

    TensorIndex ReadTensor(const YamlField& field, const Op& op) const
    {
        if (!NeedsTensor(op.kind))
        {
            RefuseKey(field, "tensor", op.kind, "it moves or updates no tensor");
            return NO_INDEX;
        }
        const auto tensorField = field.Get("tensor");
        const std::string accepted = "the name of a tensor";
        const auto tensor = m_tensors.find(tensorField.GetString(accepted));
        if (tensor == m_tensors.end())
        {
            tensorField.FailMeant(Suggest(tensorField.GetNode()->text, NamesOf(m_profile.tensors)),
                                  accepted);
        }
        return tensor->second;
    }

    uint32_t ReadDevice(const YamlField& field, const Op& op) const
    {
        if (!RunsOnDevice(op.kind))
        {
            RefuseKey(field, "device", op.kind, "it runs on no device of the worker");
            return 0;
        }
        const auto deviceField = field.Get("device");
        const auto& devices = m_profile.devices;
        if (!deviceField && devices.size() == 1)
        {
            return 0;
        }
        const auto names = NamesOf(devices);
        const std::string accepted = "one of the devices " + JoinWords(names);
        const auto device = std::find(names.begin(), names.end(), deviceField.GetString(accepted));
        if (device == names.end())
        {
            deviceField.FailMeant(Suggest(deviceField.GetNode()->text, names), accepted);
        }
        return device - names.begin();
    }

    std::vector<double> ReadDurations(const YamlField& field, const Op& op) const
    {
        if (IsTransfer(op.kind))
        {
            const std::string why = "the network decides how long a transfer takes";
            RefuseKey(field, "seconds", op.kind, why);
            RefuseKey(field, "samples", op.kind, why);
            return {};
        }
        const auto seconds = field.Get("seconds");
        const auto samples = field.Get("samples");
        if (seconds && samples)
        {
            samples.FailWith("found seconds and samples; accepted: one of them");
        }
        if (samples)
        {
            return ReadSampleList(samples);
        }
        return seconds ? std::vector<double>{ReadSeconds(seconds)} : std::vector<double>{};
    }

    /// Repeat the values given as `seconds`; check that all ops have as many values.
    void EqualiseSamples()
    {
        OpIndex first = NO_INDEX; // the op that says how many steps were measured
        for (OpIndex op = 0; op < m_fields.size(); ++op)
        {
            const auto& samples = m_profile.samples[op];
            if (samples.empty() || m_fields[op].Get("seconds"))
            {
                continue;
            }
            if (first == NO_INDEX)
            {
                first = op;
            }
            const std::size_t steps = m_profile.samples[first].size();
            if (samples.size() != steps)
            {
                const auto field = m_fields[op].Get("samples");
                (field ? field : m_fields[op])
                    .FailWith("found " + Plural(samples.size(), "sample") +
                              "; accepted: " + std::to_string(steps) + ", as op " +
                              QuoteText(m_profile.graph.Get(first).name, '\'') +
                              " has (one for each measured step)");
            }
        }
        for (OpIndex op = 0; first != NO_INDEX && op < m_fields.size(); ++op)
        {
            if (m_fields[op].Get("seconds"))
            {
                auto& samples = m_profile.samples[op];
                samples.assign(m_profile.samples[first].size(), double{samples.front()});
            }
        }
    }

    Profile& m_profile;                                     //!< to fill
    std::vector<YamlField> m_fields;                        //!< the ops, with remarks
    std::unordered_map<std::string, OpIndex> m_index;       //!< ops by name
    std::unordered_map<std::string, TensorIndex> m_tensors; //!< tensors by name
};

} // namespace

std::optional<double>
ParseSeconds(std::string_view text)
{
    const auto seconds = ParseNumber(text);
    return seconds && *seconds >= 0 && *seconds <= MAX_OP_SECONDS ? seconds : std::nullopt;
}

double
ReadSeconds(const YamlField& field)
{
    const auto seconds = ParseSeconds(field.GetText(SECONDS_FORM));
    if (!seconds)
    {
        field.Fail(SECONDS_FORM);
    }
    return *seconds;
}

void
ReadProfileOps(const YamlField& root, const std::string& folder, Profile& profile)
{
    OpsReader ops(profile, root.Get("ops"));
    ops.ReadOps(root.Get("schema").GetText("") == MEMORY_SCHEMA);
    ops.ReadDependencies();
    ops.ReadSamples(root.Get("samples"), folder);
    try
    {
        profile.Validate();
    }
    catch (const ProfileError& error)
    {
        std::string place = root.GetFile();
        if (error.op != NO_INDEX)
        {
            const YamlField field = ops.Locate(error);
            place = field.GetNode()->mark.ToString() + ": " + field.GetPath();
        }
        throw ProfileError(place + ": " + error.what(), error.op, error.tensor);
    }
}

} // namespace ns3::dml
