/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-reader-sections.h"

#include "dml-scenario-reader-job.h"
#include "dml-scenario-reader-keys.h"
#include "dml-scenario-reader-network.h"
#include "dml-scenario-reader-traffic.h"
#include "dml-yaml-field.h"

namespace ns3
{
namespace dml
{

namespace
{

constexpr uint64_t MAX_SEED = 4294944442;       // ns-3's generator (MRG32k3a) takes no larger one
constexpr uint64_t MAX_WINDOW = 2147483647;     // HTTP/2, RFC 9113 section 6.9.1
constexpr uint64_t MAX_PEERS = 1000000;         // CheckScenario() knows how many there are
constexpr uint64_t BDP_START_WINDOW = 4194304; // gRPC's, with bandwidth-delay probing
constexpr uint64_t MAX_CORES = 1000000;         // per server
constexpr uint64_t MAX_REPLICATIONS = 100000;
constexpr double MAX_ALPHA = 1;      // seconds per byte
constexpr double MAX_BETA = 1000000; // seconds

/// A section, its keys checked; missing if it was not given.
YamlField
GetSection(const YamlField& root, const std::string& name)
{
    YamlField section = root.Get(name);
    if (section)
    {
        section.CheckKeys(ScenarioKeys(name), ScenarioPaths());
    }
    return section;
}

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
        return {field.GetSize(1, MAX_WINDOW)};
    }
    const std::string accepted = "a size, or a list of sizes: one for each step, the last one stays";
    std::vector<uint64_t> windows;
    for (const auto& item : field.GetItems(accepted))
    {
        windows.push_back(item.GetSize(1, MAX_WINDOW));
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

/// A size, {min: SIZE, max: SIZE} for a draw per connection, or {default: SIZE, connections: [...]}.
void
ReadWindow(const YamlField& window, TransferSpec& spec)
{
    if (!window.IsMap())
    {
        spec.window = window.GetSize(1, MAX_WINDOW);
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
            spec.window = size.GetSize(1, MAX_WINDOW);
        }
        for (const auto& item : connections.GetItems("a list of maps, one for each connection"))
        {
            spec.connections.push_back(ReadConnection(item));
        }
        return;
    }
    if (!min || !max)
    {
        window.FailWith("found a map without " + std::string(min ? "max" : "min") +
                        "; accepted: a size, {min: SIZE, max: SIZE}, or {default: SIZE, connections: [...]}");
    }
    spec.window = min.GetSize(1, MAX_WINDOW);
    spec.windowMax = max.GetSize(spec.window, MAX_WINDOW);
}

TransferSpec
ReadTransfer(const YamlField& transfer)
{
    TransferSpec spec;
    if (const auto field = transfer.Get("policy"))
    {
        spec.policy = field.GetChoice({"http2-window", "frame-by-frame", "fifo"});
    }
    if (const auto field = transfer.Get("rejoin"))
    {
        spec.rejoin = field.GetChoice({"end", "start"});
    }
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
    spec.windowRule = WindowRuleOf(spec.grant);
    if (const auto field = transfer.Get("window_rule"))
    {
        spec.windowRule = field.GetChoice({"two-turns", "every-window"});
    }
    return spec;
}

OverheadSpec
ReadOverhead(const YamlField& overhead)
{
    OverheadSpec spec;
    if (const auto field = overhead.Get("alpha"))
    {
        spec.alpha = field.GetNumber(MAX_ALPHA, "seconds per byte");
    }
    if (const auto field = overhead.Get("beta"))
    {
        spec.beta = field.GetNumber(MAX_BETA, "seconds");
    }
    if (const auto field = overhead.Get("parallel"))
    {
        spec.parallel = field.GetBool();
    }
    return spec;
}

FairShareSpec
ReadFairShare(const YamlField& fairShare)
{
    FairShareSpec spec;
    if (const auto field = fairShare.Get("sharing"))
    {
        spec.sharing = field.GetChoice({"auto", "equal", "max-min", "two-ps", "fifo"});
    }
    if (const auto field = fairShare.Get("one_way_delay"))
    {
        spec.oneWayDelay = field.GetTime(Time(0));
    }
    if (const auto field = fairShare.Get("ps_cores"))
    {
        spec.serverCores = field.GetInteger(0, MAX_CORES);
    }
    return spec;
}

OutputSpec
ReadOutput(const YamlField& output)
{
    OutputSpec spec;
    const std::vector<std::pair<std::string, bool*>> switches{{"pcap", &spec.pcap},
                                                              {"netanim", &spec.netanim},
                                                              {"flows", &spec.flows},
                                                              {"trace", &spec.trace},
                                                              {"plots", &spec.plots},
                                                              {"transfers", &spec.transfers},
                                                              {"links", &spec.links},
                                                              {"ops", &spec.ops},
                                                              {"shares", &spec.shares},
                                                              {"gradients", &spec.gradients}};
    for (const auto& [key, value] : switches)
    {
        if (const auto field = output.Get(key))
        {
            *value = field.GetBool();
        }
    }
    return spec;
}

} // namespace

Scenario
ReadScenarioSections(const YamlNodePtr& document, const std::string& file)
{
    const YamlField root(document, "to sweep it, name it under sweep: {%: [...]}");
    root.CheckKeys(ScenarioKeys(""), ScenarioPaths());

    Scenario scenario;
    scenario.file = file;
    if (const auto field = root.Get("name"))
    {
        scenario.name = field.GetString("a name");
    }
    if (const auto field = root.Get("seed"))
    {
        scenario.seed = field.GetInteger(1, MAX_SEED);
    }
    if (const auto field = root.Get("replications"))
    {
        scenario.replications = field.GetInteger(1, MAX_REPLICATIONS);
    }
    scenario.job = ReadJobSection(root.Get("job"), file);
    if (const auto field = root.Get("other_jobs"))
    {
        for (const auto& job : field.GetItems("a list of jobs"))
        {
            scenario.otherJobs.push_back(ReadOtherJob(job, file));
        }
    }
    scenario.transfer = ReadTransfer(GetSection(root, "transfer"));
    scenario.overhead = ReadOverhead(GetSection(root, "overhead"));
    scenario.network = ReadNetworkSection(GetSection(root, "network"));
    scenario.network.faults = ReadFaults(root.Get("faults"));
    scenario.fairShare = ReadFairShare(GetSection(root, "fair_share"));
    if (const auto field = GetSection(root, "packet").Get("replications"))
    {
        scenario.packet.replications = field.GetInteger(0, MAX_REPLICATIONS);
    }
    scenario.output = ReadOutput(GetSection(root, "output"));
    CollectLocations(*document, "", scenario.locations);
    return scenario;
}

} // namespace dml
} // namespace ns3
