/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-summary-comparison.h"

#include "dml-result-file.h"
#include "dml-result-summary.h"
#include "dml-table-cells.h"

#include "ns3/dml-terminal-text.h"
#include "ns3/dml-utf8.h"
#include "ns3/dml-value-text.h"

#include <algorithm>
#include <fmt/core.h>
#include <iterator>
#include <limits>
#include <set>

namespace ns3
{
namespace dml
{

namespace
{

constexpr std::size_t COUNT_WIDTH = 4;    //!< of the column of workers
constexpr std::size_t NAME_WIDTH = 12;    //!< of the column of engines
constexpr std::size_t LONGEST_VALUE = 60; //!< of a setting, in the report

using Variant = std::map<std::string, std::string>;
using Pairs = std::vector<std::pair<std::optional<double>, std::optional<double>>>;

std::set<std::string>
ListSweptKeys(const StoredSummary& summary)
{
    std::set<std::string> keys;
    for (const auto& item : summary.cases)
    {
        for (const auto& [key, value] : item.variant)
        {
            keys.insert(key);
        }
    }
    return keys;
}

std::string
NameOf(const Variant& variant)
{
    return NameVariant({variant.begin(), variant.end()});
}

std::string
NameOf(const StoredCase& item)
{
    const std::string name = NameOf(item.variant);
    return "W=" + std::to_string(item.workers) + (name.empty() ? "" : ", " + name);
}

/// @return replications of @p a and @p b with the same draws
Pairs
PairByDraws(const StoredRuns& a, const StoredRuns& b)
{
    const std::map<StoredRuns::Draw, std::optional<double>> known(a.throughputs.begin(),
                                                                  a.throughputs.end());
    Pairs pairs;
    for (const auto& [draw, throughput] : b.throughputs)
    {
        const auto twin = known.find(draw);
        if (twin != known.end())
        {
            pairs.emplace_back(throughput, twin->second);
        }
    }
    return pairs;
}

Pairs
PairByOrder(const StoredRuns& a, const StoredRuns& b)
{
    const auto first = a.ListThroughputs();
    const auto second = b.ListThroughputs();
    Pairs pairs;
    for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i)
    {
        pairs.emplace_back(second[i], first[i]);
    }
    return pairs;
}

ComparedCase
Compare(const StoredCase& a, const StoredCase& b, const std::string& engine)
{
    const StoredRuns& first = a.engines.at(engine);
    const StoredRuns& second = b.engines.at(engine);
    const Pairs same = PairByDraws(first, second);
    const bool paired = !same.empty();
    return {&a, &b, engine, EstimateDifference(paired ? same : PairByOrder(first, second)), paired};
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
FormatHead()
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

/// @return a line of the table @param grey as in SummaryComparison::Format()
std::string
FormatLine(const ComparedCase& item, bool grey)
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

/// @return @p value for a CSV file; nothing if there is none
std::string
Field(const std::optional<double>& value)
{
    return value ? fmt::format("{:.9g}", *value) : "";
}

} // namespace

SummaryComparison::SummaryComparison(const StoredSummary& a, const StoredSummary& b)
    : m_a(a),
      m_b(b)
{
    const auto keysOfA = ListSweptKeys(a);
    const auto keysOfB = ListSweptKeys(b);
    std::set_intersection(keysOfA.begin(),
                          keysOfA.end(),
                          keysOfB.begin(),
                          keysOfB.end(),
                          std::back_inserter(m_common));
    std::set<const StoredCase*> matched;
    for (const auto& first : a.cases)
    {
        for (const auto& second : b.cases)
        {
            if (!Match(first, second))
            {
                continue;
            }
            matched.insert({&first, &second});
            for (const auto& [engine, runs] : first.engines)
            {
                if (second.engines.count(engine) > 0)
                {
                    m_cases.push_back(Compare(first, second, engine));
                }
            }
        }
    }
    const auto list = [&matched](const StoredSummary& summary, std::vector<std::string>& names) {
        for (const auto& item : summary.cases)
        {
            if (matched.count(&item) == 0)
            {
                names.push_back(NameOf(item));
            }
        }
    };
    list(a, m_onlyInA);
    list(b, m_onlyInB);
}

const std::vector<ComparedCase>&
SummaryComparison::GetCases() const
{
    return m_cases;
}

const std::vector<std::string>&
SummaryComparison::GetOnlyInA() const
{
    return m_onlyInA;
}

const std::vector<std::string>&
SummaryComparison::GetOnlyInB() const
{
    return m_onlyInB;
}

bool
SummaryComparison::Match(const StoredCase& a, const StoredCase& b) const
{
    return a.workers == b.workers &&
           std::all_of(m_common.begin(), m_common.end(), [&](const std::string& key) {
               const auto first = a.variant.find(key);
               const auto second = b.variant.find(key);
               return (first == a.variant.end()) == (second == b.variant.end()) &&
                      (first == a.variant.end() || first->second == second->second);
           });
}

std::vector<ChangedSetting>
SummaryComparison::ListChanges() const
{
    std::set<std::string> swept = ListSweptKeys(m_a);
    swept.merge(ListSweptKeys(m_b));
    const auto isApart = [&swept](const std::string& path) {
        return path == "job.workers" || path.rfind("output.", 0) == 0 ||
               std::any_of(swept.begin(), swept.end(), [&path](const std::string& key) {
                   return path == key || path.compare(0, key.size() + 1, key + ".") == 0;
               });
    };
    std::map<std::string, ChangedSetting> changes;
    for (const auto& [key, value] : m_a.settings)
    {
        changes[key] = {key, value, ""};
    }
    for (const auto& [key, value] : m_b.settings)
    {
        changes[key].key = key;
        changes[key].b = value;
    }
    std::vector<ChangedSetting> list;
    for (const auto& [key, change] : changes)
    {
        if (change.a != change.b && !isApart(key))
        {
            list.push_back(change);
        }
    }
    return list;
}

std::string
SummaryComparison::NameVariants(const ComparedCase& item) const
{
    Variant common;
    Variant onlyA;
    Variant onlyB;
    const auto split = [this, &common](const Variant& variant, Variant& own) {
        for (const auto& entry : variant)
        {
            const bool both =
                std::find(m_common.begin(), m_common.end(), entry.first) != m_common.end();
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
SummaryComparison::FormatChanges() const
{
    const auto changes = ListChanges();
    if (changes.empty())
    {
        return "no setting differs\n";
    }
    std::string text = "settings that differ (A -> B):\n";
    for (const auto& change : changes)
    {
        const std::string line = EscapeControls("  " + change.key + ": " + ShowValue(change.a) +
                                                " -> " + ShowValue(change.b));
        text += line.size() <= LINE_WIDTH ? line + "\n" : WrapRemark(line);
    }
    return text;
}

std::string
SummaryComparison::FormatCount() const
{
    uint32_t faster = 0;
    uint32_t slower = 0;
    uint32_t least = std::numeric_limits<uint32_t>::max();
    uint32_t most = 0;
    bool paired = false;
    bool unpaired = false;
    for (const auto& item : m_cases)
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
                               m_cases.size(),
                               slower));
    text += WrapRemark(fmt::format(
        "+-: 95 % interval over replications; B against A: B / A - 1 and its 95 % interval over "
        "pairs of replications, {}{} of them; ?: may be 0. Of twenty differences that are 0, one "
        "has no ? by chance.",
        least < most ? std::to_string(least) + " to " : "",
        most));
    if (unpaired)
    {
        text += WrapRemark(std::string(paired ? "Some replications have" : "Replications have") +
                           " other seeds in A and B and are paired in their order: the same seed "
                           "would make the intervals narrower.");
    }
    return text;
}

std::string
SummaryComparison::Format(bool grey) const
{
    std::string text = WrapRemark("A: " + m_a.file + ": " + m_a.program) +
                       WrapRemark("B: " + m_b.file + ": " +
                                  (m_a.program == m_b.program ? "the same" : m_b.program)) +
                       FormatChanges();
    std::vector<std::pair<std::string, std::string>> tables; // by what was swept
    for (const auto& item : m_cases)
    {
        const std::string name = NameVariants(item);
        auto table = std::find_if(tables.begin(), tables.end(), [&name](const auto& other) {
            return other.first == name;
        });
        if (table == tables.end())
        {
            table = tables.insert(table, {name, ""});
        }
        table->second += FormatLine(item, grey);
    }
    for (const auto& [name, lines] : tables)
    {
        text += "\n" + (name.empty() ? "" : WrapRemark(name)) + FormatHead() + lines;
    }
    return text + "\n" + FormatCount() + FormatMissing("A", m_onlyInA) +
           FormatMissing("B", m_onlyInB);
}

std::string
SummaryComparison::FormatCsv() const
{
    std::string text = "variant_a,variant_b,workers,servers_a,servers_b,engine,a,a_half_width,b,"
                       "b_half_width,pairs,difference,low,high,significant\n";
    for (const auto& item : m_cases)
    {
        const Confidence a = GetThroughput(*item.a, item.engine);
        const Confidence b = GetThroughput(*item.b, item.engine);
        const RelativeDifference& difference = item.difference;
        text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                            QuoteCsv(NameOf(item.a->variant)),
                            QuoteCsv(NameOf(item.b->variant)),
                            item.a->workers,
                            item.a->servers,
                            item.b->servers,
                            QuoteCsv(item.engine),
                            Field(a.mean),
                            Field(a.halfWidth),
                            Field(b.mean),
                            Field(b.halfWidth),
                            difference.pairs,
                            Field(difference.value),
                            Field(difference.low),
                            Field(difference.high),
                            difference.IsSignificant() ? 1 : 0);
    }
    return text;
}

} // namespace dml
} // namespace ns3
