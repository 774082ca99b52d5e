/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-csv-name.h"
#include "dml-result-file.h"
#include "dml-result-summary.h"
#include "dml-summary-comparison.h"
#include "dml-table-cells.h"

#include "ns3/dml-terminal-text.h"
#include "ns3/dml-utf8.h"

#include <algorithm>
#include <fmt/core.h>
#include <limits>
#include <map>

namespace ns3::dml
{

namespace
{

constexpr std::size_t COUNT_WIDTH = 4;    //!< of the column of workers
constexpr std::size_t NAME_WIDTH = 12;    //!< of the column of engines
constexpr std::size_t LONGEST_VALUE = 60; //!< of a setting

using Variant = std::map<std::string, std::string>;

std::string
NameOf(const Variant& variant)
{
    return NameVariant({variant.begin(), variant.end()});
}

std::string
ShowValue(const std::string& value)
{
    return value.empty() ? "-" : ShortenText(value, LONGEST_VALUE);
}

/// @return which configurations only one of both has, as a line; nothing without any
std::string
FormatMissing(const char* where, const std::vector<std::string>& names)
{
    constexpr std::size_t MOST = 5;
    if (names.empty())
    {
        return "";
    }
    std::string list;
    for (std::size_t i = 0; i < std::min(MOST, names.size()); ++i)
    {
        list += (i > 0 ? "; " : "") + names[i];
    }
    const std::size_t more = names.size() - std::min(MOST, names.size());
    return WrapRemark(std::string("only in ") + where + ": " + list +
                      (more > 0 ? "; and " + std::to_string(more) + " more" : ""));
}

std::string
FormatComparedHead()
{
    const std::string second =
        Right("W", COUNT_WIDTH) + Right("engine", NAME_WIDTH) + Right("samples/s", INTERVAL_WIDTH) +
        Right("samples/s", INTERVAL_WIDTH) + Right("% (interval)", DIFFERENCE_WIDTH);
    return Right("A", COUNT_WIDTH + NAME_WIDTH + INTERVAL_WIDTH) + Right("B", INTERVAL_WIDTH) +
           Right("B against A", DIFFERENCE_WIDTH) + "\n" + second + "\n" +
           std::string(second.size(), '-') + "\n";
}

Confidence
GetThroughput(const StoredCase& item, const std::string& engine)
{
    return ComputeConfidence(item.engines.at(engine).ListThroughputs());
}

/// @return a line of the table @param grey as in FormatComparison()
std::string
FormatComparedLine(const ComparedCase& item, bool grey)
{
    const auto show = [&item](const StoredCase& side) {
        return Right(FormatInterval(GetThroughput(side, item.engine)), INTERVAL_WIDTH);
    };
    std::string line = Right(std::to_string(item.a->workers), COUNT_WIDTH) +
                       Right(EscapeControls(item.engine), NAME_WIDTH) + show(*item.a) +
                       show(*item.b) + FormatDifference(item.difference, grey);
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

std::string
NameVariants(const std::vector<std::string>& keys, const ComparedCase& item)
{
    Variant common;
    Variant onlyA;
    Variant onlyB;
    const auto split = [&](const Variant& variant, Variant& own) {
        for (const auto& entry : variant)
        {
            const bool both = std::find(keys.begin(), keys.end(), entry.first) != keys.end();
            (both ? common : own).insert(entry);
        }
    };
    split(item.a->variant, onlyA);
    split(item.b->variant, onlyB);
    std::string name = NameOf(common);
    const auto add = [&name](const char* letter, const Variant& own) {
        name += own.empty() ? "" : (name.empty() ? "" : "; ") + (letter + NameOf(own));
    };
    add("A: ", onlyA);
    add("B: ", onlyB);
    return name;
}

std::string
FormatChanges(const SummaryComparison& comparison)
{
    const auto changes = comparison.ListChanges();
    if (changes.empty())
    {
        return "no setting differs\n";
    }
    std::string text = "settings that differ (A -> B):\n";
    for (const auto& change : changes)
    {
        const std::string key = "  " + EscapeControls(change.key) + ":";
        const std::string a = EscapeControls(ShowValue(change.a));
        const std::string b = EscapeControls(ShowValue(change.b));
        const std::string line = key + " " + a + " -> " + b;
        text += (line.size() <= LINE_WIDTH ? line : key + "\n    " + a + "\n    -> " + b) + "\n";
    }
    return text;
}

std::string
FormatCount(const SummaryComparison& comparison)
{
    uint32_t faster = 0;
    uint32_t slower = 0;
    uint32_t least = std::numeric_limits<uint32_t>::max();
    uint32_t most = 0;
    bool paired = false;
    bool unpaired = false;
    for (const auto& item : comparison.cases)
    {
        const bool sure = item.difference.value && item.difference.IsSignificant();
        faster += sure && *item.difference.value > 0 ? 1 : 0;
        slower += sure && *item.difference.value < 0 ? 1 : 0;
        least = std::min(least, item.difference.pairs);
        most = std::max(most, item.difference.pairs);
        paired = paired || item.sameDraws;
        unpaired = unpaired || !item.sameDraws;
    }
    std::string text =
        WrapRemark(fmt::format("B is faster in {} of {}, slower in {}; the others may be equal.",
                               faster,
                               comparison.cases.size(),
                               slower));
    text += WrapRemark(fmt::format(
        "+-: 95 % interval over replications; B against A: B / A - 1 and its 95 % interval over "
        "pairs of replications, {}{} of them; ?: may be 0. Of twenty differences that are 0, one "
        "has no ? by chance.",
        least < most ? std::to_string(least) + " to " : "",
        most));
    if (least < LEAST_FOR_INTERVAL)
    {
        text +=
            WrapRemark(fmt::format("a..b: of fewer than {} replications, which give no interval, "
                                   "the least and the greatest; no difference of them is certain.",
                                   LEAST_FOR_INTERVAL));
    }
    if (unpaired)
    {
        text += WrapRemark(std::string(paired ? "Some replications have" : "Replications have") +
                           " other seeds in A and B and are paired in their order: the same seed "
                           "would make the intervals narrower.");
    }
    return text;
}

/// @return a line about one of the results
std::string
DescribeResult(const char* letter, const StoredSummary& summary, const std::string& program)
{
    return WrapRemark(std::string(letter) + ": " + summary.file + ": " + program +
                      (summary.finished ? "" : "; not all of its runs are done"));
}

} // namespace

std::string
FormatComparison(const SummaryComparison& comparison, bool grey)
{
    const StoredSummary& a = comparison.a;
    const StoredSummary& b = comparison.b;
    std::string text = DescribeResult("A", a, a.program) +
                       DescribeResult("B", b, a.program == b.program ? "the same" : b.program) +
                       FormatChanges(comparison);
    std::vector<std::pair<std::string, std::string>> tables; // by what was swept
    for (const auto& item : comparison.cases)
    {
        const std::string name = NameVariants(comparison.common, item);
        auto table = std::find_if(tables.begin(), tables.end(), [&name](const auto& other) {
            return other.first == name;
        });
        if (table == tables.end())
        {
            table = tables.insert(table, {name, ""});
        }
        table->second += FormatComparedLine(item, grey);
    }
    for (const auto& [name, lines] : tables)
    {
        text += "\n" + (name.empty() ? "" : WrapRemark(name)) + FormatComparedHead() + lines;
    }
    return text + "\n" + FormatCount(comparison) + FormatMissing("A", comparison.onlyInA) +
           FormatMissing("B", comparison.onlyInB);
}

std::string
FormatComparisonCsv(const SummaryComparison& comparison)
{
    std::string text =
        "variant_a,variant_b,workers,servers_a,servers_b,engine,a,a_half_width,b,"
        "b_half_width,pairs,difference,low,high,significant,a_min,a_max,b_min,b_max\n";
    for (const auto& item : comparison.cases)
    {
        const Confidence a = GetThroughput(*item.a, item.engine);
        const Confidence b = GetThroughput(*item.b, item.engine);
        const RelativeDifference& difference = item.difference;
        text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                            WriteCsvName(NameOf(item.a->variant)),
                            WriteCsvName(NameOf(item.b->variant)),
                            item.a->workers,
                            item.a->servers,
                            item.b->servers,
                            WriteCsvName(item.engine),
                            WriteCsvNumber(a.mean),
                            WriteCsvNumber(a.halfWidth),
                            WriteCsvNumber(b.mean),
                            WriteCsvNumber(b.halfWidth),
                            difference.pairs,
                            WriteCsvNumber(difference.value),
                            WriteCsvNumber(difference.low),
                            WriteCsvNumber(difference.high),
                            difference.IsSignificant() ? 1 : 0,
                            WriteCsvNumber(a.least),
                            WriteCsvNumber(a.greatest),
                            WriteCsvNumber(b.least),
                            WriteCsvNumber(b.greatest));
    }
    return text;
}

} // namespace ns3::dml
