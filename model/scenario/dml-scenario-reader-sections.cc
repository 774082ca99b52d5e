/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-reader-sections.h"

#include "dml-scenario-reader-faults.h"
#include "dml-scenario-reader-job.h"
#include "dml-scenario-reader-keys.h"
#include "dml-scenario-reader-network.h"
#include "dml-scenario-reader-transfer.h"

#include "ns3/dml-yaml-field.h"

namespace ns3
{
namespace dml
{

namespace
{

constexpr uint64_t MAX_SEED = 4294944442; // ns-3's generator (MRG32k3a) takes no larger one
constexpr uint64_t MAX_CORES = 1000000;   // per server
constexpr uint64_t MAX_REPLICATIONS = 100000;
constexpr uint64_t MAX_TIMELINES = 100000; // files per worker
constexpr double MAX_ALPHA = 1;            // seconds per byte
constexpr double MAX_BETA = 1000000;       // seconds

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
    if (const auto field = output.Get("timeline"))
    {
        spec.timeline = field.GetInteger(0, MAX_TIMELINES);
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
    scenario.transfer = ReadTransferSection(GetSection(root, "transfer"));
    scenario.overhead = ReadOverhead(GetSection(root, "overhead"));
    scenario.network = ReadNetworkSection(GetSection(root, "network"));
    ReadFaults(root.Get("faults"), scenario);
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
