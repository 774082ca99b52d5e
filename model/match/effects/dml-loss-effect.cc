/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-link-edits.h"
#include "dml-match-effects.h"

#include <fmt/core.h>
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

/// @param queue of a port @return one that keeps every packet, as a value of a key: a FIFO in place
/// of one that drops before it is full
std::string
DescribeEndlessQueue(const QueueSpec& queue)
{
    if (queue.threshold > 0)
    {
        return fmt::format("{{ecn: 0B, threshold: {}}}", queue.GetThresholdText());
    }
    return queue.IsFifo() ? "0B" : "{fair: 0B}";
}

/// @param queue as an echo of a scenario has it @return the same as DescribeEndlessQueue()
nlohmann::ordered_json
MakeEndless(const nlohmann::ordered_json& queue)
{
    if (queue.contains("threshold"))
    {
        return {{"ecn", 0}, {"threshold", queue["threshold"]}};
    }
    return queue.contains("fair") || queue.contains("fq_codel")
               ? nlohmann::ordered_json{{"fair", 0}}
               : nlohmann::ordered_json(0);
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
                auto settings = EditLinks(scenario, EditedLinks::ALL, [](auto& link) {
                    if (link.contains("queue"))
                    {
                        link["queue"] = MakeEndless(link["queue"]);
                    }
                });
                settings.insert(settings.begin(),
                                "network.queue=" + DescribeEndlessQueue(scenario.network.queue));
                return settings;
            }};
}

} // namespace ns3::dml
