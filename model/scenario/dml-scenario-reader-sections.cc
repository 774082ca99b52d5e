/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-reader-sections.h"

#include "dml-scenario-keys.h"
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
constexpr uint64_t MAX_REPLICATIONS = 100000;

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
    ReadKeys(GetSection(root, "overhead"), OverheadKeys(), scenario.overhead);
    scenario.network = ReadNetworkSection(GetSection(root, "network"));
    ReadFaults(root.Get("faults"), scenario);
    ReadKeys(GetSection(root, "fair_share"), FairShareKeys(), scenario.fairShare);
    ReadKeys(GetSection(root, "packet"), PacketKeys(), scenario.packet);
    ReadKeys(GetSection(root, "output"), OutputKeys(), scenario.output);
    CollectLocations(*document, "", scenario.locations);
    return scenario;
}

} // namespace dml
} // namespace ns3
