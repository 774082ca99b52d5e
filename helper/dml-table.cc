/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-table.h"

#include "dml-sync-report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace ns3
{
namespace dml
{

namespace
{

constexpr size_t LINE_WIDTH = 80;    //!< columns of a terminal
constexpr size_t WORKERS_WIDTH = 4;  //!< column W
constexpr size_t ENGINE_WIDTH = 18;  //!< a space, mean (7), " +- " (4), half-width (6)
constexpr size_t ERROR_WIDTH = 8;    //!< difference in per cent
constexpr size_t CYNTHIA_WIDTH = 10; //!< Cynthia
constexpr size_t LIN_WIDTH = 12;     //!< Lin et al.
constexpr size_t LINK_WIDTH = 10;    //!< utilisations in per cent
static_assert(WORKERS_WIDTH + 2 * ENGINE_WIDTH + ERROR_WIDTH + CYNTHIA_WIDTH + LIN_WIDTH +
                      LINK_WIDTH ==
                  LINE_WIDTH,
              "the table must fill a terminal's line");

/// @param text a cell; @param width of its column; @return it, flush right
std::string
Right(const std::string& text, size_t width)
{
    return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

/// @param value magnitude; @return decimals that give it four significant digits
int
GetDecimals(double value)
{
    if (!(value > 0))
    {
        return 0;
    }
    const int decimals = 3 - static_cast<int>(std::floor(std::log10(value)));
    return decimals < 0 ? 0 : decimals > 4 ? 4 : decimals;
}

/// @param value number; @param decimals after the point; @return text
std::string
Fixed(double value, int decimals)
{
    char text[64];
    std::snprintf(text, sizeof(text), "%.*f", decimals, value);
    return text;
}

/// @param engine an engine's runs, or nothing; @return "mean +- half-width"
std::string
FormatEngine(const std::optional<EngineSummary>& engine)
{
    if (!engine)
    {
        return "-";
    }
    const Confidence throughput = engine->GetThroughput();
    if (!throughput.mean)
    {
        return "undefined";
    }
    const double mean = *throughput.mean;
    std::string halfWidth = "-";
    if (throughput.halfWidth)
    {
        // The interval with the decimals of the mean, unless either is too long for that.
        halfWidth = Fixed(*throughput.halfWidth, GetDecimals(mean));
        if (halfWidth.size() > 6 || mean >= 1e7)
        {
            char text[32];
            std::snprintf(text, sizeof(text), "%.0e", *throughput.halfWidth);
            halfWidth = text;
        }
    }
    return Right(FormatValue(mean), 7) + " +- " + Right(halfWidth, 6);
}

/// @param value a prediction, or nothing; @return it as text
std::string
FormatOptional(const std::optional<double>& value)
{
    return value ? FormatValue(*value) : "-";
}

/// @param item a configuration; @return the utilisations of its links, such as "98/97"
std::string
FormatLinks(const CaseSummary& item)
{
    const auto& engine = item.packet ? item.packet : item.fairShare;
    if (!engine)
    {
        return "-";
    }
    std::string text;
    for (const auto direction : {Direction::DOWNLINK, Direction::UPLINK})
    {
        const auto value = engine->GetUtilisation(direction);
        text += (text.empty() ? "" : "/") + (value ? Fixed(100 * *value, 0) : "-");
    }
    return text;
}

/// @param item a configuration; @return its line
std::string
FormatCase(const CaseSummary& item)
{
    const Confidence error = item.GetRelativeError();
    std::string difference = "-";
    if (error.mean)
    {
        char text[32];
        std::snprintf(text, sizeof(text), "%+.1f", 100 * *error.mean);
        difference = text;
    }
    return Right(std::to_string(item.workers), WORKERS_WIDTH) +
           Right(FormatEngine(item.fairShare), ENGINE_WIDTH) +
           Right(FormatEngine(item.packet), ENGINE_WIDTH) + Right(difference, ERROR_WIDTH) +
           Right(FormatOptional(item.cynthia), CYNTHIA_WIDTH) +
           Right(FormatOptional(item.lin), LIN_WIDTH) + Right(FormatLinks(item), LINK_WIDTH) +
           "\n";
}

/// @return the two lines above the numbers and the rule below them
std::string
FormatHead()
{
    const auto line = [](const std::string& workers,
                         const std::string& fairShare,
                         const std::string& packet,
                         const std::string& error,
                         const std::string& cynthia,
                         const std::string& lin,
                         const std::string& link) {
        return Right(workers, WORKERS_WIDTH) + Right(fairShare, ENGINE_WIDTH) +
               Right(packet, ENGINE_WIDTH) + Right(error, ERROR_WIDTH) +
               Right(cynthia, CYNTHIA_WIDTH) + Right(lin, LIN_WIDTH) + Right(link, LINK_WIDTH) +
               "\n";
    };
    return line("", "fair-share", "packet", "diff", "Cynthia", "Lin et al.", "PS link") +
           line("W", "samples/s", "samples/s", "%", "samples/s", "samples/s", "dn/up %") +
           std::string(LINE_WIDTH, '-') + "\n";
}

/// @param text a remark; @return it in lines of at most LINE_WIDTH, the later ones indented
std::string
Wrap(const std::string& text)
{
    std::string result;
    std::string line;
    size_t at = 0;
    while (at < text.size())
    {
        const size_t end = std::min(text.find(' ', at), text.size());
        const std::string word = text.substr(at, end - at);
        if (!line.empty() && line.size() + 1 + word.size() > LINE_WIDTH)
        {
            result += line + "\n";
            line = "  " + word;
        }
        else
        {
            line += (line.empty() ? "" : " ") + word;
        }
        at = end + 1;
    }
    return result + line + "\n";
}

/// @param engine all its replications; @return what crashes of workers cost, or nothing
std::string
FormatCrashes(const EngineSummary& engine)
{
    std::size_t crashes = 0;
    std::size_t back = 0;
    double lost = 0;
    for (const auto& run : engine.replications)
    {
        crashes += run.crashes.size();
        for (const auto& crash : run.crashes)
        {
            back += crash.back != UNKNOWN_TIME ? 1 : 0;
            lost += crash.lost;
        }
    }
    return crashes == 0 ? ""
                        : "crashes of workers: " + std::to_string(crashes) + ", of which " +
                              std::to_string(back) + " came back; " + FormatValue(lost) +
                              " s of steps lost";
}

/// @param item a configuration; @return remarks on replications without a throughput, and crashes
std::string
FormatRemarks(const CaseSummary& item)
{
    std::string result;
    for (const auto& [name, engine] : {std::make_pair(FAIR_SHARE_ENGINE, &item.fairShare),
                                       std::make_pair(PACKET_ENGINE, &item.packet)})
    {
        if (!*engine)
        {
            continue;
        }
        const std::string remark = (*engine)->GetThroughput().GetRemark();
        for (const auto& run : (*engine)->replications)
        {
            if (!remark.empty() && !run.throughput.samplesPerSecond)
            {
                result += Wrap("W=" + std::to_string(item.workers) + ", " + name + ": " + remark +
                               " (first: " + run.throughput.reason + ")");
                break;
            }
        }
        const std::string crashes = FormatCrashes(**engine);
        if (!crashes.empty())
        {
            result += Wrap("W=" + std::to_string(item.workers) + ", " + name + ": " + crashes);
        }
    }
    return result;
}

} // namespace

std::string
FormatValue(double value)
{
    if (std::abs(value) >= 1e7)
    {
        char text[32];
        std::snprintf(text, sizeof(text), "%.1e", value);
        return text;
    }
    return Fixed(value, GetDecimals(std::abs(value)));
}

std::string
FormatTable(const RunSummary& summary)
{
    std::string result;
    std::string remarks;
    SyncTable sync;
    std::string variant;
    for (size_t i = 0; i < summary.cases.size(); ++i)
    {
        const CaseSummary& item = summary.cases[i];
        const std::string name = item.GetVariantName();
        if (i == 0 || name != variant)
        {
            variant = name;
            result += remarks + sync.Format() + (i > 0 ? "\n" : "");
            remarks.clear();
            sync = SyncTable();
            result += Wrap(summary.name + ": " + item.model + ", batch " +
                           std::to_string(item.batch) + ", " +
                           std::to_string(item.parameterServers) + " PS" +
                           (name.empty() ? "" : ", " + name)) +
                      FormatHead();
        }
        result += FormatCase(item);
        remarks += FormatRemarks(item);
        sync.Add(item);
    }
    result += remarks + sync.Format();
    for (const auto& note : summary.notes)
    {
        result += Wrap(note);
    }
    return result;
}

} // namespace dml
} // namespace ns3
