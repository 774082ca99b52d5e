/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-reader-keys.h"

#include "dml-scenario-keys.h"
#include "dml-scenario-reader-network.h"

#include "ns3/dml-yaml-node.h"

#include <utility>

namespace ns3
{
namespace dml
{

namespace
{

using Section = std::pair<std::string, std::vector<std::string>>;

const std::vector<Section>&
Sections()
{
    static const std::vector<Section> SECTIONS{
        {"",
         {"name",
          "seed",
          "replications",
          "job",
          "other_jobs",
          "transfer",
          "overhead",
          "network",
          "fair_share",
          "packet",
          "faults",
          "output",
          "sweep"}},
        {"job",
         {"profile",
          "scale",
          "workers",
          "parameter_servers",
          "placement",
          "gradient_groups",
          "protocol",
          "sync",
          "batch_control",
          "shedding",
          "steps",
          "warmup",
          "sampling",
          "start",
          "batch_size",
          "devices",
          "worker_devices",
          "server_devices"}},
        {"transfer",
         {"policy",
          "order",
          "rejoin",
          "window",
          "window_rule",
          "grant",
          "partition",
          "credit",
          "slice_overhead",
          "monitor"}},
        {"transfer.window", {"min", "max", "default", "connections"}},
        {"overhead", NamesOf(OverheadKeys())},
        {"network",
         {"topology",
          "rate",
          "delay",
          "mtu",
          "queue",
          "host_queue",
          "hosts",
          "colocate",
          "extra_hosts",
          "tcp",
          "background"}},
        {"network.tcp", NamesOf(TcpKeys())},
        {"fair_share", NamesOf(FairShareKeys())},
        {"packet", NamesOf(PacketKeys())},
        {"output", NamesOf(OutputKeys())},
    };
    return SECTIONS;
}

} // namespace

std::vector<std::string>
ScenarioKeys(const std::string& section)
{
    for (const auto& [name, keys] : Sections())
    {
        if (name == section)
        {
            return keys;
        }
    }
    return {};
}

std::vector<std::string>
ScenarioPaths()
{
    std::vector<std::string> paths;
    for (const auto& [name, keys] : Sections())
    {
        for (const auto& key : keys)
        {
            const std::string path = JoinPath(name, key);
            // these may be one value as well as a map
            const bool isMap = path == "sweep" || !ScenarioKeys(path).empty();
            if (!isMap || path == "network.tcp" || path == "transfer.window")
            {
                paths.push_back(path);
            }
        }
    }
    return paths;
}

std::vector<std::string>
ScenarioTables()
{
    return {"sweep", "job.placement", "network.hosts", "network.colocate"};
}

} // namespace dml
} // namespace ns3
