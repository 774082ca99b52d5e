/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-run-outcome.h"

#include <nlohmann/json.hpp>

namespace ns3::dml
{

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LostPeer, peer, trouble, time)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunOutcome::End, error, lost, blocked)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunOutcome, finished, ends)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TcpCounts, retransmissions, timeouts, recoveries)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LinkTotals,
                                   link,
                                   rate,
                                   bytes,
                                   packets,
                                   dropped,
                                   marked,
                                   lost,
                                   fullestQueue,
                                   utilisation)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PacketRunTotals, wireBytes, events, cpuSeconds, tcp, links)

std::string
PackRankOutcome(const RunOutcome& outcome, const PacketRunTotals& totals)
{
    std::string bytes;
    nlohmann::json::to_cbor(nlohmann::json{outcome, totals}, bytes);
    return bytes;
}

void
AddRankOutcome(const std::string& bytes, RunOutcome& outcome, PacketRunTotals& totals)
{
    const auto json = nlohmann::json::from_cbor(bytes);
    const auto otherOutcome = json.at(0).get<RunOutcome>();
    const auto otherTotals = json.at(1).get<PacketRunTotals>();
    outcome.finished += otherOutcome.finished;
    outcome.ends.insert(otherOutcome.ends.begin(), otherOutcome.ends.end());
    totals.wireBytes += otherTotals.wireBytes;
    totals.events += otherTotals.events;
    totals.cpuSeconds += otherTotals.cpuSeconds;
    totals.tcp.retransmissions += otherTotals.tcp.retransmissions;
    totals.tcp.timeouts += otherTotals.tcp.timeouts;
    totals.tcp.recoveries += otherTotals.tcp.recoveries;
    // each number is counted on one rank, and 0 on the others
    for (std::size_t i = 0; i < totals.links.size(); ++i)
    {
        LinkTotals& link = totals.links[i];
        const LinkTotals& other = otherTotals.links[i];
        link.bytes += other.bytes;
        link.packets += other.packets;
        link.dropped += other.dropped;
        link.marked += other.marked;
        link.lost += other.lost;
        link.fullestQueue += other.fullestQueue;
    }
}

} // namespace ns3::dml
