/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-echo.h"

#include <nlohmann/json.hpp>

namespace ns3
{
namespace dml
{

namespace
{

using Json = nlohmann::ordered_json;

std::string
TimeText(const Time& time)
{
    return std::to_string(time.GetNanoSeconds()) + "ns";
}

Json
WindowToJson(const TransferSpec& transfer)
{
    if (transfer.windowMax > 0)
    {
        return {{"min", transfer.window}, {"max", transfer.windowMax}};
    }
    if (transfer.connections.empty())
    {
        return transfer.window;
    }
    Json connections = Json::array();
    for (const auto& [worker, server, downlink, uplink] : transfer.connections)
    {
        Json item{{"worker", worker}, {"server", server}};
        if (!downlink.empty())
        {
            item["downlink"] = downlink;
        }
        if (!uplink.empty())
        {
            item["uplink"] = uplink;
        }
        connections.push_back(item);
    }
    return {{"default", transfer.window}, {"connections", connections}};
}

Json
JobToJson(const JobSpec& job)
{
    Json sampling = job.sampling.rule;
    if (job.sampling.rule == "explicit")
    {
        sampling = job.sampling.lists;
    }
    Json start = job.start.rule;
    if (job.start.rule == "explicit")
    {
        start = Json::array();
        for (const auto& offset : job.start.offsets)
        {
            start.push_back(TimeText(offset));
        }
    }
    Json placement = job.placement.rule;
    if (job.placement.rule == "explicit")
    {
        placement = job.placement.table;
    }
    return {{"profile", job.profile},
            {"workers", job.workers},
            {"parameter_servers", job.parameterServers},
            {"placement", placement},
            {"sync", job.sync},
            {"steps", job.steps},
            {"warmup", job.warmup},
            {"sampling", sampling},
            {"start", start}};
}

Json
NetworkToJson(const NetworkSpec& network)
{
    const TcpSpec& tcp = network.tcp;
    return {{"topology", network.topology},
            {"rate", std::to_string(network.rate.GetBitRate()) + "bps"},
            {"delay", TimeText(network.delay)},
            {"mtu", network.mtu},
            {"queue", network.queue},
            {"tcp",
             {{"variant", tcp.variant},
              {"sack", tcp.sack},
              {"timestamps", tcp.timestamps},
              {"min_rto", TimeText(tcp.minRto)},
              {"delayed_ack_timeout", TimeText(tcp.delayedAckTimeout)},
              {"initial_window", tcp.initialWindow},
              {"send_buffer", tcp.sendBuffer},
              {"receive_buffer", tcp.receiveBuffer}}}};
}

} // namespace

nlohmann::ordered_json
ScenarioToJson(const Scenario& scenario)
{
    return {{"name", scenario.name},
            {"seed", scenario.seed},
            {"replications", scenario.replications},
            {"job", JobToJson(scenario.job)},
            {"transfer",
             {{"policy", scenario.transfer.policy},
              {"rejoin", scenario.transfer.rejoin},
              {"window", WindowToJson(scenario.transfer)},
              {"window_rule", scenario.transfer.windowRule},
              {"grant", scenario.transfer.grant}}},
            {"overhead",
             {{"alpha", scenario.overhead.alpha},
              {"beta", scenario.overhead.beta},
              {"parallel", scenario.overhead.parallel}}},
            {"network", NetworkToJson(scenario.network)},
            {"fair_share",
             {{"sharing", scenario.fairShare.sharing},
              {"one_way_delay", TimeText(scenario.fairShare.oneWayDelay)},
              {"ps_cores", scenario.fairShare.serverCores}}},
            {"packet", {{"replications", scenario.packet.replications}}},
            {"output",
             {{"pcap", scenario.output.pcap},
              {"trace", scenario.output.trace},
              {"plots", scenario.output.plots},
              {"ops", scenario.output.ops}}}};
}

} // namespace dml
} // namespace ns3
