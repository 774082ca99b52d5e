/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-profile-writer.h"

#include "dml-profile-reader.h"

#include "ns3/dml-suggestion.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <fmt/core.h>
#include <iterator>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

/// @return true for what needs no quotes inside a word, whatever comes before and after it
bool
IsPlain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_./+-()").find(c) != std::string_view::npos;
}

/// @return true if some YAML reader would take the word for a boolean or for nothing
bool
IsKeyword(std::string_view text)
{
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) {
        return std::tolower(c);
    });
    const auto words = {"true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf"};
    return std::find(words.begin(), words.end(), lower) != words.end();
}

/// @return true if a YAML reader takes the unquoted text for the string that it is
bool
IsSafe(std::string_view text)
{
    if (text.empty() || !std::isalpha(static_cast<unsigned char>(text.front())) || IsKeyword(text))
    {
        return false;
    }
    for (std::size_t i = 1; i < text.size(); ++i)
    {
        // these three mean something at the end of a word or at the start of one
        const bool inner = text[i] == ' ' || text[i] == ':' || text[i] == '#';
        if (inner ? !IsPlain(text[i - 1]) || i + 1 == text.size() || !IsPlain(text[i + 1])
                  : !IsPlain(text[i]))
        {
            return false;
        }
    }
    return true;
}

/// @return true for decimal numbers such as 12 and 0.5, which any reader gives back unchanged
bool
IsDecimal(std::string_view text)
{
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    const auto point = std::min(text.find('.'), text.size());
    const auto whole = text.substr(0, point);
    const auto fraction = text.substr(std::min(point + 1, text.size()));
    return !whole.empty() && std::all_of(whole.begin(), whole.end(), isDigit) &&
           (whole == "0" || whole.front() != '0') && (point == text.size() || !fraction.empty()) &&
           std::all_of(fraction.begin(), fraction.end(), isDigit);
}

std::string
Quote(std::string_view text)
{
    std::string quoted = "\"";
    for (const char c : text)
    {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
        {
            quoted += '\\';
            quoted += c;
        }
        else if (byte < 0x20 || byte == 0x7f)
        {
            quoted += fmt::format("\\x{:02x}", byte);
        }
        else
        {
            quoted += c;
        }
    }
    return quoted + "\"";
}

/// @return the shortest decimal without exponent that reads back as @p seconds
std::string
Number(double seconds)
{
    std::array<char, 512> buffer; // the smallest positive double takes 326 characters
    const auto end = std::to_chars(buffer.data(),
                                   buffer.data() + buffer.size(),
                                   seconds,
                                   std::chars_format::fixed);
    return std::string(buffer.data(), end.ptr);
}

/// @param write makes text of an item @return "[items]"
template <typename Items, typename Write>
std::string
ListOf(const Items& items, const Write& write)
{
    std::vector<std::string> texts;
    std::transform(items.begin(), items.end(), std::back_inserter(texts), write);
    return "[" + JoinWords(texts) + "]";
}

/// @return ", key: [times]", or nothing if there are none
std::string
TimesOf(const std::string& key, const std::vector<double>& times)
{
    return times.empty() ? "" : ", " + key + ": " + ListOf(times, Number);
}

/// @return ", key: bytes", or nothing if there are none
std::string
BytesOf(const std::string& key, uint64_t bytes)
{
    return bytes > 0 ? ", " + key + ": " + std::to_string(bytes) : "";
}

/// @return the first version of the format that has all that the profile has, so that programs
/// that know only that one read it
const char*
VersionOf(const Profile& profile)
{
    return profile.HasMemory() ? MEMORY_SCHEMA
                               : (profile.buckets.empty() ? PROFILE_SCHEMA : BUCKETS_SCHEMA);
}

std::string
OpLine(const Profile& profile, OpIndex index)
{
    const Op& op = profile.graph.Get(index);
    std::string line = "{name: " + QuoteYaml(op.name) + ", kind: " + std::string(ToString(op.kind));
    line += NeedsTensor(op.kind) ? ", tensor: " + QuoteYaml(profile.tensors[op.tensor].name)
                                 : ", device: " + QuoteYaml(profile.devices[op.device].name);
    if (const auto& dependencies = profile.graph.GetDependencies(index); !dependencies.empty())
    {
        line += ", deps: " + ListOf(dependencies, [&profile](OpIndex dependency) {
                    return QuoteYaml(profile.graph.Get(dependency).name);
                });
    }
    line += BytesOf("activation_bytes", op.memory.activation) +
            (op.memory.noOutput ? ", output_bytes: 0" : BytesOf("output_bytes", op.memory.output)) +
            BytesOf("workspace_bytes", op.memory.workspace);
    return line + TimesOf("samples", profile.samples[index]) + "}";
}

std::string
BucketLine(const Profile& profile, const MeasuredBucket& bucket)
{
    const auto name = [&profile](TensorIndex tensor) {
        return QuoteYaml(profile.tensors[tensor].name);
    };
    return "{bytes: " + std::to_string(profile.GetBytes(bucket.tensors)) +
           ", tensors: " + ListOf(bucket.tensors, name) + TimesOf("recorded", bucket.recorded) +
           TimesOf("transfer", bucket.transfer) + "}";
}

} // namespace

std::string
QuoteYaml(std::string_view text)
{
    return IsSafe(text) ? std::string(text) : Quote(text);
}

void
WriteProfile(const Profile& profile, std::ostream& output)
{
    profile.Validate();
    output << "schema: " << VersionOf(profile) << "\n"
           << "model: " << QuoteYaml(profile.model) << "\n"
           << "batch_size: " << profile.batchSize << "\n";
    for (const auto& [key, bytes] : {std::pair("input_bytes", profile.inputBytes),
                                     std::pair("resident_bytes", profile.residentBytes)})
    {
        if (bytes > 0)
        {
            output << key << ": " << bytes << "\n";
        }
    }
    output << (profile.source.empty() ? "" : "source:\n");
    for (const auto& [key, value] : profile.source)
    {
        output << "  " << QuoteYaml(key) << ": " << (IsDecimal(value) ? value : QuoteYaml(value))
               << "\n";
    }
    output << "devices:\n";
    for (const auto& device : profile.devices)
    {
        output << "  - {name: " << QuoteYaml(device.name) << ", slots: " << device.slots << "}\n";
    }
    output << (profile.tensors.empty() ? "tensors: []\n" : "tensors:\n");
    for (const auto& tensor : profile.tensors)
    {
        output << "  - {name: " << QuoteYaml(tensor.name) << ", bytes: " << tensor.bytes << "}\n";
    }
    output << "ops:\n";
    for (OpIndex i = 0; i < profile.graph.GetSize(); ++i)
    {
        output << "  - " << OpLine(profile, i) << "\n";
    }
    output << (profile.buckets.empty() ? "" : "buckets:\n");
    for (const auto& bucket : profile.buckets)
    {
        output << "  - " << BucketLine(profile, bucket) << "\n";
    }
    output.flush();
    if (!output)
    {
        throw RunError("the profile could not be written; is the disk full?");
    }
}

std::string
FormatProfile(const Profile& profile)
{
    std::ostringstream text;
    WriteProfile(profile, text);
    return text.str();
}

} // namespace ns3::dml
