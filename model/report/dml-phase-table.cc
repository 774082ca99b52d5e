/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-phase-table.h"

#include "ns3/dml-ratio-interval.h"

#include <fmt/core.h>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr const char* PHASE_LINE = "{:>4}  {:<10}{:<6}{:>7}{:>8}{:>12}{:>19}{:>10}\n";

const char*
GetPhaseName(StepPhase phase)
{
    return phase == StepPhase::PULL ? "pull" : phase == StepPhase::PUSH ? "push" : "rest";
}

/// @return lines of a configuration and an engine
std::string
FormatPhaseGroup(uint32_t workers,
                 const std::string& engine,
                 const std::vector<const PhaseBias*>& found)
{
    std::map<std::tuple<StepPhase, uint32_t, uint32_t>, std::vector<const PhaseBias*>> group;
    double all = 0; // predicted, s
    for (const PhaseBias* bias : found)
    {
        group[{bias->phase, bias->fewest, bias->most}].push_back(bias);
        all += bias->predicted;
    }
    std::string lines;
    for (const auto& [key, biases] : group)
    {
        const auto& [phase, fewest, most] = key;
        PhaseBias sum;
        std::vector<std::pair<double, std::optional<double>>> runs;
        for (const PhaseBias* bias : biases)
        {
            sum.count += bias->count;
            sum.recorded += bias->recorded;
            sum.predicted += bias->predicted;
            if (const auto longer = bias->GetLonger())
            {
                runs.emplace_back(*longer, bias->halfWidth);
            }
        }
        const bool rest = phase == StepPhase::REST;
        lines += fmt::format(PHASE_LINE,
                             workers,
                             engine,
                             GetPhaseName(phase),
                             rest             ? ""
                             : fewest == most ? std::to_string(most)
                                              : fmt::format("{}-{}", fewest, most),
                             rest ? "" : std::to_string(sum.count),
                             rest ? "" : fmt::format("{:.3f}", sum.recorded),
                             rest ? "" : FormatPercent(CombineRuns(runs)),
                             fmt::format("{:+.2f}", 100 * (sum.recorded - sum.predicted) / all));
    }
    return lines;
}

} // namespace

std::string
FormatPhases(const std::vector<RunPhases>& runs)
{
    return FormatFindings(runs,
                          MakeMatchHead("by phase, from recorded begins",
                                        fmt::format(PHASE_LINE,
                                                    "W",
                                                    "engine",
                                                    "phase",
                                                    "others",
                                                    "count",
                                                    "recorded s",
                                                    "% longer",
                                                    "of step %")),
                          FormatPhaseGroup);
}

void
WritePhaseCsv(ResultFile& file, const std::vector<RunPhases>& runs)
{
    WriteFindings(file,
                  runs,
                  "phase,others_least,others_most,count,recorded_s,predicted_s,longer_percent,ci95",
                  [](const PhaseBias& bias) {
                      return fmt::format("{},{},{},{},{:.9g},{:.9g},{},{},",
                                         GetPhaseName(bias.phase),
                                         bias.fewest,
                                         bias.most,
                                         bias.count,
                                         bias.recorded,
                                         bias.predicted,
                                         WriteCsvNumber(bias.GetLonger()),
                                         WriteCsvNumber(bias.halfWidth));
                  });
}

} // namespace ns3::dml
