/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-reader-transfer.h"

#include "dml-scenario-reader-keys.h"

namespace ns3
{
namespace dml
{

namespace
{

constexpr uint64_t MAX_PEERS = 1000000;        // CheckScenario() knows how many there are
constexpr uint64_t BDP_START_WINDOW = 4194304; // gRPC's, with bandwidth-delay probing
constexpr uint64_t MAX_BYTES = 1000000000000;  // of a slice or a credit

/// A size, or a list with a size for each step.
std::vector<uint64_t>
ReadStepWindows(const YamlField& field)
{
    if (!field)
    {
        return {};
    }
    if (!field.IsList())
    {
        return {field.GetSize(1, MAX_STREAM_WINDOW)};
    }
    const std::string accepted =
        "a size, or a list of sizes: one for each step, the last one stays";
    std::vector<uint64_t> windows;
    for (const auto& item : field.GetItems(accepted))
    {
        windows.push_back(item.GetSize(1, MAX_STREAM_WINDOW));
    }
    if (windows.empty())
    {
        field.Fail(accepted);
    }
    return windows;
}

ConnectionSpec
ReadConnection(const YamlField& field)
{
    const std::string accepted = "a map with worker, and server, downlink, uplink if needed";
    if (!field.IsMap())
    {
        field.Fail(accepted);
    }
    field.CheckKeys({"worker", "server", "downlink", "uplink"});
    ConnectionSpec spec;
    const YamlField worker = field.Get("worker");
    if (!worker)
    {
        field.FailWith("found no key worker; accepted: " + accepted);
    }
    spec.worker = worker.GetInteger(0, MAX_PEERS);
    if (const auto server = field.Get("server"))
    {
        spec.server = server.GetInteger(0, MAX_PEERS);
    }
    spec.downlink = ReadStepWindows(field.Get("downlink"));
    spec.uplink = ReadStepWindows(field.Get("uplink"));
    return spec;
}

/// @return a size of at least @p low, which is above 0, and at most @p high; 0 for `off`
uint64_t
ReadSizeOrOff(const YamlField& field, uint64_t low, uint64_t high)
{
    return field.IsWord("off") ? 0 : field.GetSize(low, high, "off");
}

/// A size, `off`, {min: SIZE, max: SIZE} for a draw per connection, or {default: SIZE, connections:
/// [...]}.
void
ReadWindow(const YamlField& window, TransferSpec& spec)
{
    if (!window.IsMap())
    {
        const uint64_t size = ReadSizeOrOff(window, 1, MAX_STREAM_WINDOW);
        spec.flowControl = size > 0;
        spec.window = size > 0 ? size : MAX_STREAM_WINDOW;
        return;
    }
    window.CheckKeys(ScenarioKeys("transfer.window"), ScenarioPaths());
    const YamlField min = window.Get("min");
    const YamlField max = window.Get("max");
    if (const auto connections = window.Get("connections"))
    {
        if (min || max)
        {
            window.FailWith("found connections beside min or max; accepted: {default: SIZE, "
                            "connections: [...]}");
        }
        if (const auto size = window.Get("default"))
        {
            spec.window = size.GetSize(1, MAX_STREAM_WINDOW);
        }
        for (const auto& item : connections.GetItems("a list of maps, one for each connection"))
        {
            spec.connections.push_back(ReadConnection(item));
        }
        return;
    }
    if (!min || !max)
    {
        window.FailWith(
            "found a map without " + std::string(min ? "max" : "min") +
            "; accepted: a size, {min: SIZE, max: SIZE}, or {default: SIZE, connections: [...]}");
    }
    spec.window = min.GetSize(1, MAX_STREAM_WINDOW);
    spec.windowMax = max.GetSize(spec.window, MAX_STREAM_WINDOW);
}

std::vector<std::string>
ReadOrder(const YamlField& field)
{
    const std::string accepted = "a list of names of tensors, first one first";
    std::vector<std::string> order;
    for (const auto& item : field.GetItems(accepted))
    {
        order.push_back(item.GetString("the name of a tensor"));
    }
    if (order.empty())
    {
        field.FailWith("found an empty list; accepted: " + accepted);
    }
    return order;
}

/// Without window, the policies that set an order have flow control off.
void
ReadFlowControl(const YamlField& transfer, TransferSpec& spec)
{
    if (const auto field = transfer.Get("grant"))
    {
        spec.grant = field.GetChoice({"message", "consume", "capped", "bdp"});
    }
    if (spec.grant == "bdp")
    {
        spec.window = BDP_START_WINDOW;
    }
    if (const auto field = transfer.Get("window"))
    {
        ReadWindow(field, spec);
    }
    else if (IsOrderPolicy(spec.policy) || IsSlicePolicy(spec.policy))
    {
        spec.flowControl = false;
        spec.window = MAX_STREAM_WINDOW;
    }
    spec.windowRule = WindowRuleOf(spec.grant);
    if (const auto field = transfer.Get("window_rule"))
    {
        spec.windowRule = field.GetChoice({"two-turns", "every-window"});
    }
}

/// What the policies for slices need.
void
ReadSlices(const YamlField& transfer, TransferSpec& spec)
{
    spec.partition = IsSlicePolicy(spec.policy) ? DEFAULT_PARTITION : 0;
    if (const auto field = transfer.Get("partition"))
    {
        spec.partition = ReadSizeOrOff(field, 1, MAX_BYTES);
    }
    if (spec.partition > 0)
    {
        spec.credit = DEFAULT_CREDIT_SLICES * spec.partition;
    }
    if (const auto field = transfer.Get("credit"))
    {
        spec.credit = field.GetSize(1, MAX_BYTES);
    }
    if (const auto field = transfer.Get("slice_overhead"))
    {
        spec.sliceOverhead = field.GetTime(Time(0));
    }
    if (const auto field = transfer.Get("monitor"))
    {
        spec.monitor = field.GetTime(Time(0));
    }
}

} // namespace

TransferSpec
ReadTransferSection(const YamlField& transfer)
{
    TransferSpec spec;
    if (const auto field = transfer.Get("policy"))
    {
        spec.policy = field.GetChoice(TransferPolicyNames());
    }
    if (const auto field = transfer.Get("order"))
    {
        spec.order = ReadOrder(field);
    }
    if (const auto field = transfer.Get("rejoin"))
    {
        spec.rejoin = field.GetChoice({"end", "start"});
    }
    ReadFlowControl(transfer, spec);
    ReadSlices(transfer, spec);
    return spec;
}

} // namespace dml
} // namespace ns3
