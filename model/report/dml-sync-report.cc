/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-sync-report.h"

#include "dml-table-cells.h"

#include "ns3/dml-json-number.h"
#include "ns3/dml-value-text.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <iterator>
#include <limits>
#include <numeric>

namespace ns3::dml
{

namespace
{

using Json = nlohmann::ordered_json;

/// Columns of the table: W, engine, update, step, waiting, batch, dropped, lead, straggler.
constexpr std::size_t WIDTHS[] = {4, 11, 10, 9, 8, 12, 9, 6, 11};

/// @return one line of the table, cells flush right
std::string
FormatLine(const std::string (&cells)[std::size(WIDTHS)])
{
    std::string line;
    for (std::size_t i = 0; i < std::size(WIDTHS); ++i)
    {
        line += Right(cells[i], WIDTHS[i]);
    }
    return line + "\n";
}

/// @return a number with about four digits, "-" if it is unknown
std::string
FormatKnown(double value)
{
    return std::isfinite(value) ? FormatValue(value) : "-";
}

/// @return a number without decimals, in at most seven characters
std::string
FormatWhole(double value)
{
    return value < 99999.5 ? fmt::format("{:.0f}", value) : fmt::format("{:.0e}", value);
}

/// @return @p value of the workers as "least-most", without decimals; "-" if it is unknown
template <typename Getter>
std::string
FormatRange(const SyncSummary& sync, Getter value)
{
    double least = std::numeric_limits<double>::infinity();
    double most = -least;
    for (const auto& worker : sync.workers)
    {
        const double x = value(worker);
        least = std::isfinite(x) ? std::min(least, x) : least;
        most = std::isfinite(x) ? std::max(most, x) : most;
    }
    if (least > most)
    {
        return "-";
    }
    const std::string first = FormatWhole(least);
    const std::string last = FormatWhole(most);
    return first == last ? first : first + "-" + last;
}

/// @return the worker that was last most often, such as "w3 62%"
std::string
FormatStraggler(const SyncSummary& sync)
{
    const auto most =
        std::max_element(sync.workers.begin(),
                         sync.workers.end(),
                         [](const WorkerSync& a, const WorkerSync& b) { return a.last < b.last; });
    if (most == sync.workers.end() || most->last == 0)
    {
        return "-";
    }
    return fmt::format("w{} {:.0f}%",
                       most - sync.workers.begin(),
                       100.0 * most->last / sync.rounds);
}

/// @return numbers of some steps, of one worker or of all
Json
StepsToJson(const WorkerSync& steps)
{
    return {{"steps", steps.steps},
            {"updates", steps.updates},
            {"dropped_gradients", steps.dropped},
            {"mean_step", JsonNumber(steps.GetMeanStep())},
            {"mean_waiting", JsonNumber(steps.GetMeanWaiting())},
            {"waiting_share", JsonNumber(steps.GetWaitingShare())},
            {"mean_batch", JsonNumber(steps.GetMeanBatch())}};
}

} // namespace

Json
ToJson(const SyncSummary& sync)
{
    Json json = StepsToJson(sync.GetAll());
    json["update_time"] = JsonNumber(sync.GetUpdateTime());
    json["largest_lead"] = sync.largestLead ? Json(*sync.largestLead) : Json(nullptr);
    json["rounds"] = sync.rounds;
    json["workers_left_out"] = sync.leftOut;
    json["workers"] = Json::array();
    for (const auto& worker : sync.workers)
    {
        Json entry = StepsToJson(worker);
        entry["straggler_share"] = sync.rounds > 0
                                       ? JsonNumber(static_cast<double>(worker.last) / sync.rounds)
                                       : Json(nullptr);
        json["workers"].push_back(entry);
    }
    return json;
}

void
SyncTable::Add(const CaseSummary& item)
{
    for (const auto& [kind, engine] : item.engines)
    {
        const auto alike = [](const ReplicationSummary& run) { return run.workersAlike; };
        if (item.workers == 1 ||
            (!item.workersWait &&
             std::all_of(engine.replications.begin(), engine.replications.end(), alike)))
        {
            continue;
        }
        const SyncSummary sync = engine.GetSync();
        const WorkerSync all = sync.GetAll();
        m_lines +=
            FormatLine({std::to_string(item.workers),
                        GetEngineName(kind),
                        FormatKnown(sync.GetUpdateTime()),
                        FormatKnown(all.GetMeanStep()),
                        FormatRange(sync, [](const auto& w) { return 100 * w.GetWaitingShare(); }),
                        FormatRange(sync, [](const auto& w) { return w.GetMeanBatch(); }),
                        FormatWhole(all.dropped),
                        sync.largestLead ? std::to_string(*sync.largestLead) : "-",
                        FormatStraggler(sync)});
    }
}

std::string
SyncTable::Format() const
{
    if (m_lines.empty())
    {
        return "";
    }
    return "\n" +
           FormatLine(
               {"", "", "update", "step", "waiting", "batch", "dropped", "lead", "straggler"}) +
           FormatLine({"W", "engine", "s", "s", "%", "samples", "grads", "steps", "of rounds"}) +
           std::string(std::accumulate(std::begin(WIDTHS), std::end(WIDTHS), std::size_t{0}), '-') +
           "\n" + m_lines;
}

} // namespace ns3::dml
