/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// How a run ended, on all ranks.

#include "dml-connection-loss.h"
#include "dml-packet-run.h"

#include "ns3/dml-repeatable-error.h"

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
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Reordering, packets, reordered, duplicateAcks)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PacketRunTotals,
                                   wireBytes,
                                   events,
                                   cpuSeconds,
                                   tcp,
                                   reordering,
                                   links)

namespace
{

/// @return what came of this rank, as bytes (CBOR)
std::string
PackRankOutcome(const RunOutcome& outcome, const PacketRunTotals& totals)
{
    std::string bytes;
    nlohmann::json::to_cbor(nlohmann::json{outcome, totals}, bytes);
    return bytes;
}

/// Add what came of another rank. @param bytes from PackRankOutcome()
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
    totals.reordering.packets += otherTotals.reordering.packets;
    totals.reordering.reordered += otherTotals.reordering.reordered;
    totals.reordering.duplicateAcks += otherTotals.reordering.duplicateAcks;
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

} // namespace

RunOutcome
PacketRun::GetOutcome() const
{
    RunOutcome outcome;
    outcome.finished = m_finished;
    for (uint32_t i = 0; i < m_applications.size(); ++i)
    {
        if (const auto& application = m_applications[i])
        {
            outcome.ends[i] = {application->GetError(), {}, application->GetBlockedOps()};
            if (const auto& lost = application->GetLostPeer())
            {
                outcome.ends[i].lost.push_back(*lost);
            }
        }
    }
    return outcome;
}

void
PacketRun::Collect(RunOutcome& outcome)
{
    const RankWorld& world = m_ranks->GetWorld();
    const auto records = world.Gather(m_ranks->GetRecords().Pack());
    const auto outcomes = world.Gather(PackRankOutcome(outcome, m_totals));
    if (world.GetRank() != 0)
    {
        outcome = RunOutcome();
        outcome.finished = m_jobs[0].workers; // rank 0 says what went wrong
        return;
    }
    for (uint32_t rank = 1; rank < outcomes.size(); ++rank)
    {
        AddRankOutcome(outcomes[rank], outcome, m_totals);
    }
    for (auto& link : m_totals.links)
    {
        link.utilisation =
            8.0 * static_cast<double>(link.bytes) / (static_cast<double>(link.rate) * m_totals.end);
    }
    RankRecords::Replay(records, m_ranks->GetEnd(), m_joiner);
}

void
PacketRun::Check(const RunOutcome& outcome) const
{
    std::vector<std::string> blocked;
    for (const auto& [index, end] : outcome.ends)
    {
        if (!end.lost.empty())
        {
            throw RepeatableError(DescribeLostPeer(index, end.lost.front()));
        }
        if (!end.error.empty())
        {
            throw RepeatableError(end.error);
        }
        blocked.insert(blocked.end(), end.blocked.begin(), end.blocked.end());
    }
    if (!m_stopped && outcome.finished < m_jobs[0].workers)
    {
        throw RepeatableError(MakeStallReport(m_totals.end, blocked));
    }
}

std::string
PacketRun::DescribeLostPeer(uint32_t application, const LostPeer& lost) const
{
    uint32_t job = 0;
    uint32_t place = application;
    for (; place >= m_endpoints[job].List().size(); ++job)
    {
        place -= m_endpoints[job].List().size();
    }
    const JobEndpoints& endpoints = m_endpoints[job];
    const Endpoint endpoint = endpoints.List()[place];
    const ConnectionLoss loss{endpoints.GetName(endpoint),
                              endpoints.GetName(endpoints.ListPeers(endpoint)[lost.peer]),
                              lost.trouble,
                              lost.time,
                              lost.clock};
    return DescribeConnectionLoss(loss, m_cluster.GetNetwork(), m_spec.faults, m_totals.links);
}

} // namespace ns3::dml
