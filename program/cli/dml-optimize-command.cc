/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-optimize-command.h"

#include "dml-single-case.h"

#include "ns3/dml-collective-algorithms.h"
#include "ns3/dml-confidence.h"
#include "ns3/dml-error.h"
#include "ns3/dml-fusion-costs.h"
#include "ns3/dml-mean-step.h"
#include "ns3/dml-op-fusion.h"
#include "ns3/dml-own-json.h"
#include "ns3/dml-paragraph.h"
#include "ns3/dml-plugin-file.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-profile-reader.h"
#include "ns3/dml-profile-writer.h"
#include "ns3/dml-result-file.h"
#include "ns3/dml-scratch-study.h"
#include "ns3/dml-strategy-passes.h"
#include "ns3/dml-study-words.h"
#include "ns3/dml-value-text.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <map>
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

/// A strategy and what it gives.
struct TriedStrategy
{
    Strategy strategy;           //!< which
    std::optional<double> score; //!< mean throughput, samples/s; nothing: it was refused
};

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
            if (!strategy->fusions.empty())
            {
                settings.push_back("job.profile=" + WriteFused(*strategy));
            }
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

    /// @return what strategies are wanted for
    SearchTask Measure()
    {
        SearchTask task;
        const JobSpec job = Read(nullptr).job;
        task.servers = job.parameterServers;
        if (task.servers > 0)
        {
            return task;
        }
        const Strategy separate{"", {"job.gradient_groups=off"}, ""};
        const RunTraces traces = ReadRunTraces(m_study.Record(Read(&separate), m_engine));
        const RecordedJob run = MakeRecordedJob(traces.job, traces.runs.front());
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
        if (m_options.IsGiven("fused"))
        {
            m_scale = job.scale;
            m_profile = ReadProfile(job.profile);
            SetSavings(m_options.fused, m_scale, task.model);
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
            return std::nullopt;
        }
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

    /// @param strategy that fuses ops @return the profile with it
    Profile Fuse(const Strategy& strategy) const
    {
        std::map<std::string, OpIndex> ops;
        for (OpIndex op = 0; op < m_profile.graph.GetSize(); ++op)
        {
            ops[m_profile.graph.Get(op).name] = op;
        }
        std::vector<OpFusion> fusions;
        for (const auto& named : strategy.fusions)
        {
            fusions.push_back({{}, named.saving / m_scale});
            for (const auto& name : named.ops)
            {
                fusions.back().ops.push_back(ops.at(name));
            }
        }
        return FuseOps(m_profile, fusions);
    }

  private:
    /// @return path of the profile with a strategy
    std::string WriteFused(const Strategy& strategy)
    {
        std::string& path = m_fused[strategy.name];
        if (path.empty())
        {
            path = m_study.GetFolder() + "/fused" + std::to_string(m_fused.size()) + ".yaml";
            ResultFile::Replace(path, FormatProfile(Fuse(strategy)));
        }
        return path;
    }

    const CommandOptions& m_options;            //!< of the command
    EngineKind m_engine;                        //!< that tries strategies
    ScratchStudy m_study;                       //!< runs it
    Profile m_profile;                          //!< of the job, if ops may be fused
    double m_scale{1};                          //!< of the job
    std::map<std::string, std::string> m_fused; //!< paths of profiles by strategy
    std::string m_refusal;                      //!< the last one
    /// Results of Confirm() by strategy, as the best one is compared with several.
    std::map<std::pair<std::string, EngineKind>, Throughputs> m_confirmed;
};

/// Print the defaults, those that fuse by a model, and the best ones.
void
PrintTable(std::vector<TriedStrategy> tried, double now)
{
    constexpr std::size_t MOST_LINES = 12;
    std::stable_sort(tried.begin(), tried.end(), [](const auto& a, const auto& b) {
        return a.score.value_or(0) > b.score.value_or(0);
    });
    std::cout << "  strategy                         samples/s   as it is\n";
    std::size_t lines = 0;
    for (const auto& one : tried)
    {
        const bool shown = one.strategy.isDefault || lines < MOST_LINES;
        if (!shown)
        {
            continue;
        }
        ++lines;
        std::cout << FormatText("  %-32s %9s   %s%s\n",
                                one.strategy.name.c_str(),
                                one.score ? FormatValue(*one.score).c_str() : "refused",
                                one.score && now > 0
                                    ? FormatText("%+7.2f %%", 100 * (*one.score / now - 1)).c_str()
                                    : "",
                                one.strategy.isDefault ? "   default" : "");
    }
}

void
PrintTimeline(const GradientTimeline& timeline)
{
    std::cout << Plural(timeline.gradients.size(), "gradient") << ", the last one ready after "
              << FormatValue(timeline.gradients.back().ready) << " s\nreducing B bytes takes "
              << FormatValue(1e3 * timeline.latency) << " ms + B / "
              << FormatValue(timeline.secondsPerByte > 0 ? 1e-6 / timeline.secondsPerByte : 0)
              << " MB/s, within " << FormatText("%.1f", 100 * timeline.error)
              << " % of the longest\n\n";
}

/// Print how much more throughput a strategy gives than another one.
void
PrintGain(Optimizer& optimizer,
          const Strategy& best,
          const Strategy* other,
          const EngineInfo& engine)
{
    const RelativeDifference gain =
        EstimateDifference(PairThroughputs(optimizer.Confirm(&best, engine.kind),
                                           optimizer.Confirm(other, engine.kind)));
    std::cout << FormatText("  against %-26s %-10s  %s%s\n",
                            other ? other->name.c_str() : "the scenario as it is",
                            engine.name.c_str(),
                            PercentText(gain, 2, " %").c_str(),
                            gain.low && !gain.IsSignificant() ? " ?" : "");
}

/// Print what the best strategy gains over the defaults and over the scenario as it is.
void
PrintGains(Optimizer& optimizer,
           const Strategy& best,
           const std::vector<TriedStrategy>& tried,
           bool packets)
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
            (packets && !engine.Has(EngineTrait::RUNS_IN_REAL_TIME)))
        {
            PrintGain(optimizer, best, nullptr, engine);
        }
    }
}

/// @return settings as a part of a scenario
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

/// Tell how a scenario has a strategy, and a framework, if it can.
void
WriteStrategy(const Optimizer& optimizer, const Strategy& strategy, const std::string& path)
{
    constexpr std::size_t MOST_PRINTED = 400;
    if (!strategy.configuration.empty())
    {
        std::cout << "\n  " << strategy.configuration << "\n";
    }
    auto settings = strategy.settings;
    if (!strategy.fusions.empty())
    {
        const auto fused = std::filesystem::path(path.empty() ? "strategy.yaml" : path)
                               .replace_extension(".profile.yaml");
        settings.push_back("job.profile=" + WriteAsciiJson(fused.filename().string()));
        if (!path.empty())
        {
            ResultFile::Replace(fused.string(), FormatProfile(optimizer.Fuse(strategy)));
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
    SearchTask task = optimizer.Measure();
    if (task.servers == 0)
    {
        PrintTimeline(task.timeline);
    }
    else if (options.IsGiven("fused") || options.IsGiven("without"))
    {
        throw InputError(options.operands[1] +
                         ": has parameter servers; accepted with --fused and --without: "
                         "job.protocol: all-reduce");
    }
    std::vector<TriedStrategy> tried;
    for (const auto& strategy : ProposeStrategies(task))
    {
        tried.push_back({strategy, optimizer.Try(&strategy)});
    }
    const double now = optimizer.Try(nullptr).value_or(0);
    const auto best =
        *std::max_element(tried.begin(), tried.end(), [](const auto& a, const auto& b) {
            return a.score.value_or(0) < b.score.value_or(0);
        });
    if (!best.score)
    {
        throw InputError(options.operands[1] +
                         ": takes none of the strategies: " + optimizer.GetRefusal());
    }
    PrintTable(tried, now);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::cout << "\n"
              << tried.size() << " strategies tried in " << FormatValue(seconds)
              << " s; best: " << best.strategy.name << "\n";
    std::string note;
    AppendParagraph(note, "", task.note);
    std::cout << note;
    PrintGains(optimizer, best.strategy, tried, options.check == "all");
    WriteStrategy(optimizer, best.strategy, options.out);
    return 0;
}

} // namespace dml
} // namespace ns3
