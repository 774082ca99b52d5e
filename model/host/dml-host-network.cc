/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-host-network.h"

#include "dml-host-checks.h"
#include "dml-host-network-commands.h"
#include "dml-host-program.h"

#include "ns3/dml-error.h"

#include <fstream>
#include <nlohmann/json.hpp>

namespace ns3::dml
{

namespace
{

/// @param setting to give to the network namespace of the calling thread
/// @throws RunError if it does not have it afterwards
void
ApplySetting(const NetworkSetting& setting)
{
    const std::string path = "/proc/sys/net/" + setting.name;
    std::string value;
    std::ifstream(path) >> value;
    if (value == setting.value || (value.empty() && setting.isOptional))
    {
        return;
    }
    if (!(std::ofstream(path) << setting.value << std::flush))
    {
        throw RunError("the host engine cannot write " + setting.value + " to " + path + " (\"" +
                       value + "\" at present)");
    }
}

} // namespace

std::map<std::string, HostLinkCount>
ParseLinkCounts(const std::string& json)
{
    std::map<std::string, HostLinkCount> counts;
    try
    {
        for (const auto& qdisc : nlohmann::json::parse(json))
        {
            const auto read = [&qdisc](const char* key) { return qdisc.value(key, uint64_t(0)); };
            const bool top = qdisc.at("handle") == "1:";
            const auto& kind = qdisc.at("kind");
            if (!top && kind != "bfifo")
            {
                continue;
            }
            HostLinkCount& count = counts[qdisc.at("dev").get<std::string>()];
            count.overlimits += top ? read("overlimits") : 0;
            if (kind != "htb") // which only hands on
            {
                count.bytes += read("bytes");
                count.packets += read("packets");
                count.drops += read("drops");
                count.backlog += read("backlog");
            }
        }
    }
    catch (const nlohmann::json::exception& error)
    {
        throw RunError(std::string("cannot read the output of tc: ") + error.what());
    }
    return counts;
}

HostNetwork::HostNetwork(const ClusterNetwork& network,
                         const NetworkSpec& spec,
                         const HostAbilities& abilities)
    : m_tc(abilities.tc),
      m_notes(CheckHostNetwork(network, spec, abilities)),
      m_layout(network),
      m_namespaces(network.GetNodes().size())
{
    std::vector<std::string> paths;
    for (uint32_t node = 0; node < m_namespaces.size(); ++node)
    {
        paths.push_back(m_namespaces[node].GetPath());
        const NetworkVisit visit(m_namespaces[node]);
        for (const auto& setting : MakeSettings(m_layout, node, spec))
        {
            ApplySetting(setting);
        }
    }
    RunHostProgram(abilities.ip, {"-batch", "-"}, MakeLinkCommands(m_layout, paths, spec.tcp));
    for (uint32_t node = 0; node < m_namespaces.size(); ++node)
    {
        const NetworkVisit visit(m_namespaces[node]);
        RunHostProgram(abilities.ip, {"-batch", "-"}, MakeNodeCommands(m_layout, node, spec.tcp));
        RunHostProgram(m_tc, {"-batch", "-"}, MakeShapingCommands(m_layout, node, spec.tcp));
    }
}

std::vector<HostLinkCount>
HostNetwork::ReadCounters() const
{
    std::vector<HostLinkCount> counts(m_layout.GetNetwork().GetDirectedLinks());
    for (uint32_t node = 0; node < m_namespaces.size(); ++node)
    {
        const NetworkVisit visit(m_namespaces[node]);
        auto devices = ParseLinkCounts(RunHostProgram(m_tc, {"-s", "-j", "qdisc", "show"}, ""));
        for (const DirectedLink port : m_layout.GetPorts(node))
        {
            counts[port] = devices[m_layout.GetDevice(port)];
        }
    }
    return counts;
}

KernelTcpCounts
HostNetwork::CountTcp() const
{
    KernelTcpCounts sum;
    for (const auto& place : m_namespaces)
    {
        const NetworkVisit visit(place);
        const KernelTcpCounts counts = ReadKernelTcpCounts();
        sum.timeouts += counts.timeouts;
        sum.recoveries += counts.recoveries;
    }
    return sum;
}

} // namespace ns3::dml
