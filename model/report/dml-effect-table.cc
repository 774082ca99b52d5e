/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-effect-table.h"

#include "ns3/dml-ratio-interval.h"

#include <fmt/core.h>
#include <iterator>
#include <optional>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr const char* EFFECT_LINE = "{:>4}  {:<10}{:<11}{:<26}{:>7}{:>18}{}\n";

/// Below the table.
constexpr const char* EFFECT_NOTE = "  parts of an effect add up to all; ?: may be 0\n";

/// What several runs say of a part.
struct PartOfRuns
{
    std::string effect;                                         //!< see EffectBias
    std::string part;                                           //!< see EffectBias
    double recorded{0};                                         //!< s
    bool known{true};                                           //!< whether some run tells it
    std::string obstacle;                                       //!< why one does not, or empty
    std::vector<std::pair<double, std::optional<double>>> runs; //!< as of CombineRuns()
};

/// @return parts in the order of effects, and the rest of each last
std::vector<PartOfRuns>
CollectParts(const std::vector<const EffectBias*>& found, std::size_t runs)
{
    std::vector<PartOfRuns> parts;
    auto next = parts.begin(); // where a part belongs that the runs before have not got
    for (const EffectBias* bias : found)
    {
        auto part = std::find_if(parts.begin(), parts.end(), [&](const PartOfRuns& known) {
            return known.effect == bias->effect && known.part == bias->part;
        });
        if (part == parts.end())
        {
            part = parts.insert(next, PartOfRuns{bias->effect, bias->part, 0, true, "", {}});
        }
        next = std::next(part);
        part->recorded += bias->recorded;
        if (bias->slower)
        {
            part->runs.emplace_back(*bias->slower, bias->halfWidth);
        }
        else
        {
            part->obstacle = bias->obstacle;
        }
    }
    for (auto& part : parts)
    {
        part.known = !part.runs.empty();
        while (part.known && part.runs.size() < runs)
        {
            part.runs.emplace_back(0, 0); // a run without such a part
        }
    }
    return parts;
}

/// @return lines of a configuration and an engine
std::string
FormatEffectGroup(uint32_t workers,
                  const std::string& engine,
                  const std::vector<const EffectBias*>& found)
{
    std::size_t runs = 0;
    double recorded = 0;
    for (const EffectBias* bias : found)
    {
        runs += bias->effect.empty() ? 1 : 0;
        recorded += bias->effect.empty() ? bias->recorded : 0;
    }
    std::string lines;
    std::string last;
    for (const auto& part : CollectParts(found, runs))
    {
        const bool first = lines.empty();
        if (!part.known)
        {
            lines += WrapRemark(
                fmt::format("{:>16}{:<11}not known: {}", "", part.effect, part.obstacle));
            continue;
        }
        const Confidence slower = CombineRuns(part.runs);
        const bool certain = IsCertainBias(slower);
        lines += fmt::format(EFFECT_LINE,
                             first ? std::to_string(workers) : "",
                             first ? engine : "",
                             part.effect.empty()   ? "all"
                             : part.effect == last ? ""
                                                   : part.effect,
                             part.effect.empty() ? ""
                             : part.part.empty() ? "rest"
                                                 : part.part,
                             fmt::format("{:.1f}", 100 * part.recorded / recorded),
                             FormatPercent(slower),
                             certain ? "" : " ?");
        last = part.effect;
    }
    return lines;
}

} // namespace

std::string
FormatEffectBiases(const std::vector<RunEffects>& runs)
{
    return FormatFindings(runs,
                          MakeMatchHead("by effect, from recorded begins",
                                        fmt::format(EFFECT_LINE,
                                                    "W",
                                                    "engine",
                                                    "effect",
                                                    "part",
                                                    "time %",
                                                    "links % slower",
                                                    "")),
                          FormatEffectGroup) +
           (runs.empty() ? "" : EFFECT_NOTE);
}

std::string
FormatCertainParts(const std::vector<RunEffects>& runs, const std::set<std::string>& effects)
{
    std::vector<const EffectBias*> found;
    std::string obstacle = "there are no steps";
    std::size_t known = 0;
    for (const auto& run : runs)
    {
        known += run.found.empty() ? 0 : 1;
        obstacle = run.obstacle;
        for (const auto& bias : run.found)
        {
            found.push_back(&bias);
        }
    }
    if (known == 0)
    {
        return WrapRemark("  step by step: not known: " + obstacle);
    }
    std::string lines;
    std::string head;
    for (const auto& part : CollectParts(found, known))
    {
        if (!part.known)
        {
            continue;
        }
        const Confidence slower = CombineRuns(part.runs);
        if (part.effect.empty())
        {
            head = fmt::format("  {:<38} {:>18}\n  {:<38} {:>18}{}\n",
                               "step by step, from recorded begins",
                               "links % slower",
                               "all",
                               FormatPercent(slower),
                               IsCertainBias(slower) ? "" : " ?");
        }
        else if (effects.count(part.effect) > 0 && !part.part.empty() && IsCertainBias(slower))
        {
            lines += fmt::format("  {:<38} {:>18}\n", part.part, FormatPercent(slower));
        }
    }
    lines = head + (lines.empty() ? "  no phase has a certain part in it\n" : lines);
    return lines + ExplainMissing(lines);
}

void
WriteEffectCsv(ResultFile& file, const std::vector<RunEffects>& runs)
{
    WriteFindings(file,
                  runs,
                  "effect,part,recorded_s,predicted_s,links_slower_percent,ci95",
                  [](const EffectBias& bias) {
                      return fmt::format("{},{},{:.9g},{:.9g},{},{},{}",
                                         bias.effect.empty() ? "all" : bias.effect,
                                         bias.part.empty() && !bias.effect.empty()
                                             ? "rest"
                                             : WriteCsvName(bias.part),
                                         bias.recorded,
                                         bias.predicted,
                                         WriteCsvNumber(bias.slower),
                                         WriteCsvNumber(bias.halfWidth),
                                         WriteCsvName(bias.obstacle));
                  });
}

} // namespace ns3::dml
