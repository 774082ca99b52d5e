/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-memory-report.h"

#include "ns3/dml-result-file.h"
#include "ns3/dml-study-words.h"
#include "ns3/dml-terminal-text.h"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>

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

} // namespace

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

void
WriteMemoryFiles(const std::string& folder, const Profile& profile, const MemoryTimeline& timeline)
{
    std::error_code error;
    std::filesystem::create_directories(folder, error); // told with the first file
    ResultFile phases(folder + "/memory.csv");
    phases.GetBuffer() += "phase,op,again,parameters,optimizer_state,input,gradients,activations,"
                          "workspace,total\n";
    for (std::size_t i = 0; i < timeline.phases.size(); ++i)
    {
        const MemoryPhase& phase = timeline.phases[i];
        phases.GetBuffer() += std::to_string(i) + "," + QuoteCsv(profile.graph.Get(phase.op).name) +
                              "," + (phase.again ? "1" : "0");
        for (const uint64_t bytes : phase.live)
        {
            phases.GetBuffer() += "," + std::to_string(bytes);
        }
        phases.GetBuffer() += "," + std::to_string(phase.GetTotal()) + "\n";
        phases.Commit();
    }
    phases.Close();
    ResultFile ranges(folder + "/live-ranges.csv");
    ranges.GetBuffer() += "part,name,bytes,first,last\n";
    for (const auto& range : timeline.ranges)
    {
        ranges.GetBuffer() += std::string(ToString(range.part)) + "," +
                              QuoteCsv(GetOwnerName(profile, range)) + "," +
                              std::to_string(range.bytes) + "," + std::to_string(range.first) +
                              "," + std::to_string(range.last) + "\n";
        ranges.Commit();
    }
    ranges.Close();
}

} // namespace ns3::dml
