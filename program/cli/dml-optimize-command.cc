/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-commands.h"
#include "dml-optimizer.h"
#include "dml-output-file.h"

#include "ns3/dml-confidence.h"
#include "ns3/dml-error.h"
#include "ns3/dml-own-json.h"
#include "ns3/dml-paragraph.h"
#include "ns3/dml-plugin-file.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-profile-writer.h"
#include "ns3/dml-sample-spread.h"
#include "ns3/dml-scratch-study.h"
#include "ns3/dml-strategy-passes.h"
#include "ns3/dml-study-words.h"
#include "ns3/dml-value-text.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fmt/core.h>
#include <iostream>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

/// @param tried strategies @param best the one that is chosen @param now throughput of the scenario
/// as it is
/// @return a table of the defaults and the best ones; of equals the chosen one comes first
std::string
FormatStrategies(std::vector<TriedStrategy> tried, const Strategy& best, std::optional<double> now)
{
    constexpr std::size_t MOST_LINES = 12;
    std::stable_sort(tried.begin(), tried.end(), [&best](const auto& a, const auto& b) {
        const bool aChosen = a.strategy.name == best.name;
        const bool bChosen = b.strategy.name == best.name;
        return std::make_pair(aChosen, a.score.value_or(0)) >
               std::make_pair(bChosen, b.score.value_or(0));
    });
    const bool memory = tried.front().strategy.peak > 0;
    std::string text = "  strategy                         samples/s   as it is";
    text += memory ? "     peak MB\n" : "\n";
    std::size_t lines = 0;
    for (const auto& one : tried)
    {
        const bool shown = one.strategy.isDefault || lines < MOST_LINES;
        if (!shown)
        {
            continue;
        }
        ++lines;
        text += fmt::format(
            "  {:<32} {:>9}   {}{}{}\n",
            one.strategy.name,
            one.score ? FormatValue(*one.score).c_str() : "refused",
            one.score && now ? fmt::format("{:>+7.2f} %", 100 * (*one.score / *now - 1)).c_str()
                             : "",
            one.strategy.isDefault ? "   default" : "",
            memory ? fmt::format("{:>12.1f}", one.strategy.peak / 1e6).c_str() : "");
    }
    return text;
}

/// @param tried strategies @return how much the best one of all gives more than the best that was
/// not found by trying all; nothing if not all were tried
std::string
DescribeGap(const std::vector<TriedStrategy>& tried)
{
    double all = 0;
    double found = 0;
    for (const auto& one : tried)
    {
        const bool exhaustive = one.strategy.name.rfind("exhaustive", 0) == 0;
        double& best = exhaustive ? all : found;
        best = std::max(best, one.score.value_or(0));
    }
    return all > 0 && found > 0 ? fmt::format("of all groups of neighbours, the best one gives "
                                              "{:+.2f} % against the best of\n"
                                              "the other passes\n",
                                              100 * (all / found - 1))
                                : "";
}

/// @param timeline of gradients @return when they are ready, and how long reducing them takes
std::string
DescribeTimeline(const GradientTimeline& timeline)
{
    const std::string rate = timeline.secondsPerByte > 0
                                 ? " + B / " + FormatValue(1e-6 / timeline.secondsPerByte) + " MB/s"
                                 : "";
    return Plural(timeline.gradients.size(), "gradient") + ", the last one ready after " +
           FormatValue(timeline.gradients.back().ready) + " s\nreducing B bytes takes " +
           FormatValue(1e3 * timeline.latency) + " ms" + rate + ", within " +
           fmt::format("{:.1f}", 100 * timeline.error) + " % of the longest\n\n";
}

/// @param settings of a scenario, "key.path=value" @return the same as a part of it
std::string
WriteSettings(const std::vector<std::string>& settings)
{
    std::map<std::string, std::string> maps; // by the first part of their keys
    for (const auto& setting : settings)
    {
        const std::size_t dot = setting.find('.');
        const std::size_t equals = setting.find('=');
        maps[setting.substr(0, dot)] += "  " + setting.substr(dot + 1, equals - dot - 1) + ": " +
                                        setting.substr(equals + 1) + "\n";
    }
    std::string text;
    for (const auto& [key, lines] : maps)
    {
        text += key + ":\n" + lines;
    }
    return text;
}

/// @return the fastest one; of equals the one that was proposed first, as the simpler one
/// @throws InputError if none could be run
const TriedStrategy&
FindBest(const std::vector<TriedStrategy>& tried,
         const Optimizer& optimizer,
         const std::string& path)
{
    constexpr double NO_GAIN = 1e-9; // relative
    const TriedStrategy* best = &tried.front();
    for (const auto& one : tried)
    {
        best = one.score.value_or(0) > best->score.value_or(0) * (1 + NO_GAIN) ? &one : best;
    }
    if (!best->score)
    {
        throw InputError(path + ": takes none of the strategies: " + optimizer.GetRefusal());
    }
    return *best;
}

/// Choose how a worker trains in the memory that there is: as dPRO does, before everything else.
void
FitMemory(Optimizer& optimizer, const CommandOptions& options)
{
    SearchTask task;
    task.memory = optimizer.AskMemory();
    const uint64_t plain = task.memory->TryPlain().forecast.timeline.GetPeakBytes();
    std::cout << "a worker's peak: " << fmt::format("{:.1f}", plain / 1e6) << " MB; there are "
              << fmt::format("{:.1f}", options.memory / 1e6) << " MB\n";
    if (plain <= options.memory)
    {
        std::cout << "\n";
        return;
    }
    std::vector<TriedStrategy> tried;
    std::optional<Strategy> least;
    for (const auto& strategy : ProposeStrategies(task, StrategyUse::MEMORY))
    {
        least = !least || strategy.peak < least->peak ? strategy : *least;
        if (strategy.peak <= options.memory)
        {
            optimizer.SetMemoryStrategy(strategy);
            tried.push_back({strategy, optimizer.Try(nullptr)});
        }
    }
    optimizer.SetMemoryStrategy(std::nullopt);
    std::string note;
    AppendParagraph(note, "", task.note);
    std::cout << note;
    if (tried.empty())
    {
        throw InputError(
            "--memory: found " + FormatValue(options.memory / 1e6) +
            fmt::format(" MB; accepted: at least {:.1f} MB",
                        std::ceil((least ? least->peak : plain) / 1e5) / 10) +
            (least ? ", with which '" + least->name + "' fits" : ", as nothing takes less"));
    }
    const Strategy& best = FindBest(tried, optimizer, options.operands[1]).strategy;
    std::cout << FormatStrategies(tried, best, optimizer.Try(nullptr));
    optimizer.SetMemoryStrategy(best);
    std::cout << "with " << best.name << ":\n\n";
}

/// Print how much more throughput a strategy gives than another one.
void
PrintGain(Optimizer& optimizer,
          const Strategy& best,
          const Strategy* other,
          const EngineInfo& engine)
{
    std::string text;
    try
    {
        const RelativeDifference gain =
            EstimateDifference(PairReplications(optimizer.Confirm(&best, engine.kind),
                                                optimizer.Confirm(other, engine.kind)));
        text = PercentText(gain, 2, " %") + (gain.low && !gain.IsSignificant() ? " ?" : "");
    }
    catch (const InputError& error)
    {
        text = std::string("refused: ") + error.what();
    }
    std::cout << fmt::format("  against {:<26} {:<10}  {}\n",
                             other ? other->name.c_str() : "the scenario as it is",
                             engine.name,
                             text);
}

/// Print what the best strategy gains over the defaults and over the scenario as it is.
void
PrintGains(Optimizer& optimizer,
           const Strategy& best,
           const std::vector<TriedStrategy>& tried,
           const std::string& check)
{
    std::cout << "with other seeds, in throughput (95 %; of fewer than 4 pairs least..greatest):\n";
    for (const auto& other : tried)
    {
        if (other.strategy.isDefault && other.score)
        {
            PrintGain(optimizer, best, &other.strategy, GetEngine(optimizer.GetEngineKind()));
        }
    }
    for (const auto& engine : GetEngines())
    {
        if (engine.kind == optimizer.GetEngineKind() ||
            check == (engine.Has(EngineTrait::RUNS_IN_REAL_TIME) ? "host" : "all"))
        {
            PrintGain(optimizer, best, nullptr, engine);
        }
    }
}

/// @param strategy path of its file @return where its profile goes, if it has one of its own
std::filesystem::path
GetProfilePath(const std::string& strategy)
{
    return std::filesystem::path(strategy).replace_extension(".profile.yaml");
}

/// @throws InputError if the profile of a strategy would replace that of the job
void
CheckProfilePath(const CommandOptions& options, const std::string& profile)
{
    std::error_code ignored;
    if (!options.out.empty() &&
        std::filesystem::equivalent(GetProfilePath(options.out), profile, ignored))
    {
        throw InputError("-o " + options.out + ": its profile would be " +
                         GetProfilePath(options.out).string() +
                         ", which is that of the job; accepted: another name");
    }
}

/// Tell how a scenario has a strategy, and a framework, if it can.
void
WriteStrategy(const Optimizer& optimizer, const Strategy& strategy, const std::string& path)
{
    constexpr std::size_t MOST_PRINTED = 400;
    for (const Strategy* one :
         {optimizer.GetMemoryStrategy() ? &*optimizer.GetMemoryStrategy() : nullptr, &strategy})
    {
        if (one && !one->configuration.empty())
        {
            std::cout << "\n  " << one->configuration << "\n";
        }
    }
    auto settings = strategy.settings;
    if (optimizer.Rewrites(&strategy))
    {
        const auto rewritten = GetProfilePath(path.empty() ? "strategy.yaml" : path);
        settings.push_back("job.profile=" + WriteAsciiJson(rewritten.filename().string()));
        if (!path.empty())
        {
            WriteOutput(rewritten.string(), FormatProfile(optimizer.Rewrite(&strategy)));
            std::cout << "\nits profile: " << rewritten.string();
        }
    }
    const char* left = optimizer.Rewrites(&strategy) ? "writes it and its profile" : "writes it";
    const std::string yaml = WriteSettings(settings);
    if (!path.empty())
    {
        WriteOutput(path, yaml);
        std::cout << "\nfor a scenario: " << path << "\n";
        return;
    }
    std::cout << "\nfor a scenario (-o FILE " << left << "):\n"
              << (yaml.size() > MOST_PRINTED ? yaml.substr(0, MOST_PRINTED) + "...\n" : yaml);
}

} // namespace

int
RunOptimize(const CommandOptions& options)
{
    const EngineKind engine = ChooseOneEngine(options);
    LoadPlugins(options.plugins);
    const auto start = std::chrono::steady_clock::now();
    Optimizer optimizer(options, engine);
    CheckProfilePath(options, optimizer.Read(nullptr).job.profile);
    CheckReplaceable(options.out, options.force);
    if (!options.out.empty() && (options.IsGiven("fused") || options.IsGiven("memory")))
    {
        CheckReplaceable(GetProfilePath(options.out).string(), options.force);
    }
    if (options.IsGiven("memory"))
    {
        FitMemory(optimizer, options);
    }
    else if (options.IsGiven("optimizer"))
    {
        throw InputError("found --optimizer without --memory; accepted: both");
    }
    SearchTask task = optimizer.Measure();
    if (task.servers == 0)
    {
        std::cout << DescribeTimeline(task.timeline);
    }
    else if (options.IsGiven("fused") || options.IsGiven("without"))
    {
        throw InputError(options.operands[1] +
                         ": has parameter servers; accepted with --fused and --without: "
                         "job.protocol: all-reduce");
    }
    const StrategyUse use = task.servers > 0 ? StrategyUse::SERVERS : StrategyUse::ALL_REDUCE;
    const auto tried = optimizer.TryAll(ProposeStrategies(task, use));
    const auto now = optimizer.Try(nullptr);
    const Strategy& best = FindBest(tried, optimizer, options.operands[1]).strategy;
    std::cout << FormatStrategies(tried, best, now);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::cout << "\n"
              << tried.size() << " strategies tried in " << FormatValue(seconds)
              << " s; best: " << best.name << "\n";
    std::string note = DescribeGap(tried);
    AppendParagraph(note, "", task.note);
    const std::string spread =
        DescribeSpread(optimizer.Rewrite(nullptr), optimizer.Read(nullptr).job.sampling.lists);
    if (!spread.empty())
    {
        AppendParagraph(note, "warning: ", spread);
    }
    std::cout << note;
    if (options.check != "none")
    {
        PrintGains(optimizer, best, tried, options.check);
    }
    WriteStrategy(optimizer, best, options.out);
    return 0;
}

} // namespace ns3::dml
