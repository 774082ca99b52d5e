/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-link-edits.h"

#include "ns3/dml-scenario-keys.h"

namespace ns3::dml
{

std::vector<std::string>
EditLinks(const Scenario& scenario, EditedLinks which, const LinkEdit& edit)
{
    const nlohmann::ordered_json before = ScenarioToJson(scenario)["network"];
    nlohmann::ordered_json after = before;
    for (auto& [host, link] : after["hosts"].items())
    {
        edit(link);
    }
    if (auto& topology = after["topology"];
        which == EditedLinks::ALL && topology.is_object()) // a star is a word
    {
        if (topology.contains("trunk"))
        {
            edit(topology["trunk"]);
        }
        if (topology.contains("links"))
        {
            for (auto& link : topology["links"])
            {
                edit(link);
            }
        }
    }
    std::vector<std::string> settings;
    for (const char* key : {"hosts", "topology"})
    {
        if (after[key] != before[key])
        {
            settings.push_back(std::string("network.") + key + "=" + after[key].dump());
        }
    }
    return settings;
}

} // namespace ns3::dml
