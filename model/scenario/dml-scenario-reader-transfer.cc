/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plugin-key.h"
#include "dml-scenario-keys.h"
#include "dml-scenario-sections.h"

#include "ns3/dml-message-framing.h"
#include "ns3/dml-transfer-policies.h"

namespace ns3::dml
{

namespace
{

constexpr uint64_t MAX_PEERS = 1000000;        // CheckScenario() knows how many there are
constexpr uint64_t BDP_START_WINDOW = 4194304; // gRPC's, with bandwidth-delay probing
constexpr uint64_t MAX_BYTES = 1000000000000;  // of a slice or a credit

bool
IsPlainTcp(const TransferSpec& spec)
{
    return spec.transport == "tcp";
}

/// A size, or a list with a size for each step.
std::vector<uint64_t>
ReadStepWindows(const YamlField& field)
{
    if (!field.IsList())
    {
        return {field.GetSize(1, MAX_STREAM_WINDOW)};
    }
    const std::string accepted =
        "a size, or a list of sizes: one for each step, the last one stays";
    return ListValue(SizeValue(1, MAX_STREAM_WINDOW), accepted, accepted).read(field);
}

const Keys<ConnectionSpec>&
ConnectionKeys()
{
    static const auto PEER = IntegerValue(0, MAX_PEERS);
    static const auto SIZE = SizeValue(1, MAX_STREAM_WINDOW);
    static const Value<std::vector<uint64_t>> WINDOWS{
        {"a size, or one for each step", AnySchema({SIZE.schema, ListSchema(SIZE.schema)})},
        ReadStepWindows,
        [](const std::vector<uint64_t>& windows) {
            return windows.empty() ? KeyJson() : KeyJson(windows);
        }};
    static const Keys<ConnectionSpec> KEYS{
        Key{"worker", &ConnectionSpec::worker, PEER, "index"}.Default(""),
        Key{"server", &ConnectionSpec::server, PEER, "index"},
        Key{"downlink", &ConnectionSpec::downlink, WINDOWS, "from the server; the last one stays"},
        Key{"uplink", &ConnectionSpec::uplink, WINDOWS, "to the server"},
    };
    return KEYS;
}

Value<std::vector<ConnectionSpec>>
ConnectionsValue()
{
    const std::string accepted = "a map with worker, and server, downlink, uplink if needed";
    return ListValue(MapValue(ConnectionKeys(), accepted, "a map", {{"worker"}, accepted}),
                     "a list of maps, one for each connection");
}

const std::vector<KeyText>&
WindowParts()
{
    static const auto SIZE = SizeValue(1, MAX_STREAM_WINDOW);
    static const std::vector<KeyText> PARTS{
        {"min", SIZE, "each connection and direction draws from here"},
        {"max", SIZE, "to here"},
        {"default", SIZE, "of all but ``connections``"},
        {"connections", ConnectionsValue(), "windows of single connections"},
    };
    return PARTS;
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
ReadGivenWindow(const YamlField& window, TransferSpec& spec)
{
    if (!window.IsMap())
    {
        const uint64_t size = ReadSizeOrOff(window, 1, MAX_STREAM_WINDOW);
        spec.flowControl = size > 0;
        spec.window = size > 0 ? size : MAX_STREAM_WINDOW;
        return;
    }
    window.CheckKeys(NamesOf(WindowParts()), ScenarioPaths());
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
        spec.connections = ConnectionsValue().read(connections);
        return;
    }
    if (min && max && window.Get("default"))
    {
        window.FailWith("found default beside min and max; accepted: {min: SIZE, max: SIZE}");
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

/// Without window, the policies that set an order have flow control off; plain TCP always has.
void
ReadWindow(const YamlField& transfer, TransferSpec& spec)
{
    if (const auto field = transfer.Get("window"))
    {
        ReadGivenWindow(field, spec);
    }
    else if (IsOrderPolicy(spec.policy) || IsSlicePolicy(spec.policy))
    {
        spec.flowControl = false;
        spec.window = MAX_STREAM_WINDOW;
    }
    if (IsPlainTcp(spec))
    {
        RemoveWindows(spec); // those of other cases of a sweep
    }
}

KeyJson
EchoWindow(const TransferSpec& spec)
{
    if (IsPlainTcp(spec))
    {
        return nullptr;
    }
    if (!spec.flowControl)
    {
        return "off";
    }
    if (spec.windowMax > 0)
    {
        return {{"min", spec.window}, {"max", spec.windowMax}};
    }
    if (spec.connections.empty())
    {
        return spec.window;
    }
    return {{"default", spec.window}, {"connections", ConnectionsValue().echo(spec.connections)}};
}

KeyShape
WindowShape()
{
    const auto size = SizeValue(1, MAX_STREAM_WINDOW);
    return {"a size | {min, max} | {default, connections} | off",
            AnySchema({size.schema, WordSchema({"off"}), MapSchema(WindowParts())}),
            WindowParts(),
            size.write};
}

/// What follows from `grant`.
void
FollowGrant(TransferSpec& spec)
{
    spec.window = spec.grant == "bdp" ? BDP_START_WINDOW : spec.window;
    spec.windowRule = WindowRuleOf(spec.grant);
}

/// What follows from `transport`: gRPC has one connection, whatever other cases of a sweep have.
void
FollowTransport(TransferSpec& spec)
{
    spec.sockets = IsPlainTcp(spec) ? spec.sockets : TransferSpec().sockets;
}

/// The size of slices, and the credit that follows from it.
void
ReadPartition(const YamlField& transfer, TransferSpec& spec)
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
}

KeyJson
EchoPartition(const TransferSpec& spec)
{
    return spec.partition > 0 ? KeyJson(spec.partition) : KeyJson("off");
}

KeyShape
PartitionShape()
{
    const auto size = SizeValue(1, MAX_BYTES);
    return {"a size | off", AnySchema({size.schema, WordSchema({"off"})}), {}, size.write};
}

} // namespace

const Keys<TransferSpec>&
TransferKeys()
{
    static const std::string NAMES = "a list of names of tensors, first one first";
    static const Keys<TransferSpec> KEYS{
        Key{"transport",
            &TransferSpec::transport,
            WordValue({"grpc", "tcp"}),
            "what carries requests and tensors: gRPC over HTTP/2, or messages over plain TCP, see "
            ":doc:`transports`"}
            .EchoIfChanged()
            .Turn(-1),
        Key{"sockets",
            &TransferSpec::sockets,
            IntegerValue(1, TCP_MOST_SOCKETS),
            "TCP connections that an endpoint opens to another, over which it receives tensors "
            "(``tcp``)"}
            .EchoIf(IsPlainTcp)
            .Then(FollowTransport),
        PluginKey("policy",
                  &TransferSpec::policy,
                  &TransferSpec::policyAttributes,
                  TransferPolicies(),
                  "the order of transfers, see :doc:`flow-control`, :doc:`transfer-order` and "
                  ":doc:`extending`")
            .Turn(-1),
        Key{"order",
            &TransferSpec::order,
            ListValue(NameValue("the name of a tensor"), NAMES, NAMES),
            "all tensors that are pulled, for ``explicit``"}
            .Default("")
            .EchoIf([](const TransferSpec& spec) { return spec.policy == "explicit"; })
            .EchoBefore("credit")
            .Turn(-1),
        Key{"rejoin",
            &TransferSpec::rejoin,
            WordValue({"end", "start"}),
            "where a stream that was cut queues again: at that of its turn (``http2-window``)"}
            .Turn(-1),
        Key{"window",
            ReadWindow,
            EchoWindow,
            WindowShape(),
            "WIN, the window of every stream when it opens; with ``bdp`` 4MiB, at most 32MiB; "
            "``off`` with the policies that set an order"}
            .AlsoMap(),
        Key{"window_rule",
            &TransferSpec::windowRule,
            WordValue({"two-turns", "every-window"}),
            "what the fair-share engine does with windows; follows from ``grant``"}
            .EchoIf([](const TransferSpec& spec) { return spec.flowControl; })
            .EchoBefore("order"),
        Key{"grant",
            &TransferSpec::grant,
            WordValue({"message", "consume", "capped", "bdp"}),
            "when receivers open the window"}
            .Then(FollowGrant)
            .EchoIf([](const TransferSpec& spec) { return !IsPlainTcp(spec); })
            .Turn(-1),
        Key{"partition",
            ReadPartition,
            EchoPartition,
            PartitionShape(),
            "size of slices; 4MB with ``p3``, ``bytescheduler`` and ``prophet``"},
        Key{"credit",
            &TransferSpec::credit,
            SizeValue(1, MAX_BYTES),
            "bytes on their way at most, 4 slices (``bytescheduler``)"}
            .EchoIf([](const TransferSpec& spec) { return spec.policy == "bytescheduler"; }),
        Key{"slice_overhead",
            &TransferSpec::sliceOverhead,
            TimeValue(Time(0)),
            "what a slice costs its sender besides its bytes, with ``prophet`` a block (``p3``, "
            "``bytescheduler``, ``prophet``)"}
            .EchoIf([](const TransferSpec& spec) { return IsSlicePolicy(spec.policy); }),
        Key{"monitor",
            &TransferSpec::monitor,
            TimeValue(Time(0)),
            "how often the rate is looked at, ``0s``: always (``prophet``)"}
            .EchoIf([](const TransferSpec& spec) { return spec.policy == "prophet"; }),
    };
    return KEYS;
}

} // namespace ns3::dml
