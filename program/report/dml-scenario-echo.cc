/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-echo.h"

#include "dml-scenario-echo-job.h"

#include "ns3/dml-scenario-keys.h"
#include "ns3/dml-scenario-reader-network.h"

#include <nlohmann/json.hpp>

namespace ns3
{
namespace dml
{

namespace
{

using Json = nlohmann::ordered_json;

std::string
RateText(const DataRate& rate)
{
    return std::to_string(rate.GetBitRate()) + "bps";
}

Json
WindowToJson(const TransferSpec& transfer)
{
    if (!transfer.flowControl)
    {
        return "off";
    }
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
TransferToJson(const TransferSpec& transfer)
{
    Json json{{"policy", transfer.policy},
              {"rejoin", transfer.rejoin},
              {"window", WindowToJson(transfer)},
              {"grant", transfer.grant},
              {"partition", transfer.partition > 0 ? Json(transfer.partition) : Json("off")}};
    if (transfer.flowControl)
    {
        json["window_rule"] = transfer.windowRule;
    }
    if (transfer.policy == "explicit")
    {
        json["order"] = transfer.order;
    }
    if (transfer.policy == "bytescheduler")
    {
        json["credit"] = transfer.credit;
    }
    if (IsSlicePolicy(transfer.policy))
    {
        json["slice_overhead"] = TimeText(transfer.sliceOverhead);
    }
    if (transfer.policy == "prophet")
    {
        json["monitor"] = TimeText(transfer.monitor);
    }
    return json;
}

Json
QueueToJson(const QueueSpec& queue)
{
    switch (queue.kind)
    {
    case QueueSpec::Kind::DROP_TAIL:
        return queue.bytes;
    case QueueSpec::Kind::FAIR:
        return {{"fair", queue.bytes}};
    case QueueSpec::Kind::FQ_CODEL:
        return {{"fq_codel", queue.bytes}, {"mark", queue.ecn}};
    case QueueSpec::Kind::RED:
        return {{"red", queue.bytes}, {"mark", queue.ecn}};
    case QueueSpec::Kind::ECN:
        return {{"ecn", queue.bytes}, {"threshold", queue.threshold}};
    }
    return nullptr;
}

Json
LinkToJson(const LinkSpec& link)
{
    Json json = Json::object();
    if (link.rate)
    {
        json["rate"] = RateText(*link.rate);
    }
    if (link.delay)
    {
        json["delay"] = TimeText(*link.delay);
    }
    if (link.queue)
    {
        json["queue"] = QueueToJson(*link.queue);
    }
    if (link.mtu)
    {
        json["mtu"] = *link.mtu;
    }
    return json;
}

Json
TopologyToJson(const TopologySpec& topology)
{
    if (topology.type == "star")
    {
        return topology.type;
    }
    Json json{{"type", topology.type}};
    if (topology.type != "explicit")
    {
        json["trunk"] = LinkToJson(topology.trunk);
    }
    if (topology.type == "leaf-spine")
    {
        json["leaves"] = topology.leaves;
        json["spines"] = topology.spines;
        if (!topology.trunk.rate)
        {
            json["oversubscription"] = topology.oversubscription;
        }
    }
    if (topology.type == "explicit")
    {
        json["switches"] = topology.switches;
        json["links"] = Json::array();
        for (const auto& link : topology.links)
        {
            Json item{{"between", link.ends}};
            item.update(LinkToJson(link.link));
            item["metric"] = link.metric;
            json["links"].push_back(item);
        }
    }
    return json;
}

Json
BackgroundToJson(const BackgroundSpec& flow)
{
    Json json{{"from", flow.from}, {"to", flow.to}};
    if (flow.kind == BackgroundSpec::Kind::BULK)
    {
        json[flow.bytes > 0 ? "bytes" : "bulk"] = flow.bytes > 0 ? Json(flow.bytes) : Json(true);
    }
    else
    {
        json["rate"] = RateText(flow.rate);
    }
    if (flow.kind == BackgroundSpec::Kind::ON_OFF)
    {
        json["on"] = TimeText(flow.on);
        json["off"] = TimeText(flow.off);
        json["exponential"] = flow.exponential;
    }
    json["start"] = TimeText(flow.start);
    if (flow.stop < Time::Max())
    {
        json["stop"] = TimeText(flow.stop);
    }
    return json;
}

/// Add when a fault holds.
template <typename Fault>
void
AddTimes(const Fault& fault, const std::string& durationKey, Json& json)
{
    json["at"] = TimeText(fault.start);
    if (fault.duration < Time::Max())
    {
        json[durationKey] = TimeText(fault.duration);
    }
}

Json
LinkFaultToJson(const FaultSpec& fault)
{
    Json json;
    switch (fault.kind)
    {
    case FaultSpec::Kind::LOSS:
        json["loss"] = fault.probability;
        break;
    case FaultSpec::Kind::DOWN:
        AddTimes(fault, "down", json);
        break;
    case FaultSpec::Kind::RATE:
        json["rate"] = RateText(fault.rate);
        AddTimes(fault, "for", json);
        break;
    }
    if (!fault.link.empty())
    {
        json["link"] = fault.link;
    }
    return json;
}

Json
ProcessFaultToJson(const ProcessFaultSpec& fault)
{
    if (fault.kind == ProcessFaultSpec::Kind::CRASH)
    {
        Json json{{"crash", fault.host}};
        AddTimes(fault, "rejoin", json);
        return json;
    }
    Json json{{"slow", fault.host}, {"to", fault.factor}};
    AddTimes(fault, "for", json);
    return json;
}

/// @param items of the scenario @param convert one of them @return a list
template <typename Item>
Json
ListToJson(const std::vector<Item>& items, Json (*convert)(const Item&))
{
    Json json = Json::array();
    for (const auto& item : items)
    {
        json.push_back(convert(item));
    }
    return json;
}

/// Those of links first.
Json
FaultsToJson(const Scenario& scenario)
{
    Json json = ListToJson(scenario.network.faults, LinkFaultToJson);
    for (const auto& fault : scenario.processFaults)
    {
        json.push_back(ProcessFaultToJson(fault));
    }
    return json;
}

Json
NetworkToJson(const NetworkSpec& network)
{
    Json hosts = Json::object();
    for (const auto& [name, link] : network.hosts)
    {
        hosts[name] = LinkToJson(link);
    }
    return {{"topology", TopologyToJson(network.topology)},
            {"rate", RateText(network.rate)},
            {"delay", TimeText(network.delay)},
            {"mtu", network.mtu},
            {"queue", QueueToJson(network.queue)},
            {"host_queue", QueueToJson(network.hostQueue)},
            {"hosts", hosts},
            {"colocate", network.colocate},
            {"extra_hosts", network.extraHosts},
            {"tcp", EchoKeys(TcpKeys(), network.tcp)},
            {"background", ListToJson(network.background, BackgroundToJson)}};
}

} // namespace

nlohmann::ordered_json
ScenarioToJson(const Scenario& scenario)
{
    return {{"name", scenario.name},
            {"seed", scenario.seed},
            {"replications", scenario.replications},
            {"job", JobToJson(scenario.job)},
            {"other_jobs", ListToJson(scenario.otherJobs, OtherJobToJson)},
            {"transfer", TransferToJson(scenario.transfer)},
            {"overhead", EchoKeys(OverheadKeys(), scenario.overhead)},
            {"network", NetworkToJson(scenario.network)},
            {"faults", FaultsToJson(scenario)},
            {"fair_share", EchoKeys(FairShareKeys(), scenario.fairShare)},
            {"packet", EchoKeys(PacketKeys(), scenario.packet)},
            {"output", EchoKeys(OutputKeys(), scenario.output)}};
}

} // namespace dml
} // namespace ns3
