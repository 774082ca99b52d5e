/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-import-report.h"

#include "ns3/dml-graph-check.h"
#include "ns3/dml-http2-window-policy.h"
#include "ns3/dml-known-models.h"
#include "ns3/dml-one-worker-run.h"
#include "ns3/dml-paragraph.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-step-plan.h"
#include "ns3/dml-value-text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fmt/core.h>
#include <numeric>

namespace ns3::dml
{

namespace
{

/// Rate of a network that takes no time, bytes per second.
constexpr double INFINITELY_FAST = 1e18;

/// Replayed and measured steps that differ by more are explained.
constexpr double TOLERANCE = 0.05;

/// Collects the lengths of the steps.
class StepLengths : public RunListener<StepLengths>
{
  public:
    void On(const StepRecord& record)
    {
        lengths.push_back(record.end - record.start);
    }

    std::vector<double> lengths; //!< s
};

/// @return @p text with a capital first letter
std::string
Capitalise(std::string text)
{
    if (!text.empty())
    {
        text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    }
    return text;
}

double
Mean(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / values.size();
}

/// @return "1.3 %" or "-0.2 %"
std::string
FormatPercent(double fraction)
{
    return fmt::format("{:.{}f} %", 100 * fraction, std::abs(fraction) < 0.1 ? 2 : 1);
}

/// @return "3 pull, 4 forward"
std::string
CountKinds(const Profile& profile)
{
    std::array<uint32_t, static_cast<std::size_t>(OpKind::COMPUTE) + 1> counts{};
    for (OpIndex i = 0; i < profile.graph.GetSize(); ++i)
    {
        ++counts[static_cast<std::size_t>(profile.graph.Get(i).kind)];
    }
    std::string text;
    for (std::size_t kind = 0; kind < counts.size(); ++kind)
    {
        if (counts[kind] > 0)
        {
            text += (text.empty() ? "" : ", ") + std::to_string(counts[kind]) + " " +
                    std::string(ToString(static_cast<OpKind>(kind)));
        }
    }
    return text;
}

std::string
DescribeGraph(const Profile& profile)
{
    std::string text = "no cycle";
    for (const auto& finding : CheckGraph(profile))
    {
        text += "; " + finding;
    }
    return text;
}

/// @return the protocol that the trace shows, and that it does not bind a scenario
std::string
DescribeProtocol(const ImportResult& result)
{
    const FoundProtocol& found = result.protocol;
    if (found.name.empty() && found.hasOthers)
    {
        return "none found, although the trace is of several workers: none of its collectives "
               "reduces gradients; a scenario chooses one (job.protocol)";
    }
    if (found.name.empty())
    {
        return result.transfers.empty()
                   ? "none found, as of one worker alone; a scenario chooses one (job.protocol)"
                   : "parameter servers, as the trace has transfers from and to them; a scenario "
                     "may choose another one (job.protocol)";
    }
    uint64_t bytes = 0;
    for (const auto& collective : found.collectives)
    {
        bytes += collective.bytes;
    }
    return found.name + (found.backend.empty() ? "" : " (" + found.backend + ")") +
           (found.workers > 0 ? " of " + Plural(found.workers, "worker") : "") + ", " +
           Plural(found.collectives.size(), "collective") + " a step, " + std::to_string(bytes) +
           " bytes; a scenario may choose another one (job.protocol) with this profile";
}

/// @return times in milliseconds, or "-" if there are none
std::string
FormatMean(const std::vector<double>& seconds)
{
    return seconds.empty() ? "-" : FormatValue(1e3 * Mean(seconds));
}

/// @return how much of recorded times was waiting for other workers, or "-" if unknown
std::string
FormatWait(const RecordedCollective& collective)
{
    return collective.transfer.empty()
               ? "-"
               : FormatValue(1e3 * (Mean(collective.recorded) - Mean(collective.transfer)));
}

/// Append one line for each collective of a step, up to a number that can be read.
void
AppendCollectives(std::string& out, const FoundProtocol& found)
{
    constexpr std::size_t MOST = 16;
    const auto line = [&out](const std::array<std::string, 6>& cells) {
        constexpr std::array<std::size_t, 6> WIDTHS{15, 13, 11, 13, 13, 13};
        for (std::size_t c = 0; c < cells.size(); ++c)
        {
            const std::size_t width = std::max(WIDTHS[c], cells[c].size() + 1);
            out += std::string(width - cells[c].size(), ' ') + cells[c];
        }
        out += "\n";
    };
    if (!found.collectives.empty())
    {
        line({"bucket", "bytes", "gradients", "recorded ms", "waiting ms", "transfer ms"});
    }
    for (std::size_t c = 0; c < std::min(found.collectives.size(), MOST); ++c)
    {
        const RecordedCollective& collective = found.collectives[c];
        line({std::to_string(c + 1),
              std::to_string(collective.bytes),
              collective.tensors.empty() ? "?" : std::to_string(collective.tensors.size()),
              FormatMean(collective.recorded),
              FormatWait(collective),
              FormatMean(collective.transfer)});
    }
    if (found.collectives.size() > MOST)
    {
        line({"and " + std::to_string(found.collectives.size() - MOST) + " more",
              "",
              "",
              "",
              "",
              ""});
    }
}

std::string
DescribeSteps(const ImportResult& result)
{
    const std::string count = std::to_string(result.profile.GetSampleCount());
    if (result.stepSeconds.empty())
    {
        return count + " sampled; the trace does not tell the length of a step";
    }
    const double measured = Mean(result.stepSeconds);
    std::string text = count + " sampled, " + FormatValue(1e3 * measured) + " ms on average";
    if (!result.unexplainedSeconds.empty())
    {
        const double unexplained = Mean(result.unexplainedSeconds);
        const double longest =
            *std::max_element(result.unexplainedSeconds.begin(), result.unexplainedSeconds.end());
        text += "; in " + FormatValue(1e3 * unexplained) + " ms of that (" +
                FormatPercent(measured > 0 ? unexplained / measured : 0) +
                ") no recorded op ran, at most " + FormatValue(1e3 * longest) + " ms in one step";
    }
    return text;
}

std::string
DescribeNetwork(const ReplayNetwork& network)
{
    if (network.bytesPerSecond <= 0)
    {
        return "with an infinitely fast network";
    }
    std::string text = "with a link of " + FormatValue(network.bytesPerSecond / 1e6) + " MB/s";
    if (network.window > 0)
    {
        text += ", a window of " + FormatValue(network.window / 1e6) + " MB";
    }
    if (network.alpha > 0 || network.beta > 0)
    {
        text += ", parsing of " + FormatValue(network.alpha * 1e9) + " ns/byte + " +
                FormatValue(network.beta * 1e6) + " us";
    }
    return text;
}

std::string
DescribeReplay(const ImportResult& result, const ReplayNetwork& network)
{
    const double replayed = Mean(ReplayOneWorker(result.profile, network));
    std::string text = FormatValue(1e3 * replayed) + " ms a step by the fair-share engine, " +
                       DescribeNetwork(network);
    if (result.stepSeconds.empty())
    {
        return text;
    }
    const double measured = Mean(result.stepSeconds);
    if (measured <= 0)
    {
        return text + ", where the trace says that a step took no time";
    }
    const double difference = replayed / measured - 1;
    text += ": " + std::string(difference > 0 ? "+" : "") + FormatPercent(difference) +
            " against the measured " + FormatValue(1e3 * measured) + " ms";
    if (!result.replayCaveat.empty())
    {
        text += ". " + Capitalise(result.replayCaveat);
    }
    // A caveat tells what the profile lacks.
    if (difference > TOLERANCE || (difference < -TOLERANCE && result.replayCaveat.empty()))
    {
        text += ". This is more than 5 %, and the trace gives no reason: look at what was inferred";
    }
    return text;
}

} // namespace

std::vector<double>
ReplayOneWorker(const Profile& profile, const ReplayNetwork& network)
{
    const auto plan = std::make_shared<StepPlan>(
        MakeStepPlan(profile,
                     Placement(profile.tensors.size(), 0),
                     1,
                     ParseOverhead{network.alpha, network.beta, network.parallel, {}}));
    TrainingRun run = MakeOneWorkerRun(plan, profile.GetSampleCount());
    if (network.window > 0)
    {
        run.policy.SetTypeId(Http2WindowPolicy::GetTypeId());
        run.windowRule = StreamWindowModel::Rule::TWO_TURNS;
        run.window = network.window;
    }
    StepLengths steps;
    RunOneWorker(std::move(run),
                 {network.bytesPerSecond > 0 ? network.bytesPerSecond : INFINITELY_FAST},
                 &steps);
    return steps.lengths;
}

std::string
FormatImportReport(const ImportResult& result, const ReplayNetwork& network)
{
    const Profile& profile = result.profile;
    std::string out;
    AppendParagraph(out,
                    "tensors: ",
                    std::to_string(profile.tensors.size()) + ", " +
                        std::to_string(profile.GetTotalBytes()) + " bytes");
    if (profile.GetTotalBytes() > 0)
    {
        AppendParagraph(out,
                        "         ",
                        CompareWithKnownModel(profile.model, profile.GetTotalBytes()).text);
    }
    AppendParagraph(out,
                    "ops:     ",
                    std::to_string(profile.graph.GetSize()) + ": " + CountKinds(profile));
    AppendParagraph(out, "graph:   ", DescribeGraph(profile));
    AppendParagraph(out, "protocol: ", DescribeProtocol(result));
    AppendCollectives(out, result.protocol);
    AppendParagraph(out, "steps:   ", DescribeSteps(result));
    AppendParagraph(out, "replay:  ", DescribeReplay(result, network));
    if (!result.rules.empty())
    {
        out += "inferred:\n";
    }
    for (const auto& rule : result.rules)
    {
        AppendParagraph(out, "  - ", rule);
    }
    if (!result.warnings.empty())
    {
        out += "warnings:\n";
    }
    for (const auto& warning : result.warnings)
    {
        AppendParagraph(out, "  - ", warning);
    }
    return out;
}

} // namespace ns3::dml
