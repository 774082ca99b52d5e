/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-commands.h"
#include "dml-optimize-report.h"
#include "dml-single-case.h"

#include "ns3/dml-collective-algorithms.h"
#include "ns3/dml-confidence.h"
#include "ns3/dml-error.h"
#include "ns3/dml-fusion-costs.h"
#include "ns3/dml-mean-step.h"
#include "ns3/dml-own-json.h"
#include "ns3/dml-paragraph.h"
#include "ns3/dml-plugin-file.h"
#include "ns3/dml-prepared-scenario.h"
#include "ns3/dml-profile-reader.h"
#include "ns3/dml-profile-writer.h"
#include "ns3/dml-result-file.h"
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
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ns3
{
namespace dml
{

namespace
{

/// Links between two hosts, of which the fair-share engine knows the delay of all together: those
/// of a star.
constexpr int64_t HOPS = 2;

/// @return seconds of the workers' devices over those of the profile, mean of so many workers
double
GetSlowness(const Scenario& scenario, uint32_t workers)
{
    const PreparedScenario prepared = PrepareScenario(scenario, false);
    const JobDevices& devices = prepared.GetJob().devices;
    double sum = 0;
    for (uint32_t worker = 0; worker < workers; ++worker)
    {
        const auto& model = devices.workers[worker % devices.workers.size()].model;
        sum += model ? model->GetScale(devices.batch) : 1;
    }
    return sum / workers;
}

/// Tries strategies for one scenario.
class Optimizer
{
  public:
    Optimizer(const CommandOptions& options, EngineKind engine)
        : m_options(options),
          m_engine(engine),
          m_study(CountJobs(options))
    {
    }

    /// @param strategy to be tried; nullptr: the scenario as it is @return the scenario with it
    Scenario Read(const Strategy* strategy)
    {
        auto settings = m_options.settings;
        if (strategy)
        {
            settings.insert(settings.end(), strategy->settings.begin(), strategy->settings.end());
        }
        if (Rewrites(strategy))
        {
            settings.push_back("job.profile=" + WriteProfile(strategy));
        }
        Scenario scenario = ReadSingleCase(m_options, settings);
        if (scenario.fairShare.oneWayDelay.IsZero())
        {
            // without delays no bucket would be worth its wait
            scenario.fairShare.oneWayDelay = HOPS * scenario.network.delay;
        }
        return scenario;
    }

    /// @return the engine that tries strategies
    EngineKind GetEngineKind() const
    {
        return m_engine;
    }

    /// @return what a worker's memory is asked
    std::shared_ptr<const MemoryQuestion> AskMemory()
    {
        const JobSpec job = Read(nullptr).job;
        const uint32_t batch = job.batchSize;
        return std::make_shared<MemoryQuestion>(job.profile,
                                                batch > 0 ? std::optional<uint32_t>(batch)
                                                          : std::nullopt,
                                                m_options.optimizer);
    }

    /// @param strategy for memory, with which the scenario runs from now on, or none
    void SetMemoryStrategy(const std::optional<Strategy>& strategy)
    {
        m_memory = strategy;
    }

    /// @return the strategy for memory, if there is one
    const std::optional<Strategy>& GetMemoryStrategy() const
    {
        return m_memory;
    }

    /// @return what strategies are wanted for
    SearchTask Measure()
    {
        SearchTask task;
        const Scenario scenario = Read(nullptr);
        const JobSpec& job = scenario.job;
        task.servers = job.parameterServers;
        task.hasWindows = scenario.transfer.transport == "grpc";
        if (task.servers > 0)
        {
            return task;
        }
        const Strategy separate{"", {"job.gradient_groups=off"}, ""};
        const RunTraces traces = ReadRunTraces(m_study.Record(Read(&separate), m_engine));
        const RecordedJob run = MakeRecordedJob(traces.job,
                                                traces.runs.front(),
                                                ReceiveStarts::CORRECTED,
                                                CollectiveDetail::WHOLE);
        std::vector<std::string> tensors;
        for (const auto& op : traces.job.GetOps())
        {
            tensors.push_back(op.kind == OpKind::PUSH ? op.tensor : "");
        }
        task.timeline = MakeTimeline(run, tensors);
        task.model = MakeFusionModel(MakeMeanStep(run, traces.job), tensors);
        task.algorithm = CollectiveAlgorithms().Create<CollectiveAlgorithm>(
            {job.allReduce.algorithm, job.allReduce.algorithmAttributes});
        task.shortcuts = ReadShortcuts(m_options.without);
        task.scale = job.scale;
        task.slowness = GetSlowness(scenario, task.model.workers);
        if (m_options.IsGiven("fused"))
        {
            task.note = SetSavings(m_options.fused, task.scale, task.model);
            task.note += task.note.empty() ? "" : "; ";
        }
        return task;
    }

    /// @param strategy to be tried; nullptr: the scenario as it is
    /// @return mean throughput; nothing if the scenario refuses it
    std::optional<double> Try(const Strategy* strategy)
    {
        try
        {
            return ComputeConfidence(m_study.Run(Read(strategy), m_engine)).mean;
        }
        catch (const InputError& error)
        {
            m_refusal = error.what();
        }
        catch (const RunError& error) // such as a run that stalls
        {
            m_refusal = error.what();
        }
        return std::nullopt;
    }

    /// @return why a strategy was refused last
    const std::string& GetRefusal() const
    {
        return m_refusal;
    }

    /// @param strategy to be confirmed; nullptr: the scenario as it is @param engine that runs it
    /// @return its throughput with seeds that chose nothing
    const Throughputs& Confirm(const Strategy* strategy, EngineKind engine)
    {
        const std::string name = strategy ? strategy->name : "";
        const auto [found, added] = m_confirmed.try_emplace({name, engine});
        if (added)
        {
            found->second = m_study.RunWithOtherSeeds(Read(strategy), engine);
        }
        return found->second;
    }

    /// @param strategy or nullptr @return whether it, or that for memory, changes the profile
    bool Rewrites(const Strategy* strategy) const
    {
        return m_memory || (strategy && strategy->rewrite);
    }

    /// @param strategy or nullptr @return the profile with that for memory and it
    Profile Rewrite(const Strategy* strategy) const
    {
        Profile profile = ReadProfile(ReadSingleCase(m_options, m_options.settings).job.profile);
        if (m_memory)
        {
            profile = m_memory->rewrite(profile);
        }
        return strategy && strategy->rewrite ? strategy->rewrite(profile) : profile;
    }

  private:
    /// @return path of the profile with a strategy
    std::string WriteProfile(const Strategy* strategy)
    {
        const bool rewrites = strategy && strategy->rewrite;
        std::string& path =
            m_profiles[{m_memory ? m_memory->name : "", rewrites ? strategy->name : ""}];
        if (path.empty())
        {
            path = m_study.GetFolder() + "/profile" + std::to_string(m_profiles.size()) + ".yaml";
            ResultFile::Replace(path, FormatProfile(Rewrite(strategy)));
        }
        return path;
    }

    const CommandOptions& m_options;  //!< of the command
    EngineKind m_engine;              //!< engine that tries strategies
    ScratchStudy m_study;             //!< runs it
    std::optional<Strategy> m_memory; //!< for memory
    /// Paths of profiles by the strategy for memory and the other one.
    std::map<std::pair<std::string, std::string>, std::string> m_profiles;
    std::string m_refusal; //!< the last one
    /// Results of Confirm() by strategy, as the best one is compared with several.
    std::map<std::pair<std::string, EngineKind>, Throughputs> m_confirmed;
};

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
    std::cout << FormatStrategies(tried, optimizer.Try(nullptr));
    const Strategy& best = FindBest(tried, optimizer, options.operands[1]).strategy;
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
            EstimateDifference(PairThroughputs(optimizer.Confirm(&best, engine.kind),
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
    std::cout << "with other seeds, in throughput:\n";
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
            ResultFile::Replace(rewritten.string(), FormatProfile(optimizer.Rewrite(&strategy)));
            std::cout << "\nits profile: " << rewritten.string();
        }
    }
    const std::string yaml = WriteSettings(settings);
    if (!path.empty())
    {
        ResultFile::Replace(path, yaml);
        std::cout << "\nfor a scenario: " << path << "\n";
        return;
    }
    std::cout << "\nfor a scenario (-o FILE writes it):\n"
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
    std::vector<TriedStrategy> tried;
    for (const auto& strategy : ProposeStrategies(task, use))
    {
        tried.push_back({strategy, optimizer.Try(&strategy)});
    }
    const auto now = optimizer.Try(nullptr);
    const Strategy& best = FindBest(tried, optimizer, options.operands[1]).strategy;
    std::cout << FormatStrategies(tried, now);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::cout << "\n"
              << tried.size() << " strategies tried in " << FormatValue(seconds)
              << " s; best: " << best.name << "\n";
    std::string note = DescribeGap(tried);
    AppendParagraph(note, "", task.note);
    std::cout << note;
    if (options.check != "none")
    {
        PrintGains(optimizer, best, tried, options.check);
    }
    WriteStrategy(optimizer, best, options.out);
    return 0;
}

} // namespace dml
} // namespace ns3
