/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-connection-loss.h"

#include "ns3/dml-equal-paths.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-topology-builder.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace ns3::dml
{

namespace
{

std::string
Describe(const ConnectionLoss& loss)
{
    std::ostringstream text;
    switch (loss.kind)
    {
    case PeerTrouble::UNREACHED:
        text << loss.host << " cannot reach " << loss.peer << ": TCP gave up";
        break;
    case PeerTrouble::LATE:
        text << loss.host << " was connected with " << loss.peer
             << " too late, after its first step should have started:";
        break;
    case PeerTrouble::LOST:
        text << loss.host << " lost its connection with " << loss.peer << ": TCP gave up";
        break;
    }
    if (loss.time < 0)
    {
        text << " after " << loss.clock << " s of connecting, before the first step";
    }
    else
    {
        text << " at " << loss.time << " s of the run";
    }
    return text.str();
}

/// @return all links on ways in both directions, as ACKs must come back
std::vector<DirectedLink>
FindWay(const ConnectionLoss& loss, const ClusterNetwork& network)
{
    std::vector<DirectedLink> way;
    const EqualPaths paths(network);
    const bool one = !network.GetMultipath().IsOn();
    for (const auto& [from, to] :
         {std::pair{loss.host, loss.peer}, std::pair{loss.peer, loss.host}})
    {
        const auto links =
            one ? network.FindRoute(from, to)
                : network.FindRoute(from, to, [&paths](uint32_t source, uint32_t target) {
                      return paths.FindAll(source, target);
                  });
        way.insert(way.end(), links.begin(), links.end());
    }
    return way;
}

/// @return "faults[2] (down for 3 s from 1.5 s)"
std::string
DescribeFault(const FaultSpec& fault)
{
    std::ostringstream text;
    text << fault.key << " (";
    switch (fault.kind)
    {
    case FaultSpec::Kind::LOSS:
        text << "loss: " << fault.probability;
        break;
    case FaultSpec::Kind::DOWN:
        text << "down";
        break;
    case FaultSpec::Kind::RATE:
        text << "rate: " << fault.rate.GetBitRate() << " bit/s";
        break;
    }
    if (fault.duration < Time::Max())
    {
        text << " for " << fault.duration.GetSeconds() << " s";
    }
    text << " from " << fault.start.GetSeconds() << " s on link";
    for (const auto& end : fault.link)
    {
        text << " " << end;
    }
    text << (fault.link.empty() ? "s of all hosts and switches)" : ")");
    return text.str();
}

/// @return the faults on the way that have begun; empty if there are none
std::string
DescribeFaults(const ConnectionLoss& loss,
               const std::vector<DirectedLink>& way,
               const ClusterNetwork& network,
               const std::vector<FaultSpec>& faults)
{
    constexpr std::size_t MOST = 3;
    std::string text;
    std::size_t found = 0;
    for (const auto& fault : faults)
    {
        const auto links = FindFaultLinks(network, fault);
        const std::set<DirectedLink> faulty(links.begin(), links.end());
        const bool onWay = std::any_of(way.begin(), way.end(), [&faulty](DirectedLink link) {
            return faulty.count(link) > 0;
        });
        if (onWay && fault.start.GetSeconds() <= loss.time && ++found <= MOST)
        {
            text += (text.empty() ? "" : ", ") + DescribeFault(fault);
        }
    }
    return text + (found > MOST ? " and " + std::to_string(found - MOST) + " more" : "");
}

} // namespace

std::string
DescribeConnectionLoss(const ConnectionLoss& loss,
                       const ClusterNetwork& network,
                       const std::vector<FaultSpec>& faults,
                       const std::vector<LinkTotals>& links)
{
    std::string text = Describe(loss);
    const auto way = FindWay(loss, network);
    if (way.empty())
    {
        return text + "; both are on one host";
    }
    std::string names;
    uint64_t dropped = 0;
    for (const DirectedLink link : way)
    {
        names += (names.empty() ? "" : ", ") + network.GetName(link);
        dropped += link < links.size() ? links[link].dropped : 0;
    }
    text += "; between them are the links " + names;
    const std::string known = DescribeFaults(loss, way, network, faults);
    if (!known.empty())
    {
        text += "; what explains it there: " + known;
    }
    else
    {
        text += "; no fault of the scenario explains it there";
    }
    if (dropped > 0)
    {
        text += "; full queues there dropped " + Plural(dropped, "packet");
    }
    return text;
}

} // namespace ns3::dml
