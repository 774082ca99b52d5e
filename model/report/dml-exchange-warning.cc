/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-exchange-warning.h"

#include "ns3/dml-scenario-check.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>

namespace ns3::dml
{

namespace
{

/// Rounds of a collective in which a worker sends to those from which it receives.
struct PairedRounds
{
    std::size_t rounds{0};         //!< all, with others, too
    std::size_t paired{0};         //!< those in which a partner receives and sends
    std::set<uint32_t> partners{}; //!< of all these
};

/// @return the rounds of a worker
PairedRounds
FindPairedRounds(const StepPlan& plan,
                 const PlannedCollective& collective,
                 uint32_t worker,
                 uint32_t workers)
{
    const RankSchedule& schedule = collective.schedule->Get(worker);
    const auto find = [&](const ScheduledMove& move) {
        const Peer& peer = move.sends ? plan.resources[collective.sendChannels[move.channel]].to
                                      : plan.resources[collective.receiveChannels[move.channel]].at;
        return peer.Resolve(worker, workers).index;
    };
    PairedRounds found{schedule.rounds.size()};
    for (const ScheduledRound& round : schedule.rounds)
    {
        std::set<uint32_t> receivers;
        bool paired = false;
        for (uint32_t i = round.begin; i < round.end; ++i) // sends before receives
        {
            const uint32_t peer = find(schedule.moves[i]);
            if (schedule.moves[i].sends)
            {
                receivers.insert(peer);
            }
            else if (receivers.count(peer) > 0)
            {
                paired = true;
                found.partners.insert(peer);
            }
        }
        found.paired += paired ? 1 : 0;
    }
    return found;
}

/**
 * @brief Look for exchanges between pairs whose workers may be at different rounds, so that
 * transfers in both directions and of several pairs meet in ports.
 *
 * With one worker that is folded (it has one partner, for their number is a power of two and one
 * more) the others wait for it in each bucket, and do not get apart.
 * @return whether most rounds are in pairs, and some with several partners
 */
bool
ExchangesInPairs(const StepPlan& plan, const PlannedCollective& collective, uint32_t workers)
{
    constexpr uint32_t MOST = 16; // with whom the others are alike
    PairedRounds all;
    uint32_t folded = 0;
    bool several = false;
    for (uint32_t worker = 0; worker < std::min(workers, MOST); ++worker)
    {
        const PairedRounds found = FindPairedRounds(plan, collective, worker, workers);
        all.rounds += found.rounds;
        all.paired += found.paired;
        several = several || found.partners.size() > 1;
        folded += found.partners.size() == 1 && found.paired == found.rounds ? 1 : 0;
    }
    return several && folded != 1 && 2 * all.paired > all.rounds;
}

/// @return whether a port of a switch has one queue for all
bool
HasFifoPort(const ClusterNetwork& network)
{
    const auto& links = network.GetLinks();
    return std::any_of(links.begin(), links.end(), [&network](const NetworkLink& link) {
        const auto fifo = [&](uint32_t side) {
            return network.GetNodes()[link.ends[side]].isSwitch && link.queues[side].IsFifo();
        };
        return fifo(0) || fifo(1);
    });
}

/// Numbers of workers of an algorithm with which fair-share was right.
struct RightSizes
{
    std::string_view algorithm; //!< its name
    std::set<uint32_t> fair;    //!< where each flow has a queue of its own
    std::set<uint32_t> fifo;    //!< where ports have one queue
};

/**
 * @brief Ask the measurements of doc/all-reduce.rst, Ports, of 4 to 10 workers.
 * @return whether fair-share was within 3 % of packets, though workers exchange in pairs
 */
bool
WasRight(const std::string& algorithm, uint32_t workers, bool fifo)
{
    static const std::vector<RightSizes> MEASURED{
        {"halving-doubling", {4, 6, 8, 10}, {4, 6}},
        {"recursive-doubling", {6, 10}, {}},
    };
    return std::any_of(MEASURED.begin(), MEASURED.end(), [&](const RightSizes& sizes) {
        return sizes.algorithm == algorithm && (fifo ? sizes.fifo : sizes.fair).count(workers) > 0;
    });
}

} // namespace

void
WarnOfExchanges(const PreparedScenario& prepared, std::vector<std::string>& warnings)
{
    for (uint32_t job = 0; job < prepared.jobs.size(); ++job)
    {
        const PreparedJob& item = prepared.jobs[job];
        const std::string& algorithm = item.spec.allReduce.algorithm;
        if (item.HasServers() || algorithm == "auto") // of which all but small buffers take rings
        {
            continue;
        }
        std::set<uint32_t> sizes;
        for (const uint32_t workers : prepared.scenario.job.workers)
        {
            sizes.insert(GetJobSizes(prepared.scenario, workers)[job].workers);
        }
        const bool fifo = HasFifoPort(*prepared.GetNetwork(prepared.GetMostWorkers()));
        std::string paired;
        for (const uint32_t size : sizes)
        {
            const auto plan = item.GetPlan(size);
            const auto& collectives = plan->collectives;
            if (!collectives.empty() && ExchangesInPairs(*plan, collectives.front(), size) &&
                !WasRight(algorithm, size, fifo))
            {
                paired += (paired.empty() ? "" : ", ") + std::to_string(size);
            }
        }
        if (paired.empty())
        {
            continue;
        }
        warnings.push_back(
            LocateKey(prepared.scenario, JobKey(job) + ".all_reduce.algorithm") + "with '" +
            algorithm + "' pairs of workers (of " + paired + ") send to each other at the same " +
            (fifo ? "time, and in ports with one queue acknowledgements wait behind the data, of "
                    "which fair-share knows nothing: it was up to 58 % too fast with 4 to 10 "
                    "workers"
                  : "time, and transfers of different rounds meet in ports: fair-share was 2 % too "
                    "slow to 16 % too fast with 4 to 10 workers") +
            " (doc/all-reduce.rst, Ports); the packet engine counts that");
    }
}

} // namespace ns3::dml
