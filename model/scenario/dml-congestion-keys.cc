/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-congestion-keys.h"

#include "dml-scenario-check.h"

#include <cstdint>
#include <optional>

namespace ns3::dml
{

std::vector<CongestionKey>
ListCongestionKeys(const Scenario& scenario)
{
    const std::string whole = "network.tcp";
    const std::string variant = whole + ".variant";
    std::vector<CongestionKey> keys{
        {IsGiven(scenario, variant) ? variant : whole, scenario.network.tcp.GetControl()}};
    const auto add = [&keys](const std::string& key, const std::optional<PluginSpec>& own) {
        if (own)
        {
            keys.push_back({key, *own});
        }
    };
    for (uint32_t job = 0; job <= scenario.otherJobs.size(); ++job)
    {
        add(JobKey(job) + ".tcp", GetJob(scenario, job).tcp);
    }
    const auto& flows = scenario.network.background;
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        add("network.background[" + std::to_string(i) + "].tcp", flows[i].tcp);
    }
    return keys;
}

} // namespace ns3::dml
