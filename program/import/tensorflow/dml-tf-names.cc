/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-names.h"

#include <boost/algorithm/string/case_conv.hpp>
#include <charconv>
#include <cmath>
#include <optional>

namespace ns3::dml
{

namespace
{

bool
StartsWith(std::string_view text, std::string_view start)
{
    return text.substr(0, start.size()) == start;
}

bool
EndsWith(std::string_view text, std::string_view end)
{
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

constexpr std::string_view DIGITS = "0123456789";

/// @return where the digits at the end of @p text start
std::size_t
FindLastDigits(std::string_view text)
{
    return text.find_last_not_of(DIGITS) + 1; // 0 if there are only digits
}

/// @return where the partitioner's suffix starts, and where its digits start; or no value
std::optional<std::pair<std::size_t, std::size_t>>
FindPartitionSuffix(std::string_view node)
{
    const std::size_t digits = FindLastDigits(node);
    const std::string_view head = node.substr(0, digits);
    if (digits == node.size() || head.size() <= 2 ||
        !(EndsWith(head, "_S") || EndsWith(head, "/_")))
    {
        return std::nullopt;
    }
    return std::make_pair(digits - 2, digits);
}

/// Read a size in square brackets from the start of a label. @return its end, or 0 if there is none
std::size_t
ParseLabelBytes(std::string_view label, uint64_t& bytes, TfBytes& known)
{
    const std::size_t close = label.find("] ");
    if (label.empty() || label[0] != '[' || close == std::string_view::npos)
    {
        return 0;
    }
    double number = 0;
    const char* const end = label.data() + close;
    const auto [unit, error] = std::from_chars(label.data() + 1, end, number);
    const std::string_view rest(unit, error == std::errc() ? end - unit : 0);
    const double factor = rest == "B" ? 1 : rest == "MB" ? 1024 * 1024 : 0;
    // Written so that NaN is refused.
    if (factor == 0 || !(number >= 0 && number * factor <= TfStep::MAX_BYTES))
    {
        return 0;
    }
    bytes = std::llround(number * factor);
    known = rest == "B" ? TfBytes::EXACT : TfBytes::ROUNDED;
    return close + 2;
}

} // namespace

TfDevice
ParseTfDevice(std::string_view name)
{
    static constexpr std::string_view DEVICE = "/device:";
    std::size_t machine = name.find(DEVICE);
    std::size_t local = machine + DEVICE.size();
    for (const std::string_view old : {"/cpu:", "/gpu:", "/host:"})
    {
        if (machine == std::string_view::npos)
        {
            machine = name.find(old);
            local = machine + 1;
        }
    }
    if (machine == std::string_view::npos)
    {
        return {"", boost::algorithm::to_lower_copy(std::string(name))};
    }
    return {std::string(name.substr(0, machine)),
            boost::algorithm::to_lower_copy(std::string(name.substr(local)))};
}

bool
IsTfGpuTrace(std::string_view local)
{
    return local.find("/stream:") != std::string_view::npos || EndsWith(local, "/memcpy");
}

std::string_view
GetTfNode(std::string_view input)
{
    if (StartsWith(input, "^"))
    {
        return input.substr(1);
    }
    const std::size_t digits = FindLastDigits(input);
    const bool hasPort = digits > 1 && digits < input.size() && input[digits - 1] == ':';
    return hasPort ? input.substr(0, digits - 1) : input;
}

std::optional<uint32_t>
GetTfPort(std::string_view input)
{
    if (StartsWith(input, "^"))
    {
        return std::nullopt;
    }
    uint32_t port = 0;
    const std::size_t behind = GetTfNode(input).size() + 1;
    if (behind < input.size())
    {
        std::from_chars(input.data() + behind, input.data() + input.size(), port);
    }
    return port;
}

std::string_view
StripTfPartition(std::string_view node)
{
    const auto suffix = FindPartitionSuffix(node);
    return suffix ? node.substr(0, suffix->first) : node;
}

uint64_t
GetTfPartitionNumber(std::string_view node)
{
    uint64_t number = UINT64_MAX;
    if (const auto suffix = FindPartitionSuffix(node))
    {
        std::from_chars(node.data() + suffix->second, node.data() + node.size(), number);
    }
    return number;
}

std::string_view
StripTfRead(std::string_view tensor)
{
    for (const std::string_view end : {"/Read/ReadVariableOp", "/ReadVariableOp", "/read"})
    {
        if (EndsWith(tensor, end) && tensor.size() > end.size())
        {
            return tensor.substr(0, tensor.size() - end.size());
        }
    }
    return tensor;
}

std::string_view
GetTfGradientOf(std::string_view tensor)
{
    const std::size_t slash = tensor.find('/');
    const std::size_t end = tensor.rfind("_grad/");
    if (!IsTfBackward(tensor) || slash == std::string_view::npos || end == std::string_view::npos ||
        end <= slash + 1)
    {
        return {};
    }
    return tensor.substr(slash + 1, end - slash - 1);
}

bool
IsTfBackward(std::string_view node)
{
    static constexpr std::string_view SCOPE = "gradients";
    for (std::size_t slash = node.find('/'); slash != std::string_view::npos;
         slash = node.find('/'))
    {
        if (StartsWith(node, SCOPE))
        {
            const std::string_view number = node.substr(0, slash).substr(SCOPE.size());
            if (number.empty() || (number.size() > 1 && number[0] == '_' &&
                                   number.find_first_not_of(DIGITS, 1) == std::string_view::npos))
            {
                return true;
            }
        }
        node.remove_prefix(slash + 1);
    }
    return false;
}

bool
IsTfReceive(std::string_view type)
{
    return type == "_Recv" || type == "_HostRecv";
}

bool
IsTfTransparent(std::string_view type)
{
    return type == "NoOp" || type == "_Send" || type == "_HostSend" || IsTfReceive(type);
}

bool
ParseTfOpLabel(std::string_view label, TfOp& op)
{
    static constexpr std::string_view IS = " = ";
    const std::size_t is = label.find(IS);
    const std::size_t open = label.find('(', is == std::string_view::npos ? is : is + IS.size());
    if (open == std::string_view::npos || label.back() != ')')
    {
        return false;
    }
    op.type = label.substr(is + IS.size(), open - is - IS.size());
    op.inputs.clear();
    std::string_view rest = label.substr(open + 1, label.size() - open - 2);
    while (!rest.empty())
    {
        const std::size_t comma = rest.find(", ");
        op.inputs.emplace_back(rest.substr(0, comma));
        rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 2);
    }
    return true;
}

bool
ParseTfReceiveLabel(std::string_view label, TfReceive& receive)
{
    static constexpr std::string_view EDGE = "edge_";
    static constexpr std::string_view FROM = " from ";
    uint64_t bytes = 0;
    TfBytes known = TfBytes::UNKNOWN;
    const std::size_t size = ParseLabelBytes(label, bytes, known);
    std::string_view rest = label.substr(size);
    const std::size_t from = rest.find(FROM);
    const std::size_t to = rest.find(" to ", from == std::string_view::npos ? from : from + 1);
    if (from == std::string_view::npos || to == std::string_view::npos)
    {
        return false;
    }
    std::string_view tensor = rest.substr(0, from);
    if (StartsWith(tensor, EDGE))
    {
        const std::size_t digits = tensor.find_first_not_of(DIGITS, EDGE.size());
        if (digits > EDGE.size() && digits < tensor.size() && tensor[digits] == '_')
        {
            tensor.remove_prefix(digits + 1);
        }
    }
    receive.tensor = tensor;
    receive.sender =
        ParseTfDevice(rest.substr(from + FROM.size(), to - from - FROM.size())).machine;
    if (receive.known != TfBytes::EXACT && known != TfBytes::UNKNOWN)
    {
        receive.bytes = bytes;
        receive.known = known;
    }
    return true;
}

} // namespace ns3::dml
