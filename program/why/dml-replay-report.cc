/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-replay-report.h"

#include "ns3/dml-plural.h"
#include "ns3/dml-value-text.h"

#include <algorithm>
#include <cstddef>
#include <fmt/core.h>

namespace ns3::dml
{

namespace
{

/// Workers that have lines of their own; of more, these and the mean.
constexpr std::size_t MOST_WORKER_LINES = 16;

/// Predictions side by side in 80 columns.
constexpr std::ptrdiff_t MOST_COLUMNS = 2;

/// Seconds that are too few to be compared with.
constexpr double SHORTEST_TIME = 1e-12;

/// A time that is compared.
struct Row
{
    std::string name;            //!< for people
    double WorkerTimes::*member; //!< which
};

const Row ROWS[] = {{"step", &WorkerTimes::step},
                    {"forward", &WorkerTimes::forward},
                    {"backward", &WorkerTimes::backward}};

/// @return mean over the workers
double
GetMean(const std::vector<WorkerTimes>& times, double WorkerTimes::*member)
{
    double sum = 0;
    for (const auto& worker : times)
    {
        sum += worker.*member;
    }
    return sum / times.size();
}

std::string
FormatError(double value, double measured)
{
    constexpr double MOST = 100; // beyond it, digits tell nothing
    const double error = measured > SHORTEST_TIME ? value / measured - 1 : 0;
    return measured <= SHORTEST_TIME ? "           -"
           : error > MOST            ? "   > 10000 %"
                                     : fmt::format(" {:>+9.2f} %", 100 * error);
}

/// One line: measured, then each of the replays with its error.
std::string
FormatReplayRow(const std::string& name, double measured, const std::vector<double>& replayed)
{
    std::string text = fmt::format("  {:<14} {:>10}", name, FormatValue(measured));
    for (const double value : replayed)
    {
        text += fmt::format(" {:>10}", FormatValue(value)) + FormatError(value, measured);
    }
    return text + "\n";
}

/// One table, of as many columns as fit.
std::string
FormatTable(const JobStep& job, const std::vector<ReplayColumn>& columns)
{
    std::string text = fmt::format("  {:<14} {:>10}", "s", "measured");
    for (const auto& column : columns)
    {
        text += fmt::format(" {:>10}      error", column.title);
    }
    text += "\n";
    for (std::size_t worker = 0; worker < std::min(job.measured.size(), MOST_WORKER_LINES);
         ++worker)
    {
        std::vector<double> values;
        for (const auto& column : columns)
        {
            values.push_back(column.times[worker].step);
        }
        text +=
            FormatReplayRow("worker " + std::to_string(worker), job.measured[worker].step, values);
    }
    for (const auto& row : ROWS)
    {
        std::vector<double> values;
        for (const auto& column : columns)
        {
            values.push_back(GetMean(column.times, row.member));
        }
        text += FormatReplayRow("mean " + row.name, GetMean(job.measured, row.member), values);
    }
    return text;
}

} // namespace

std::string
FormatReplay(const JobStep& job, const std::vector<ReplayColumn>& columns)
{
    std::string text = job.model + ", batch " + std::to_string(job.batch) + ", " +
                       Plural(job.workers, "worker") +
                       (job.servers > 0 ? ", " + std::to_string(job.servers) + " PS" : "") +
                       "; times are means of " + Plural(job.steps, "step") + "\n";
    for (auto next = columns.begin(); next != columns.end();)
    {
        const auto last = next + std::min<std::ptrdiff_t>(MOST_COLUMNS, columns.end() - next);
        text += "\n" + FormatTable(job, {next, last});
        next = last;
    }
    return text;
}

} // namespace ns3::dml
