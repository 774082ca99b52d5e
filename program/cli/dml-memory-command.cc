/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-commands.h"

#include "ns3/dml-csv-name.h"
#include "ns3/dml-error.h"
#include "ns3/dml-memory-question.h"
#include "ns3/dml-output-folder.h"
#include "ns3/dml-paragraph.h"
#include "ns3/dml-result-file.h"
#include "ns3/dml-study-words.h"
#include "ns3/dml-terminal-text.h"

#include <algorithm>
#include <charconv>
#include <fmt/core.h>
#include <iostream>
#include <optional>

namespace ns3::dml
{

namespace
{

/// Rows of the table of what lives at the peak.
constexpr std::size_t LARGEST_RANGES = 10;
/// Columns of names in it.
constexpr std::size_t OWNER_WIDTH = 23;
constexpr std::size_t PHASE_WIDTH = 14;

/// @return what a range is of; empty of the input
std::string
GetOwnerName(const Profile& profile, const LiveRange& range)
{
    const bool tensor = range.part == MemoryPart::PARAMETERS ||
                        range.part == MemoryPart::OPTIMIZER || range.part == MemoryPart::GRADIENTS;
    return range.owner == NO_INDEX ? ""
           : tensor                ? profile.tensors[range.owner].name
                                   : profile.graph.Get(range.owner).name;
}

std::string
NamePhase(const Profile& profile, const MemoryTimeline& timeline, std::size_t phase)
{
    const MemoryPhase& known = timeline.phases[phase];
    const std::string name = EscapeControls(profile.graph.Get(known.op).name);
    return KeepEnd(known.again ? name + " again" : name, PHASE_WIDTH);
}

void
AddRange(std::string& text,
         const Profile& profile,
         const MemoryTimeline& timeline,
         const LiveRange& range)
{
    const std::size_t end = timeline.phases.size() - 1;
    const bool always = range.first == 0 && range.last == end;
    text += fmt::format("{:<15} {:<23} {:>8.1f}  ",
                        ToString(range.part),
                        KeepEnd(EscapeControls(GetOwnerName(profile, range)), OWNER_WIDTH),
                        range.bytes / 1e6);
    text += always
                ? "always\n"
                : fmt::format("{:<{}} {}\n",
                              NamePhase(profile, timeline, range.first),
                              PHASE_WIDTH,
                              range.last == end ? "end"
                                                : NamePhase(profile, timeline, range.last).c_str());
}

/**
 * @brief The peak of a step as tables of at most 80 columns: its parts, and the largest of what
 * lives then with the ops between which it does. MB are 10^6 bytes.
 * @param profile the job
 * @param timeline of a step of it
 * @return lines, each with its line end
 */
std::string
FormatMemoryPeak(const Profile& profile, const MemoryTimeline& timeline)
{
    const double total = timeline.GetPeakBytes();
    std::string text = "at the peak           MB       %\n" + std::string(32, '-') + "\n";
    for (std::size_t part = 0; part < MEMORY_PARTS; ++part)
    {
        const uint64_t bytes = timeline.phases[timeline.peak].live[part];
        text += fmt::format("{:<15} {:>8.1f}   {:>5.1f}\n",
                            ToString(static_cast<MemoryPart>(part)),
                            bytes / 1e6,
                            total > 0 ? 100 * bytes / total : 0);
    }
    const auto live = timeline.FindLive(timeline.peak);
    text += fmt::format("\n{:<15} {:<23} {:>8}  {:<{}} {}\n",
                        "largest then",
                        "of",
                        "MB",
                        "from",
                        PHASE_WIDTH,
                        "until");
    text += std::string(80, '-') + "\n";
    for (std::size_t i = 0; i < std::min(LARGEST_RANGES, live.size()); ++i)
    {
        AddRange(text, profile, timeline, live[i]);
    }
    return text;
}

/// Append memory.csv: phase (from 0), op, again (1: a forward op runs a second time), then bytes:
/// parameters, optimizer_state, input, gradients, activations, workspace, total
void
AddPhaseRows(ResultFile& file, const Profile& profile, const MemoryTimeline& timeline)
{
    file.GetBuffer() += "phase,op,again,parameters,optimizer_state,input,gradients,activations,"
                        "workspace,total\n";
    for (std::size_t i = 0; i < timeline.phases.size(); ++i)
    {
        const MemoryPhase& phase = timeline.phases[i];
        file.GetBuffer() += std::to_string(i) + "," +
                            WriteCsvName(profile.graph.Get(phase.op).name) + "," +
                            (phase.again ? "1" : "0");
        for (const uint64_t bytes : phase.live)
        {
            file.GetBuffer() += "," + std::to_string(bytes);
        }
        file.GetBuffer() += "," + std::to_string(phase.GetTotal()) + "\n";
        file.Commit();
    }
}

/// Append live-ranges.csv: part, name (of the tensor, or of the op it is of; empty: the input, or
/// what is always there beside the parameters), bytes, first, last (phases)
void
AddRangeRows(ResultFile& file, const Profile& profile, const MemoryTimeline& timeline)
{
    file.GetBuffer() += "part,name,bytes,first,last\n";
    for (const auto& range : timeline.ranges)
    {
        file.GetBuffer() += std::string(ToString(range.part)) + "," +
                            WriteCsvName(GetOwnerName(profile, range)) + "," +
                            std::to_string(range.bytes) + "," + std::to_string(range.first) + "," +
                            std::to_string(range.last) + "\n";
        file.Commit();
    }
}

/**
 * @brief Write memory.csv, a row for each op as it runs, and live-ranges.csv, one for each tensor.
 * @param folder of the files; it is made if it is missing
 * @param profile the job
 * @param timeline of a step of it
 * @throws FileError if a file cannot be created, RunError if it cannot be written
 */
void
WriteMemoryFiles(const std::string& folder, const Profile& profile, const MemoryTimeline& timeline)
{
    MakeOutputFolder(folder);
    ResultFile::Replace(folder + "/memory.csv",
                        [&](ResultFile& file) { AddPhaseRows(file, profile, timeline); });
    ResultFile::Replace(folder + "/live-ranges.csv",
                        [&](ResultFile& file) { AddRangeRows(file, profile, timeline); });
}

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
