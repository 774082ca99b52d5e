/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-table.h"

#include "dml-match-table.h"
#include "dml-run-finding.h"
#include "dml-sync-report.h"
#include "dml-table-cells.h"

#include "ns3/dml-value-text.h"

#include <algorithm>
#include <fmt/core.h>
#include <limits>
#include <map>
#include <set>
#include <vector>

namespace ns3::dml
{

namespace
{

constexpr size_t WORKERS_WIDTH = 4;  //!< column W
constexpr size_t BASELINE_WIDTH = 8; //!< Cynthia, Lin et al.
constexpr size_t LINK_WIDTH = 8;     //!< utilisations in per cent
static_assert(WORKERS_WIDTH + 2 * INTERVAL_WIDTH + DIFFERENCE_WIDTH + 2 * BASELINE_WIDTH +
                      LINK_WIDTH ==
                  LINE_WIDTH,
              "the table of the default engines must fill a terminal's line");

/// @param engine an engine's runs, or null; @return FormatInterval() of its throughput,
/// with a mark before it if TCP collapsed
std::string
FormatEngine(const EngineSummary* engine)
{
    if (!engine)
    {
        return "-";
    }
    std::string cell = Right(FormatInterval(engine->GetThroughput()), INTERVAL_WIDTH);
    if (engine->CountCollapses() > 0)
    {
        const std::size_t first = cell.find_first_not_of(' ');
        cell.replace(first > 0 ? first - 1 : 0, first > 0 ? 1 : 0, "!");
    }
    return cell;
}

/// @param value a prediction, or nothing; @return it as text
std::string
FormatOptional(const std::optional<double>& value)
{
    return value ? FormatValue(*value) : "-";
}

/// @param item a configuration; @return the utilisations of its links, such as "98/97", in the last
/// engine that ran, which leaves least out
std::string
FormatLinks(const CaseSummary& item)
{
    if (item.engines.empty())
    {
        return "-";
    }
    const EngineSummary& engine = item.engines.rbegin()->second;
    std::string text;
    for (const auto direction : {Direction::DOWNLINK, Direction::UPLINK})
    {
        const auto value = engine.GetUtilisation(direction);
        text += (text.empty() ? "" : "/") + (value ? FormatFixed(100 * *value, 0) : "-");
    }
    return text;
}

/// @param item a configuration; @param comparison two engines; @param grey whether to grey what may
/// be 0; @return their difference
std::string
FormatDifference(const CaseSummary& item, const EngineComparison& comparison, bool grey)
{
    return FormatDifference(item.GetDifference(comparison), grey);
}

/// @return a line of the table: cells of the columns from left to right
std::string
FormatLine(const std::string& workers,
           const std::vector<std::string>& engines,
           const std::string& difference,
           const std::string& cynthia,
           const std::string& lin,
           const std::string& link)
{
    std::string line = Right(workers, WORKERS_WIDTH);
    for (const auto& engine : engines)
    {
        line += Right(engine, INTERVAL_WIDTH);
    }
    // more engines than two have a table of their differences, and four fill the line
    line += engines.size() <= 2 ? Right(difference, DIFFERENCE_WIDTH) : "";
    line += engines.size() <= 3 ? Right(cynthia, BASELINE_WIDTH) + Right(lin, BASELINE_WIDTH) : "";
    return line + Right(link, LINK_WIDTH) + "\n";
}

/// @param item a configuration; @param shown engines with a column; @param grey as above;
/// @return its line
std::string
FormatCase(const CaseSummary& item, const EngineSet& shown, bool grey)
{
    std::vector<std::string> engines;
    for (const EngineKind kind : shown)
    {
        engines.push_back(FormatEngine(item.FindEngine(kind)));
    }
    return FormatLine(std::to_string(item.workers),
                      engines,
                      FormatDifference(item, MAIN_COMPARISON, grey),
                      FormatOptional(item.cynthia),
                      FormatOptional(item.lin),
                      FormatLinks(item));
}

/// @param shown engines with a column; @return the two lines above the numbers and the rule below
/// them
std::string
FormatHead(const EngineSet& shown)
{
    std::vector<std::string> names;
    for (const EngineKind kind : shown)
    {
        names.push_back(GetEngineName(kind));
    }
    const std::vector<std::string> units(names.size(), "samples/s");
    const std::string second = FormatLine("W", units, "% (interval) ", "", "et al.", "dn/up %");
    return FormatLine("", names, "diff ", "Cynthia", "Lin", "PS link") + second +
           std::string(second.size() - 1, '-') + "\n";
}

/// Least and most of some counts; those that are 0 do not matter.
class Range
{
  public:
    void Add(uint32_t count)
    {
        m_least = count > 0 ? std::min(m_least, count) : m_least;
        m_most = std::max(m_most, count);
        m_counts.insert(count);
    }

    /// @return whether one of them is in [least, end)
    bool HasAny(uint32_t least, uint32_t end) const
    {
        const auto found = m_counts.lower_bound(least);
        return found != m_counts.end() && *found < end;
    }

    /// @return the smallest one that is not 0
    uint32_t GetLeast() const
    {
        return m_least;
    }

    /// @return the largest one, 0 without any
    uint32_t GetMost() const
    {
        return m_most;
    }

    /// @return such as "5" or "2 to 5"
    std::string Format() const
    {
        return (m_least < m_most ? std::to_string(m_least) + " to " : "") + std::to_string(m_most);
    }

  private:
    uint32_t m_least{std::numeric_limits<uint32_t>::max()};
    uint32_t m_most{0};
    std::set<uint32_t> m_counts; //!< all of them
};

/// Errors of engines against the one that is nearest to reality.
class ErrorTable
{
  public:
    void Add(const CaseSummary& item, bool grey)
    {
        const auto comparisons = ListFurtherComparisons(item.GetEngines());
        if (comparisons.empty())
        {
            return;
        }
        if (m_text.empty())
        {
            m_text = Right("W", WORKERS_WIDTH);
            for (const auto& comparison : comparisons)
            {
                m_text += Right(GetEngineName(comparison.what) + " ", DIFFERENCE_WIDTH);
            }
            m_text = "errors against " + GetEngineName(comparisons.front().against) +
                     ", % (interval):\n" + m_text + "\n";
        }
        m_text += Right(std::to_string(item.workers), WORKERS_WIDTH);
        for (const auto& comparison : comparisons)
        {
            m_text += FormatDifference(item, comparison, grey);
        }
        m_text += "\n";
    }

    /// @return the table; nothing if there is no such engine
    const std::string& Format() const
    {
        return m_text;
    }

  private:
    std::string m_text; //!< lines so far
};

/// @return what the numbers of the table mean, and on how many replications they stand
std::string
FormatLegend(const std::vector<CaseSummary>& cases)
{
    std::map<EngineKind, Range> engines;
    Range pairs;
    std::string errors;
    bool further = false;
    for (const auto& item : cases)
    {
        for (const auto& [kind, engine] : item.engines)
        {
            engines[kind].Add(engine.GetThroughput().count);
        }
        const auto others = ListFurtherComparisons(item.GetEngines());
        const RelativeDifference difference =
            item.GetDifference(others.empty() ? MAIN_COMPARISON : others.front());
        pairs.Add(difference.pairs);
        further = further || difference.further > 0;
        errors = others.empty() ? errors
                                : "errors: an engine / " + GetEngineName(others.front().against);
    }
    std::string counts;
    bool single = false;
    bool few = pairs.HasAny(2, LEAST_FOR_INTERVAL);
    for (const auto& [kind, range] : engines)
    {
        if (range.GetMost() > 0)
        {
            counts +=
                (counts.empty() ? "" : ", ") + range.Format() + " (" + GetEngineName(kind) + ")";
            single = single || range.GetLeast() < 2;
            few = few || range.HasAny(2, LEAST_FOR_INTERVAL);
        }
    }
    const std::string one = "; one replication gives none";
    std::string legend;
    if (!counts.empty())
    {
        legend = WrapRemark("+-: 95 % interval over replications: " + counts + (single ? one : ""));
    }
    if (pairs.GetMost() > 0)
    {
        const std::string two = !errors.empty()
                                    ? errors
                                    : "diff: " + GetEngineName(MAIN_COMPARISON.what) + " / " +
                                          GetEngineName(MAIN_COMPARISON.against);
        legend += WrapRemark(
            two + " - 1 and its 95 % interval over the replications that both engines ran: " +
            pairs.Format() +
            (further ? ", with the others of the engine that ran more by regression" : "") +
            "; ?: may be 0" + (pairs.GetLeast() < 2 ? one : ""));
    }
    if (few)
    {
        legend +=
            WrapRemark(fmt::format("a..b: of fewer than {} replications, which give no interval, "
                                   "the least and the greatest; none is certain",
                                   LEAST_FOR_INTERVAL));
    }
    return legend;
}

/// @return what was not as the scenario says in runs on this machine, each once
std::string
FormatHostNotes(const std::vector<CaseSummary>& cases)
{
    std::set<std::string> known;
    std::string text;
    for (const auto& item : cases)
    {
        const EngineSummary* engine = item.FindEngine(EngineKind::HOST);
        for (std::size_t i = 0; engine && i < engine->replications.size(); ++i)
        {
            const auto& host = engine->replications[i].host;
            for (const auto& note : host ? host->notes : std::vector<std::string>())
            {
                text += known.insert(note).second ? WrapRemark("host: " + note) : "";
            }
        }
    }
    return text;
}

/// @param engine all its replications; @return what crashes of workers cost, or nothing
std::string
FormatCrashes(const EngineSummary& engine)
{
    std::size_t crashes = 0;
    std::size_t back = 0;
    std::size_t ended = 0;
    std::size_t servers = 0;
    uint64_t steps = 0;
    double lost = 0;
    for (const auto& run : engine.replications)
    {
        for (const auto& loss : run.serverLosses)
        {
            ++servers;
            steps += loss.steps;
        }
        for (const auto& crash : run.crashes)
        {
            ended += crash.ended ? 1 : 0;
            crashes += crash.ended ? 0 : 1;
            back += !crash.ended && crash.back != UNKNOWN_TIME ? 1 : 0;
            lost += crash.lost;
        }
    }
    if (crashes == 0 && servers == 0)
    {
        return "";
    }
    return (servers > 0 ? "crashes of servers: " + std::to_string(servers) + "; " +
                              std::to_string(steps) + " steps since the last checkpoints lost; "
                        : "") +
           (crashes > 0 ? "crashes of workers: " + std::to_string(crashes) + ", of which " +
                              std::to_string(back) + " came back; "
                        : "") +
           (ended > 0 ? "others ended: " + std::to_string(ended) + "; " : "") + FormatValue(lost) +
           " s of steps lost";
}

/// @param item a configuration; @return remarks on replications without a throughput, and crashes
std::string
FormatRemarks(const CaseSummary& item)
{
    std::string result;
    for (const auto& [kind, engine] : item.engines)
    {
        const std::string begin =
            "W=" + std::to_string(item.workers) + ", " + GetEngineName(kind) + ": ";
        const std::string remark = engine.GetThroughput().GetRemark();
        for (const auto& run : engine.replications)
        {
            if (!remark.empty() && !run.throughput.samplesPerSecond)
            {
                result += WrapRemark(begin + remark + " (first: " + run.throughput.reason + ")");
                break;
            }
        }
        const std::string crashes = FormatCrashes(engine);
        if (!crashes.empty())
        {
            result += WrapRemark(begin + crashes);
        }
    }
    return result;
}

} // namespace

std::string
FormatTable(const RunSummary& summary, bool grey)
{
    return FormatTable(summary, grey, SummarizeSweep(summary));
}

std::string
FormatTable(const RunSummary& summary, bool grey, const SweepSummary& sweep)
{
    std::string result;
    std::string remarks;
    ErrorTable errors;
    std::vector<const CaseSummary*> matched;
    SyncTable sync;
    const EngineSet shown = summary.GetShownEngines();
    std::string variant;
    for (size_t i = 0; i < summary.cases.size(); ++i)
    {
        const CaseSummary& item = summary.cases[i];
        const std::string name = item.GetVariantName();
        if (i == 0 || name != variant)
        {
            variant = name;
            result += errors.Format() + FormatMatches(matched) + remarks + sync.Format() +
                      (i > 0 ? "\n" : "");
            remarks.clear();
            errors = ErrorTable();
            matched.clear();
            sync = SyncTable();
            result += WrapRemark(summary.name + ": " + item.model + ", batch " +
                                 std::to_string(item.batch) + ", " +
                                 FormatServers(item.parameterServers) +
                                 (name.empty() ? "" : ", " + name)) +
                      FormatHead(shown);
        }
        result += FormatCase(item, shown, grey);
        errors.Add(item, grey);
        matched.push_back(&item);
        remarks += FormatRemarks(item);
        sync.Add(item);
    }
    result += errors.Format() + FormatMatches(matched);
    result += sweep.variants.empty() ? "" : "\n" + FormatSweep(sweep);
    result += FormatLegend(summary.cases) + ExplainMissing(result) +
              FormatHostNotes(summary.cases) + remarks + sync.Format();
    for (const auto& note : summary.notes)
    {
        result += WrapRemark(note);
    }
    return result;
}

} // namespace ns3::dml
