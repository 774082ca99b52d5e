/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-html-report.h"

#include "dml-study-answer.h"

#include "ns3/dml-engine-table.h"
#include "ns3/dml-input-file.h"
#include "ns3/dml-match-table.h"
#include "ns3/dml-sweep-summary.h"
#include "ns3/dml-table-cells.h"
#include "ns3/dml-terminal-text.h"
#include "ns3/dml-value-text.h"
#include "ns3/dml-variant-choice.h"

#include <boost/archive/iterators/base64_from_binary.hpp>
#include <boost/archive/iterators/transform_width.hpp>
#include <fmt/core.h>

namespace ns3::dml
{

namespace
{

// clang-format off
constexpr std::string_view STYLE =
#include "style.css.txt"
;
constexpr std::string_view ZOOM =
#include "zoom.js.txt"
;

// clang-format on

/// What follows the answer of a study.
constexpr std::string_view ANSWER_END = "</div>\n<h2>Throughput</h2>\n";
/// Both ends of the sentence about a certificate, which is the last one of the answer.
constexpr std::string_view CHECKED_START = "<p class=\"checked\">";
constexpr std::string_view CHECKED_END = "</p>\n";

std::string
EscapeHtml(const std::string& text)
{
    std::string escaped;
    for (const char c : EscapeControls(text, "\n"))
    {
        switch (c)
        {
        case '&':
            escaped += "&amp;";
            break;
        case '<':
            escaped += "&lt;";
            break;
        case '>':
            escaped += "&gt;";
            break;
        case '"':
            escaped += "&quot;";
            break;
        default:
            escaped += c;
        }
    }
    return escaped;
}

std::string
Cell(const std::string& text, const char* kind = "td")
{
    return fmt::format("<{0}>{1}</{0}>", kind, text);
}

/// @return mean and half-width, of too few values the least and the greatest, or a dash
std::string
ShowInterval(const Confidence& value)
{
    if (!value.mean)
    {
        return "&ndash;";
    }
    const std::string mean = FormatValue(*value.mean);
    return value.halfWidth ? mean + " &plusmn; " + FormatValue(*value.halfWidth)
           : value.IsRange()
               ? mean + " (" + FormatValue(*value.least) + ".." + FormatValue(*value.greatest) + ")"
               : mean;
}

std::string
ShowDifference(const RelativeDifference& difference)
{
    if (!difference.value)
    {
        return Cell("&ndash;");
    }
    std::string text = fmt::format("{:+.1f} %", 100 * *difference.value);
    if (difference.low)
    {
        text += fmt::format(" ({:+.1f}{}{:+.1f})",
                            100 * *difference.low,
                            difference.HasInterval() ? " to " : "..",
                            100 * *difference.high);
    }
    return difference.IsSignificant() ? Cell(text) : "<td class=\"maybe\">" + text + " ?</td>";
}

std::string
ShowUtilisation(const CaseSummary& item, Direction direction)
{
    const auto value = item.engines.empty()
                           ? std::nullopt
                           : item.engines.rbegin()->second.GetUtilisation(direction);
    return value ? fmt::format("{:.0f} %", 100 * *value) : "&ndash;";
}

/// @return tables of throughputs, one for each variant, whose configurations come one after the
/// other
std::string
ShowThroughputTables(const RunSummary& summary)
{
    EngineSet shown;
    for (const auto& item : summary.cases)
    {
        shown.merge(item.GetEngines());
    }
    const bool compares =
        shown.count(MAIN_COMPARISON.what) > 0 && shown.count(MAIN_COMPARISON.against) > 0;
    std::string text;
    std::string variant; // name of the table's
    for (const auto& item : summary.cases)
    {
        const std::string name = item.GetVariantName();
        const bool links = item.parameterServers > 0;
        if (text.empty() || name != variant)
        {
            text += (text.empty() ? "" : "</table></div>\n") +
                    ("<div class=\"wide\"><table><caption>" +
                     EscapeHtml(name.empty() ? FormatServers(item.parameterServers) : name)) +
                    "</caption><tr>" + Cell("W", "th");
            for (const EngineKind kind : shown)
            {
                text += Cell(GetEngineName(kind) + ", samples/s", "th");
            }
            text += (compares ? Cell("difference", "th") : "") +
                    (links ? Cell("link down", "th") + Cell("link up", "th") : "") + "</tr>\n";
            variant = name;
        }
        text += "<tr>" + Cell(std::to_string(item.workers));
        for (const EngineKind kind : shown)
        {
            const EngineSummary* engine = item.FindEngine(kind);
            const char* collapsed = engine && engine->CountCollapses() > 0 ? "! " : "";
            text += Cell(engine ? collapsed + ShowInterval(engine->GetThroughput()) : "&ndash;");
        }
        text += (compares ? ShowDifference(item.GetDifference(MAIN_COMPARISON)) : "") +
                (links ? Cell(ShowUtilisation(item, Direction::DOWNLINK)) +
                             Cell(ShowUtilisation(item, Direction::UPLINK))
                       : "") +
                "</tr>\n";
    }
    return text + (text.empty() ? "" : "</table></div>\n");
}

/// @return variants down, workers across; nothing without a sweep
std::string
ShowSweep(const SweepSummary& sweep)
{
    if (sweep.variants.empty())
    {
        return "";
    }
    std::string text = "<div class=\"wide\"><table><caption>All variants, samples/s (" +
                       GetEngineName(sweep.engine) + ")</caption><tr>" + Cell("variant", "th");
    for (const uint32_t workers : sweep.workers)
    {
        text += Cell("W = " + std::to_string(workers), "th");
    }
    text += "</tr>\n";
    for (const auto& variant : sweep.variants)
    {
        text += "<tr>" + Cell(EscapeHtml(NameVariant(variant.values)));
        for (const uint32_t workers : sweep.workers)
        {
            const auto found = variant.throughputs.find(workers);
            const char* star = variant.mayBeFastest.count(workers) > 0 ? " *" : "";
            text += Cell(found == variant.throughputs.end() ? "&ndash;"
                                                            : ShowInterval(found->second) + star);
        }
        text += "</tr>\n";
    }
    return text +
           "</table></div>\n<p class=\"soft\">*: the fastest of its column, or not distinguishable "
           "from it (" +
           CHOICE_METHOD + ").</p>\n";
}

/// @return the tables of all variants, of many ones behind a line that opens them
std::string
ShowThroughputs(const RunSummary& summary, const SweepSummary& sweep)
{
    constexpr std::size_t FEW = 3;
    const std::size_t variants = sweep.variants.size();
    const std::string tables = ShowThroughputTables(summary);
    return variants <= FEW
               ? tables
               : fmt::format(
                     "<details><summary>Each of the {} variants, with all engines</summary>\n{}"
                     "</details>\n",
                     variants,
                     tables);
}

/// @param why lines @return them; nothing without any
std::string
ShowWhy(const std::string& why)
{
    return why.empty() ? ""
                       : "<h2>What steps waited for</h2>\n<p class=\"soft\">Of the first "
                         "replication with most workers, in the first variant.</p>\n"
                         "<div class=\"wide\"><pre>" +
                             EscapeHtml(why) + "</pre></div>\n";
}

/// @return how far fair-share is from other engines' steps; nothing if none was predicted
std::string
ShowMatches(const RunSummary& summary)
{
    std::string rows;
    for (const auto& item : summary.cases)
    {
        for (const auto& [kind, engine] : item.engines)
        {
            const MatchSummary match = SummarizeMatches(engine);
            if (match.steps == 0 && match.obstacle.empty())
            {
                continue;
            }
            rows += "<tr>" + Cell(EscapeHtml(item.GetVariantName())) +
                    Cell(std::to_string(item.workers)) + Cell(GetEngineName(kind)) +
                    (match.steps == 0
                         ? "<td colspan=\"4\">not known: " + EscapeHtml(match.obstacle) + "</td>"
                         : Cell(FormatPercent(match.slower, "&plusmn;")) +
                               Cell(fmt::format("{:+.2f}", match.raw)) +
                               Cell(std::to_string(match.steps)) +
                               Cell(fmt::format("{:.1f}", match.overlap))) +
                    "</tr>\n";
            if (match.slower.count == 0 && match.steps > 0)
            {
                rows += "<tr><td colspan=\"7\">" + EscapeHtml(match.obstacle) + "</td></tr>\n";
            }
            else if (match.slower.count > 0 && match.unknown > 0)
            {
                rows +=
                    fmt::format("<tr><td colspan=\"7\">{} of {} runs are not known: {}</td></tr>\n",
                                match.unknown,
                                match.slower.count + match.unknown,
                                EscapeHtml(match.obstacle));
            }
        }
    }
    return rows.empty()
               ? ""
               : "<h2>Step by step</h2>\n<p class=\"soft\">The fair-share engine predicts each "
                 "step "
                 "of another engine from the instant at which it began: by how much all of its "
                 "links would have to be slower for them to take as long as they did, with the 95 "
                 "% "
                 "interval (a dash: too few runs and steps for one). Chaos of asynchronous "
                 "training, which the throughputs above have, is "
                 "not in it.</p>\n<div class=\"wide\"><table><tr>" +
                     Cell("variant", "th") + Cell("W", "th") + Cell("engine", "th") +
                     Cell("links % slower", "th") + Cell("raw %", "th") + Cell("steps", "th") +
                     Cell("overlap %", "th") + "</tr>\n" + rows + "</table></div>\n";
}

/// @return the notes as a list; nothing without any
std::string
ShowNotes(const std::vector<std::string>& notes)
{
    std::string items;
    for (const auto& note : notes)
    {
        items += "<li>" + EscapeHtml(note) + "</li>\n";
    }
    return items.empty() ? "" : "<h2>Notes</h2>\n<ul>\n" + items + "</ul>\n";
}

/// @return what was asked, in a sentence
std::string
DescribeQuestion(const RunSummary& summary, const SweepSummary& sweep)
{
    if (summary.cases.empty())
    {
        return "";
    }
    const CaseSummary& first = summary.cases.front();
    std::string workers;
    for (const uint32_t count : sweep.workers)
    {
        workers += (workers.empty() ? "" : ", ") + std::to_string(count);
    }
    std::string text = "How fast does " + first.model + " (batch " + std::to_string(first.batch) +
                       ") train with W = " + workers + " workers and " +
                       FormatServers(first.parameterServers);
    if (!sweep.variants.empty())
    {
        text += ", in " + std::to_string(sweep.variants.size()) + " variants";
    }
    return EscapeHtml(text + "?");
}

/// @return what the tables of throughputs have
std::string
DescribeColumns()
{
    return fmt::format(
        "<p class=\"soft\">&plusmn;: 95 % interval over replications. Difference: {} / {} "
        "&minus; 1 over the replications of both, with its 95 % interval; ?: it may be 0. Of fewer "
        "than {} replications, which give no interval: the least..the greatest. "
        "!: TCP collapsed, see the notes. Links: of the busiest server, in the last engine.</p>\n",
        GetEngineName(MAIN_COMPARISON.what),
        GetEngineName(MAIN_COMPARISON.against),
        LEAST_FOR_INTERVAL);
}

/// @return what the scenario was, defaults included
std::string
ShowSettings(const RunSummary& summary, const SweepSummary& sweep)
{
    const std::string keys =
        summary.scenario.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    return "<h2>What was assumed</h2>\n<details><summary>All keys of the scenario" +
           std::string(
               sweep.variants.empty()
                   ? ""
                   : ", as the first variant has them; names of others say what they change") +
           "</summary><pre>" + EscapeHtml(keys) + "</pre></details>\n";
}

std::string
DescribeRepetition(const RunSummary& summary)
{
    std::string engines;
    for (const auto& item : summary.cases)
    {
        for (const EngineKind kind : item.GetEngines())
        {
            const std::string& name = GetEngineName(kind);
            engines += engines.find(name) != std::string::npos
                           ? ""
                           : (engines.empty() ? "" : " and ") + name;
        }
    }
    const std::string& commit = summary.program.commit;
    return "<h2>To repeat it</h2>\n<p>This was dml " + EscapeHtml(summary.program.dml) +
           (commit.empty() ? "" : " (commit " + EscapeHtml(commit) + ")") + " with ns-3 " +
           EscapeHtml(summary.program.ns3) + ", engines: " + engines +
           ". <code>study.json</code> in the folder of the results has all that was asked, and "
           "<code>throughput.csv</code> a line for each replication. <code>dml why FOLDER "
           "--check=all</code> runs it again, to see what would shorten the steps and what makes "
           "engines differ.</p>\n";
}

/// A plot, and what it shows.
struct ReportPicture
{
    const char* name;    //!< of the file, without suffix
    const char* caption; //!< below it
};

constexpr ReportPicture PICTURES[]{
    {"sweep", "Throughput of all variants"},
    {"throughput", "Throughput over the number of workers"},
    {"utilisation", "How busy the links of servers, if there are any, are"},
    {"connections", "How many connections meet on which links, where switches choose paths"},
    {"timeline", "What the workers and links do, from the first step"},
    {"gradients", "How long gradients wait, and how long they take"},
    {"devices", "How busy the workers' devices are"},
    {"waiting", "How long workers wait for each other"},
    {"batch-sizes", "Batch sizes of the workers"},
    {"step-cdf", "How long steps take"},
    {"critical-path", "What the critical path of a step is made of"},
};

/// @return bytes in base 64 (RFC 4648), with its padding
std::string
EncodeBase64(const std::string& bytes)
{
    using namespace boost::archive::iterators;
    using Encoder = base64_from_binary<transform_width<std::string::const_iterator, 6, 8>>;
    std::string text(Encoder(bytes.begin()), Encoder(bytes.end()));
    return text.append((3 - bytes.size() % 3) % 3, '=');
}

/// @param folder of results @return HTML with the plots that are there; nothing without any
std::string
ShowPictures(const std::string& folder)
{
    std::string text;
    for (const auto& picture : PICTURES)
    {
        const std::string svg = ReadBytes(folder + "/" + picture.name + ".svg").value_or("");
        if (!svg.empty())
        {
            text += fmt::format("<figure><img alt=\"{0}\" src=\"data:image/svg+xml;base64,{1}\">"
                                "<figcaption>{0} <span class=\"soft\">({2}.svg)</span></figcaption>"
                                "</figure>\n",
                                picture.caption,
                                EncodeBase64(svg),
                                picture.name);
        }
    }
    return text.empty()
               ? ""
               : "<h2>Pictures</h2>\n<p class=\"soft\">Of several variants, what shows one "
                 "shows the first. The wheel zooms, the mouse moves, a double click puts "
                 "back.</p>\n" +
                     text;
}

} // namespace

std::string
FormatHtmlReport(const RunSummary& summary, const std::string& folder, const std::string& why)
{
    const SweepSummary sweep = SummarizeSweep(summary);
    std::string answer;
    for (const auto& sentence : AnswerStudy(summary))
    {
        answer += "<p>" + EscapeHtml(sentence) + "</p>\n";
    }
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
           EscapeHtml(summary.name) + "</title>\n<style>\n" + std::string(STYLE) +
           "</style>\n</head>\n<body>\n<h1>" + EscapeHtml(summary.name) + "</h1>\n<p>" +
           DescribeQuestion(summary, sweep) + "</p>\n<div class=\"answer\">\n" + answer +
           std::string(ANSWER_END) + ShowSweep(sweep) + ShowThroughputs(summary, sweep) +
           DescribeColumns() + ShowMatches(summary) + ShowPictures(folder) + ShowWhy(why) +
           ShowNotes(summary.notes) + ShowSettings(summary, sweep) + DescribeRepetition(summary) +
           "<script>\n" + std::string(ZOOM) + "</script>\n</body>\n</html>\n";
}

std::string
SetCheckedSentence(const std::string& page, const std::string& sentence)
{
    std::string changed = page;
    const std::size_t end = page.find(ANSWER_END);
    if (end == std::string::npos)
    {
        return page;
    }
    const std::size_t before = page.find(CHECKED_START);
    const std::size_t start = before < end ? before : end;
    return changed.replace(start,
                           end - start,
                           std::string(CHECKED_START) + EscapeHtml(sentence) +
                               std::string(CHECKED_END));
}

} // namespace ns3::dml
