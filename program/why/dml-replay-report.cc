/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-replay-report.h"

#include "ns3/dml-error.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-study-words.h"
#include "ns3/dml-value-text.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{
namespace dml
{

namespace
{

/// Workers that have lines of their own; of more, these and the mean.
constexpr std::size_t MOST_WORKER_LINES = 16;

/// Seconds that are too few to be compared with.
constexpr double SHORTEST_TIME = 1e-12;

/// Bytes below which a transfer does not tell a bandwidth.
constexpr uint64_t LARGE_TRANSFER = 65536;

/// @return bytes per second of the fastest large transfer; @throws InputError if there is none
double
FindBandwidth(const JobStep& job)
{
    std::map<std::tuple<uint32_t, JobOpKind, uint32_t>, std::pair<uint64_t, double>> transfers;
    for (const auto& mean : job.ops)
    {
        auto& [bytes, seconds] = transfers[{mean.op.worker, mean.op.kind, mean.op.name}];
        bytes += mean.op.bytes;
        seconds += mean.seconds;
    }
    double most = 0;
    for (const auto& [key, transfer] : transfers)
    {
        const JobOpKind kind = std::get<JobOpKind>(key);
        const double factor = kind == JobOpKind::COLLECTIVE ? 2.0 * (job.workers - 1) / job.workers
                              : kind == JobOpKind::PULL || kind == JobOpKind::PUSH ? 1
                                                                                   : 0;
        if (transfer.first >= LARGE_TRANSFER && transfer.second > SHORTEST_TIME)
        {
            most = std::max(most, factor * transfer.first / transfer.second);
        }
    }
    if (most == 0)
    {
        throw InputError("the job has no transfer of 64 KiB that would tell the bandwidth; "
                         "accepted: --rate");
    }
    return most;
}

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
                                     : FormatText(" %+9.2f %%", 100 * error);
}

/// One line: measured, then each of the replays with its error.
std::string
FormatReplayRow(const std::string& name, double measured, const std::vector<double>& replayed)
{
    std::string text = FormatText("  %-14s %10s", name.c_str(), FormatValue(measured).c_str());
    for (const double value : replayed)
    {
        text += FormatText(" %10s", FormatValue(value).c_str()) + FormatError(value, measured);
    }
    return text + "\n";
}

} // namespace

std::string
FormatReplay(const JobStep& job, const ReplayOptions& options)
{
    std::vector<std::vector<WorkerTimes>> replays{ReplaySteps(job, options.steps, options.order)};
    std::string text = job.model + ", batch " + std::to_string(job.batch) + ", " +
                       Plural(job.workers, "worker") +
                       (job.servers > 0 ? ", " + std::to_string(job.servers) + " PS" : "") +
                       "; times are means of " + Plural(job.steps, "step") + "\n\n";
    std::string head = FormatText("  %-14s %10s %10s      error", "s", "measured", "replayed");
    std::string note;
    if (options.daydream)
    {
        const double bandwidth =
            options.bytesPerSecond ? *options.bytesPerSecond : FindBandwidth(job);
        replays.push_back(
            ReplaySteps(MakeDaydreamStep(job, bandwidth), options.steps, options.order));
        head += FormatText(" %10s      error", "Daydream");
        note = "Daydream: transfers take their size over " + FormatValue(bandwidth / 1e6) +
               " MB/s" + (options.bytesPerSecond ? "" : ", the rate of the fastest one") + "\n";
    }
    text += head + "\n";
    for (std::size_t worker = 0; worker < std::min(job.measured.size(), MOST_WORKER_LINES);
         ++worker)
    {
        std::vector<double> replayed;
        for (const auto& replay : replays)
        {
            replayed.push_back(replay[worker].step);
        }
        text += FormatReplayRow("worker " + std::to_string(worker),
                                job.measured[worker].step,
                                replayed);
    }
    for (const auto& row : ROWS)
    {
        std::vector<double> replayed;
        for (const auto& replay : replays)
        {
            replayed.push_back(GetMean(replay, row.member));
        }
        text += FormatReplayRow("mean " + row.name, GetMean(job.measured, row.member), replayed);
    }
    return text + note;
}

} // namespace dml
} // namespace ns3
