/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-sections.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

const std::string FORMS = "{loss: PROBABILITY, link}, {down: DURATION, at, link}, {rate: RATE, at, "
                          "for, link}, {slow: HOST, to: FACTOR, at, for} or {crash: HOST, at, "
                          "rejoin}";

const Value<double> LOSS = NumberValue(1, "losses per packet");
const Value<double> FACTOR = NumberValue(1000, "times the speed that it has");

/// A kind of fault: the key that names it, and those that may stand beside it.
using Form = std::pair<std::string, std::vector<std::string>>;

const std::vector<Form> FORMS_BY_KEY{
    {"loss", {"link"}},
    {"down", {"at", "link"}},
    {"rate", {"at", "for", "link"}},
    {"slow", {"to", "at", "for"}},
    {"crash", {"at", "rejoin"}},
};

const std::vector<KeyText>&
FaultParts()
{
    static const auto LENGTH = TimeValue(MicroSeconds(1));
    static const auto HOST = NameValue("a host");
    static const KeyShape LINK{"a host, or two neighbours",
                               AnySchema({HOST.schema, ListSchema(HOST.schema)})};
    static const std::vector<KeyText> PARTS{
        {"loss", LOSS, "packets of links are lost at random, so many of each"},
        {"down", LENGTH, "every packet of links is lost for so long"},
        {"rate", RateValue(), "links have another rate"},
        {"slow", HOST, "a worker or server computes at another speed"},
        {"crash", HOST, "a worker of the first job dies"},
        {"at", TimeValue(Time(0)), "from the start of the run; not beside ``loss``"},
        {"for", LENGTH, "``rate``, ``slow``: how long, else for good"},
        {"link", LINK, "``loss``, ``down``, ``rate``: the links, else all"},
        {"to", FACTOR, "``slow``: times its speed; 0 with ``for`` only"},
        {"rejoin", LENGTH, "``crash``: how much later it is back, else never"},
    };
    return PARTS;
}

/// The kinds of fault that a key may stand beside, such as "rate, slow".
std::string
KindsWith(const std::string& key)
{
    std::string kinds;
    for (const auto& [kind, keys] : FORMS_BY_KEY)
    {
        if (std::count(keys.begin(), keys.end(), key) > 0)
        {
            kinds += (kinds.empty() ? "" : ", ") + kind;
        }
    }
    return kinds;
}

/// @return the kind of a fault, its keys checked
const Form&
FindForm(const YamlField& field)
{
    if (!field.IsMap())
    {
        field.Fail(FORMS);
    }
    field.CheckKeys(NamesOf(FaultParts()));
    const Form* found = nullptr;
    for (const auto& form : FORMS_BY_KEY)
    {
        if (field.Get(form.first))
        {
            if (found)
            {
                field.FailWith("found both " + found->first + " and " + form.first +
                               "; accepted: " + FORMS);
            }
            found = &form;
        }
    }
    if (!found)
    {
        field.FailWith("found none of loss, down, rate, slow and crash; accepted: " + FORMS);
    }
    for (const auto& [key, value] : field.GetEntries(FORMS))
    {
        const auto& keys = found->second;
        if (key != found->first && std::count(keys.begin(), keys.end(), key) == 0)
        {
            value.FailWith("found beside " + found->first + "; accepted: beside " + KindsWith(key));
        }
    }
    return *found;
}

/// @return a time of a fault, or what it is without its key
Time
ReadTime(const YamlField& field, const Time& low, const Time& without)
{
    return field ? field.GetTime(low) : without;
}

std::vector<std::string>
ReadEnds(const YamlField& link)
{
    const std::string accepted = "a host, or two nodes with a link between them";
    std::vector<std::string> nodes;
    if (link && !link.IsList())
    {
        nodes.push_back(link.GetString(accepted));
    }
    else if (link)
    {
        for (const auto& node : link.GetItems(accepted))
        {
            nodes.push_back(node.GetString(accepted));
        }
        if (nodes.empty() || nodes.size() > 2)
        {
            link.Fail(accepted);
        }
    }
    return nodes;
}

FaultSpec
ReadLinkFault(const YamlField& field, const std::string& kind)
{
    FaultSpec fault;
    fault.key = field.GetPath();
    fault.start = ReadTime(field.Get("at"), Time(0), Time(0));
    fault.link = ReadEnds(field.Get("link"));
    if (kind == "loss")
    {
        fault.probability = LOSS.read(field.Get("loss"));
    }
    else if (kind == "down")
    {
        fault.kind = FaultSpec::Kind::DOWN;
        fault.duration = field.Get("down").GetTime(MicroSeconds(1));
    }
    else
    {
        fault.kind = FaultSpec::Kind::RATE;
        fault.rate = field.Get("rate").GetRate();
        fault.duration = ReadTime(field.Get("for"), MicroSeconds(1), Time::Max());
    }
    return fault;
}

ProcessFaultSpec
ReadProcessFault(const YamlField& field, const std::string& kind)
{
    ProcessFaultSpec fault;
    fault.key = field.GetPath();
    fault.start = ReadTime(field.Get("at"), Time(0), Time(0));
    if (kind == "crash")
    {
        fault.kind = ProcessFaultSpec::Kind::CRASH;
        fault.host = field.Get("crash").GetString("the name of a worker");
        fault.duration = ReadTime(field.Get("rejoin"), MicroSeconds(1), Time::Max());
        return fault;
    }
    fault.host = field.Get("slow").GetString("the name of a worker or parameter server");
    fault.duration = ReadTime(field.Get("for"), MicroSeconds(1), Time::Max());
    const auto factor = field.Get("to");
    if (!factor)
    {
        field.FailWith("found no key to; accepted: " + FORMS);
    }
    fault.factor = FACTOR.read(factor);
    if (fault.factor == 0 && fault.duration == Time::Max())
    {
        factor.FailWith("found 0 for good, with which nothing would ever end; accepted: a number "
                        "above 0, or 0 with for");
    }
    return fault;
}

void
ReadFaults(const YamlField& map, Scenario& scenario)
{
    const auto faults = map.Get("faults");
    if (!faults)
    {
        return;
    }
    for (const auto& field : faults.GetItems("a list of faults"))
    {
        const std::string& kind = FindForm(field).first;
        if (kind == "slow" || kind == "crash")
        {
            scenario.processFaults.push_back(ReadProcessFault(field, kind));
        }
        else
        {
            scenario.network.faults.push_back(ReadLinkFault(field, kind));
        }
    }
}

/// Add when a fault holds.
template <typename Fault>
void
AddTimes(const Fault& fault, const std::string& durationKey, KeyJson& json)
{
    json["at"] = TimeText(fault.start);
    if (fault.duration < Time::Max())
    {
        json[durationKey] = TimeText(fault.duration);
    }
}

KeyJson
LinkFaultToJson(const FaultSpec& fault)
{
    KeyJson json;
    switch (fault.kind)
    {
    case FaultSpec::Kind::LOSS:
        json["loss"] = fault.probability;
        break;
    case FaultSpec::Kind::DOWN:
        AddTimes(fault, "down", json);
        break;
    case FaultSpec::Kind::RATE:
        json["rate"] = RateValue().echo(fault.rate);
        AddTimes(fault, "for", json);
        break;
    }
    if (!fault.link.empty())
    {
        json["link"] = fault.link.size() == 1 ? KeyJson(fault.link.front()) : KeyJson(fault.link);
    }
    return json;
}

KeyJson
ProcessFaultToJson(const ProcessFaultSpec& fault)
{
    if (fault.kind == ProcessFaultSpec::Kind::CRASH)
    {
        KeyJson json{{"crash", fault.host}};
        AddTimes(fault, "rejoin", json);
        return json;
    }
    KeyJson json{{"slow", fault.host}, {"to", fault.factor}};
    AddTimes(fault, "for", json);
    return json;
}

/// Those of links first.
KeyJson
FaultsToJson(const Scenario& scenario)
{
    auto json = KeyJson::array();
    for (const auto& fault : scenario.network.faults)
    {
        json.push_back(LinkFaultToJson(fault));
    }
    for (const auto& fault : scenario.processFaults)
    {
        json.push_back(ProcessFaultToJson(fault));
    }
    return json;
}

} // namespace

Key<Scenario>
FaultsKey()
{
    return {"faults",
            ReadFaults,
            FaultsToJson,
            {"a list of " + FORMS, ListSchema(MapSchema(FaultParts())), FaultParts()},
            "what happens to links, workers and servers, see :doc:`faults`"};
}

} // namespace ns3::dml
