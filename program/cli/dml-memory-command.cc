/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-commands.h"
#include "dml-memory-report.h"

#include "ns3/dml-error.h"
#include "ns3/dml-memory-question.h"
#include "ns3/dml-paragraph.h"
#include "ns3/dml-terminal-text.h"

#include <charconv>
#include <fmt/core.h>
#include <iostream>
#include <optional>

namespace ns3::dml
{

namespace
{

/// @return bytes that the profile's source says were measured, if it does
std::optional<uint64_t>
FindMeasuredPeak(const Profile& profile)
{
    for (const auto& [key, value] : profile.source)
    {
        uint64_t bytes = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), bytes);
        if (key == "peak_bytes" && error == std::errc() && end == value.data() + value.size())
        {
            return bytes;
        }
    }
    return std::nullopt;
}

void
PrintChoices(const std::vector<MemoryChoice>& choices)
{
    std::cout << fmt::format("\n{:<32} {:>10} {:>9} {:>12} {:>9}\n",
                             "choice",
                             "peak MB",
                             "change",
                             "compute ms",
                             "change")
              << std::string(76, '-') << '\n';
    const MemoryForecast& plain = choices.front().forecast;
    for (const auto& choice : choices)
    {
        const double bytes = choice.forecast.timeline.GetPeakBytes();
        const auto change = [](double value, double other) {
            return other > 0 ? fmt::format("{:+.1f} %", 100 * (value / other - 1)) : "-";
        };
        std::cout << fmt::format("{:<32} {:>10.1f} {:>9} {:>12.1f} {:>9}\n",
                                 choice.name,
                                 bytes / 1e6,
                                 change(bytes, plain.timeline.GetPeakBytes()),
                                 1e3 * choice.forecast.seconds,
                                 change(choice.forecast.seconds, plain.seconds));
    }
}

/// @param note why some way cannot be @return all ways to train, the first one as it is
std::vector<MemoryChoice>
TryAll(const MemoryQuestion& question, std::string& note)
{
    std::vector<MemoryChoice> choices{question.TryPlain()};
    try
    {
        choices.push_back(question.TryRecomputing(""));
    }
    catch (const InputError& error)
    {
        AppendParagraph(note, "", std::string("recompute: ") + error.what());
    }
    for (const uint32_t passes : {2, 4})
    {
        if (question.GetBatch() % passes == 0)
        {
            choices.push_back(question.TryAccumulating(passes));
        }
    }
    return choices;
}

} // namespace

int
RunMemory(const CommandOptions& options)
{
    if (options.recompute && options.accumulate)
    {
        throw InputError("found --recompute and --accumulate; accepted: one of them");
    }
    if (!options.segments.empty() && !options.recompute)
    {
        throw InputError("found --segments without --recompute; accepted: both");
    }
    const MemoryQuestion question(options.operands[1], options.batch, options.optimizer);
    const Profile& profile = question.GetProfile();
    std::vector<MemoryChoice> choices{question.TryPlain()};
    if (options.recompute)
    {
        choices.push_back(question.TryRecomputing(options.segments));
    }
    else if (options.accumulate)
    {
        choices.push_back(question.TryAccumulating(*options.accumulate));
    }
    const MemoryChoice chosen = choices.back();
    const MemoryTimeline& timeline = chosen.forecast.timeline;
    const MemoryPhase& peak = timeline.phases[timeline.peak];
    std::cout << EscapeControls(profile.model) << ", batch " << question.GetBatch() << ", "
              << options.optimizer << ", " << chosen.name << ": peak "
              << fmt::format("{:.1f}", timeline.GetPeakBytes() / 1e6) << " MB\nin "
              << EscapeControls(profile.graph.Get(peak.op).name) << (peak.again ? " again" : "")
              << "\n\n"
              << FormatMemoryPeak(profile, timeline);
    std::string note;
    PrintChoices(options.recompute || options.accumulate ? choices : TryAll(question, note));
    std::cout << note;
    const auto measured = FindMeasuredPeak(profile);
    if (measured && question.GetBatch() == profile.batchSize && choices.size() == 1 &&
        options.optimizer == "sgd")
    {
        std::cout << fmt::format(
            "measured with the profile: {:.1f} MB (the prediction is {:+.1f} % off)\n",
            *measured / 1e6,
            100 * (double(timeline.GetPeakBytes()) / *measured - 1));
    }
    if (!options.out.empty())
    {
        WriteMemoryFiles(options.out, profile, timeline);
        std::cout << "memory.csv, live-ranges.csv: " << options.out << '\n';
    }
    return 0;
}

} // namespace ns3::dml
