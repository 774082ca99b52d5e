/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-match-effects.h"

#include <map>
#include <set>
#include <tuple>

namespace ns3::dml
{

namespace
{

/// @return steps, and transfers of them, while whose bytes were on the way something was sent again
std::set<std::pair<std::size_t, StepTransfer>>
FindLosses(const RecordedRun& run)
{
    std::map<std::tuple<uint32_t, uint32_t, bool>, std::vector<const Resend*>> resends;
    for (const auto& resend : run.resends)
    {
        resends[{resend.worker, resend.server, resend.pull}].push_back(&resend);
    }
    std::set<std::pair<std::size_t, StepTransfer>> found;
    for (std::size_t step = 0; step < run.steps.size(); ++step)
    {
        for (const auto& [transfer, first, last] : run.transfers[step])
        {
            for (const Resend* resend :
                 resends[{run.steps[step].worker, transfer.server, transfer.pull}])
            {
                if (resend->from < last && resend->to >= first)
                {
                    found.insert({step, transfer});
                    break;
                }
            }
        }
    }
    return found;
}

} // namespace

MatchEffect
LossEffect()
{
    return {"loss",
            "losses in switch ports",
            [](const RecordedRun& run) {
                EffectParts parts;
                if (!run.hasResends)
                {
                    parts.obstacle = "connections.csv is not there; output.connections: true "
                                     "writes it";
                    return parts;
                }
                parts.names = {"something sent again", "nothing sent again"};
                parts.find = [losses = FindLosses(run)](std::size_t step,
                                                        const StepTransfer& transfer) {
                    return std::optional<std::size_t>(losses.count({step, transfer}) > 0 ? 0 : 1);
                };
                return parts;
            },
            [](const Scenario& scenario) {
                const bool fair = scenario.network.queue.kind == QueueSpec::Kind::FAIR;
                return std::vector<std::string>{fair ? "network.queue={fair: 0B}"
                                                     : "network.queue=0B"};
            }};
}

} // namespace ns3::dml
