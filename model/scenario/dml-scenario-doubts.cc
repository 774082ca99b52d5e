/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-checks.h"

#include "ns3/dml-unit-parser.h"

#include <cstdint>
#include <fmt/core.h>
#include <string_view>

namespace ns3::dml
{

namespace
{

/// Payload of a TCP segment at MTU 1500: no window of a real connection is smaller.
constexpr uint64_t SMALLEST_WINDOW = 1460;

bool
EndsWith(std::string_view text, std::string_view end)
{
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// @return the last part of a key path
std::string_view
LastKey(std::string_view path)
{
    const std::size_t dot = path.rfind('.');
    return path.substr(dot == std::string_view::npos ? 0 : dot + 1);
}

/// @return such as "8 Gbit/s"
std::string
RateText(uint64_t bitsPerSecond)
{
    const double rate = static_cast<double>(bitsPerSecond);
    return rate >= 1e9 ? fmt::format("{:.15g} Gbit/s", rate / 1e9)
                       : fmt::format("{:.15g} Mbit/s", rate / 1e6);
}

/// @return what is odd about the rate of a link, or nothing
std::string
DoubtRate(std::string_view path, const std::string& text)
{
    const auto rate = ParseBitRate(text);
    if (LastKey(path) != "rate" || !rate || !EndsWith(text, "Bps"))
    {
        return "";
    }
    const std::string number = text.substr(0, text.find_first_not_of("0123456789."));
    const std::string prefix = text.substr(number.size(), text.size() - number.size() - 3);
    return ", bytes per second as ns-3 reads it: " + RateText(*rate) + "; did you mean '" + number +
           prefix + "bps'? If not, write " + number + prefix + "B/s";
}

/// @return what is odd about a window, or nothing
std::string
DoubtWindow(std::string_view path, const std::string& text)
{
    const std::string_view key = LastKey(path);
    const auto size = ParseSize(text);
    if (path.rfind("transfer.window", 0) != 0 || key == "window_rule" || key == "worker" ||
        key == "server" || !size || *size >= SMALLEST_WINDOW)
    {
        return "";
    }
    const bool bare = text.find_first_not_of("0123456789") == std::string::npos;
    return ", which is " + std::to_string(*size) + " bytes, less than one packet" +
           (bare ? "; did you mean '" + text + "MB'?" : "");
}

void
Walk(const YamlNode& node, const std::string& path, std::vector<std::string>& doubts)
{
    for (std::size_t i = 0; i < node.items.size(); ++i)
    {
        Walk(*node.items[i], JoinPath(path, i), doubts);
    }
    for (const auto& entry : node.entries)
    {
        Walk(*entry.value, JoinPath(path, entry.key), doubts);
    }
    if (node.kind != YamlNode::Kind::SCALAR)
    {
        return;
    }
    for (const auto& doubt : {DoubtRate(path, node.text), DoubtWindow(path, node.text)})
    {
        if (!doubt.empty())
        {
            doubts.push_back(node.mark.ToString() + ": " + PrintableText(path) + ": found " +
                             QuoteText(node.text, '"') + doubt);
        }
    }
}

} // namespace

std::vector<std::string>
FindDoubts(const YamlNode& document)
{
    std::vector<std::string> doubts;
    Walk(document, "", doubts);
    return doubts;
}

} // namespace ns3::dml
