/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-run-notes.h"

#include "dml-study-warnings.h"

#include "ns3/dml-json-number.h"
#include "ns3/dml-plural.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Describes the engines of all configurations.
/// @param describe gives the note of one, empty if there is nothing to say
/// @return the first MOST_REPORT_LINES notes, and how many more there would be
template <typename Describe>
std::pair<std::vector<std::string>, std::size_t>
CollectNotes(const RunSummary& summary, const Describe& describe)
{
    std::vector<std::string> notes;
    std::size_t more = 0;
    for (const auto& item : summary.cases)
    {
        for (const auto& [kind, engine] : item.engines)
        {
            const std::string note = describe(item, kind, engine);
            if (note.empty())
            {
                continue;
            }
            if (notes.size() < MOST_REPORT_LINES)
            {
                notes.push_back(note);
            }
            else
            {
                ++more;
            }
        }
    }
    return {notes, more};
}

std::string
Describe(const CaseSummary& item, const LossSum& sum)
{
    return "losses: " + item.GetName() + ": " + Plural(sum.drops, "drop") + ", " +
           Plural(sum.retransmissions, "retransmission") + ", " + Plural(sum.timeouts, "timeout") +
           ", " + std::to_string(sum.recoveries) +
           (sum.recoveries == 1 ? " fast recovery" : " fast recoveries") + " in " +
           std::to_string(sum.replications) + " of " + Plural(sum.runs, "replication");
}

using Json = nlohmann::ordered_json;

/// @param value share @return per cent, two digits
std::string
Percent(double value)
{
    return fmt::format("{:.2g} %", 100 * value);
}

/// @return "W=4, packet: 2 of 5 runs are not sure ..."; empty if all are
std::string
DescribeDoubts(const CaseSummary& item, const std::string& name, const EngineSummary& engine)
{
    StopTotals totals;
    const StopSummary* first = nullptr;
    uint32_t replication = 0;
    for (const auto& run : engine.replications)
    {
        totals.Add(run);
        if (!first && run.stop && !run.stop->sure)
        {
            first = &*run.stop;
            replication = run.replication;
        }
    }
    if (!first)
    {
        return "";
    }
    const uint32_t doubtful = totals.runs - totals.sure;
    return fmt::format("not sure: {}, {}: {} of {} {} not know the throughput within {} after {} "
                       "(replication {}: {})",
                       item.GetName(),
                       name,
                       doubtful,
                       Plural(totals.runs, "run"),
                       doubtful == 1 ? "does" : "do",
                       Percent(first->target),
                       Plural(first->steps, "step"),
                       replication,
                       first->reason);
}

/// @return whether bursts were single packets in a configuration
bool
HasTrains(const RunSummary& summary, const CaseSummary& item)
{
    for (const auto& [key, value] : item.variant)
    {
        if (key == "network.tcp.trains")
        {
            return value == "true";
        }
    }
    const nlohmann::ordered_json::json_pointer key("/network/tcp/trains");
    return summary.scenario.contains(key) && summary.scenario.at(key) == true;
}

} // namespace

LossSum::operator bool() const
{
    return replications > 0;
}

LossSum
SumLosses(const EngineSummary& engine)
{
    LossSum sum;
    sum.runs = engine.replications.size();
    for (const auto& run : engine.replications)
    {
        const uint64_t drops = run.drops.value_or(0);
        const uint64_t retransmissions = run.retransmissions.value_or(0);
        const uint64_t timeouts = run.timeouts.value_or(0);
        const uint64_t recoveries = run.recoveries.value_or(0);
        sum.drops += drops;
        sum.retransmissions += retransmissions;
        sum.timeouts += timeouts;
        sum.recoveries += recoveries;
        sum.replications += drops + retransmissions + timeouts + recoveries > 0 ? 1 : 0;
    }
    return sum;
}

std::vector<std::string>
MakeCollapseNotes(const RunSummary& summary)
{
    auto [notes, more] = CollectNotes(
        summary,
        [](const CaseSummary& item, EngineKind kind, const EngineSummary& engine) -> std::string {
            const auto first = std::find_if(engine.replications.begin(),
                                            engine.replications.end(),
                                            [](const auto& run) { return !run.collapse.empty(); });
            if (first == engine.replications.end())
            {
                return "";
            }
            return fmt::format("collapsed (!): {}, {}: {} of {}: {}",
                               item.GetName(),
                               GetEngineName(kind),
                               engine.CountCollapses(),
                               Plural(engine.replications.size(), "replication"),
                               first->collapse);
        });
    if (more > 0)
    {
        notes.push_back("collapsed (!): so did " + Plural(more, "more configuration"));
    }
    return notes;
}

std::vector<std::string>
MakeReorderNotes(const RunSummary& summary)
{
    auto [notes, more] = CollectNotes(
        summary,
        [&](const CaseSummary& item, EngineKind kind, const EngineSummary& engine) -> std::string {
            Reordering sum;
            for (const auto& run : engine.replications)
            {
                const Reordering one = run.reordering ? *run.reordering : Reordering{};
                sum.packets += one.packets;
                sum.reordered += one.reordered;
                sum.duplicateAcks += one.duplicateAcks;
            }
            if (sum.reordered == 0)
            {
                return "";
            }
            const LossSum losses = SumLosses(engine);
            return fmt::format(
                "reordering: {}, {}: {} of packets came after one of their connection "
                "that was sent later{}; {}, and {} for {}",
                item.GetName(),
                GetEngineName(kind),
                Percent(static_cast<double>(sum.reordered) / sum.packets),
                HasTrains(summary, item) ? ", of bursts that stay together (network.tcp.trains)"
                                         : "",
                Plural(sum.duplicateAcks, "duplicate ACK"),
                Plural(losses.retransmissions, "retransmission"),
                Plural(losses.drops, "drop"));
        });
    if (more > 0)
    {
        notes.push_back("reordering: also in " + Plural(more, "more configuration"));
    }
    return notes;
}

std::vector<std::string>
MakeLossNotes(const RunSummary& summary)
{
    std::vector<std::pair<const CaseSummary*, LossSum>> losses;
    std::size_t large = 0;
    uint32_t mtu = 0;
    for (const auto& item : summary.cases)
    {
        const auto* engine = item.FindEngineThat(EngineTrait::LOSES_PACKETS);
        const LossSum sum = engine ? SumLosses(*engine) : LossSum();
        if (sum)
        {
            losses.emplace_back(&item, sum);
            large += IsLargePacket(item.mtu) ? 1 : 0;
            mtu = std::max(mtu, item.mtu);
        }
    }
    std::stable_sort(losses.begin(), losses.end(), [](const auto& a, const auto& b) {
        return a.second.retransmissions > b.second.retransmissions;
    });
    std::vector<std::string> notes;
    if (large > 0)
    {
        notes.push_back("warning: packets of up to " + std::to_string(mtu) +
                        " bytes were lost in " + Plural(large, "configuration") + ": " +
                        DescribeLargeLoss());
    }
    const std::size_t lines = std::min(losses.size(), MOST_REPORT_LINES);
    for (std::size_t i = 0; i < lines; ++i)
    {
        notes.push_back(Describe(*losses[i].first, losses[i].second));
    }
    if (losses.size() > lines)
    {
        notes.push_back("losses: in " + Plural(losses.size() - lines, "more configuration") +
                        "; see \"losses\" in summary.json");
    }
    return notes;
}

std::vector<std::string>
MakeSkipNotes(const RunSummary& summary)
{
    double least = 1;
    double time = 0;
    SkippedTotals skipped;
    for (const auto& item : summary.cases)
    {
        for (const auto& [kind, engine] : item.engines)
        {
            for (const auto& run : engine.replications)
            {
                if (run.skipped)
                {
                    skipped.Add(*run.skipped);
                    time += run.end;
                    least = std::min(least, run.skipped->seconds / run.end);
                }
            }
        }
    }
    if (time == 0)
    {
        return {};
    }
    return {fmt::format("fast forward: {:.1f} % of the time was skipped, in the run with the least "
                        "{:.1f} %",
                        100 * skipped.seconds / time,
                        100 * least),
            skipped.checkedBytes > 0
                ? fmt::format("fast forward: {} of {} skips were simulated instead; there rates "
                              "are off by {:.2f} %, at most {:.2f} %",
                              skipped.checks,
                              skipped.skips + skipped.checks,
                              100 * skipped.GetMeanError(),
                              100 * skipped.largestError)
                : "fast forward: no skip was simulated instead, so how far off rates are is not "
                  "known"};
}

void
StopTotals::Add(const ReplicationSummary& run)
{
    if (!run.stop)
    {
        return;
    }
    const uint32_t done = run.stop->steps;
    fewest = runs == 0 ? done : std::min(fewest, done);
    most = std::max(most, done);
    ++runs;
    sure += run.stop->sure ? 1 : 0;
    steps += done;
    atMost += run.stop->sure ? std::max(run.stop->atMost, done) : done; // or it has saved nothing
    savedSeconds += GetSavedSeconds(run);
}

double
StopTotals::GetSavedShare() const
{
    return atMost > 0 ? static_cast<double>(atMost - steps) / atMost : 0;
}

Json
StopToJson(const StopSummary& stop)
{
    Json json;
    json["sure"] = stop.sure;
    if (!stop.sure)
    {
        json["not_sure_because"] = stop.reason;
    }
    json["target"] = stop.target;
    json["half_width"] =
        JsonNumber(stop.interval ? std::optional(stop.interval->halfWidth) : std::nullopt);
    json["steps"] = stop.steps;
    json["at_most"] = stop.atMost;
    json["warmup"] = stop.warm ? Json(stop.warmup) : Json(nullptr);
    json["warmup_given"] = stop.warmupGiven;
    if (stop.interval)
    {
        json["batches"] = stop.interval->batches;
        json["rounds_in_a_batch"] = stop.interval->observations;
        json["correlation"] = JsonNumber(stop.interval->correlation);
    }
    return json;
}

Json
StopTotalsToJson(const EngineSummary& engine)
{
    StopTotals totals;
    for (const auto& run : engine.replications)
    {
        totals.Add(run);
    }
    if (totals.runs == 0)
    {
        return nullptr;
    }
    return {{"runs", totals.runs},
            {"sure", totals.sure},
            {"steps", totals.steps},
            {"at_most", totals.atMost},
            {"saved_share", totals.GetSavedShare()}};
}

double
GetSavedSeconds(const ReplicationSummary& run)
{
    const StopSummary& stop = *run.stop;
    return stop.sure && stop.steps > 0 && stop.steps < stop.atMost
               ? run.cpuSeconds * (static_cast<double>(stop.atMost) / stop.steps - 1)
               : 0;
}

std::vector<std::string>
MakeStopNotes(const RunSummary& summary)
{
    auto [notes, more] =
        CollectNotes(summary,
                     [](const CaseSummary& item, EngineKind kind, const EngineSummary& engine) {
                         return DescribeDoubts(item, GetEngineName(kind), engine);
                     });
    if (more > 0)
    {
        notes.push_back("not sure: runs of " + std::to_string(more) +
                        " more configurations; see \"stop\" in summary.json");
    }
    return notes;
}

std::string
DescribeSavings(const RunSummary& summary)
{
    std::map<EngineKind, StopTotals> engines;
    for (const auto& item : summary.cases)
    {
        for (const auto& [kind, engine] : item.engines)
        {
            for (const auto& run : engine.replications)
            {
                engines[kind].Add(run);
            }
        }
    }
    std::string text;
    for (const auto& [kind, totals] : engines)
    {
        if (totals.runs == 0)
        {
            continue;
        }
        text += fmt::format("{}: {} of {} sure, after {}{} steps;\n  saved {} of the {} allowed, "
                            "about {:.3g} s of CPU\n",
                            GetEngineName(kind),
                            totals.sure,
                            Plural(totals.runs, "run"),
                            totals.fewest,
                            totals.most > totals.fewest ? fmt::format(" to {}", totals.most) : "",
                            Percent(totals.GetSavedShare()),
                            Plural(totals.atMost, "step"),
                            totals.savedSeconds);
    }
    return text;
}

} // namespace ns3::dml
