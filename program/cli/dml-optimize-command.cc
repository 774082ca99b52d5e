/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-optimize-command.h"

#include "dml-single-case.h"

#include "ns3/dml-confidence.h"
#include "ns3/dml-error.h"
#include "ns3/dml-plugin-file.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-result-file.h"
#include "ns3/dml-scratch-study.h"
#include "ns3/dml-strategy-passes.h"
#include "ns3/dml-study-words.h"
#include "ns3/dml-value-text.h"

#include <algorithm>
#include <chrono>
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

    /// @return the scenario with a value of job.gradient_groups, or as it is
    Scenario Read(const std::optional<std::string>& groups) const
    {
        auto settings = m_options.settings;
        if (groups)
        {
            settings.push_back("job.gradient_groups=" + *groups);
        }
        Scenario scenario = ReadSingleCase(m_options, settings);
        if (scenario.job.parameterServers > 0)
        {
            throw InputError(m_options.operands[1] +
                             ": has parameter servers; accepted: job.protocol: all-reduce, "
                             "whose buckets are what can be optimised");
        }
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

    /// @return when the gradients of a step are there, and what reducing them takes
    GradientTimeline Measure()
    {
        const RunTraces traces = ReadRunTraces(m_study.Record(Read("off"), m_engine));
        const RecordedJob job = MakeRecordedJob(traces.job, traces.runs.front());
        std::vector<std::string> tensors;
        for (const auto& op : traces.job.GetOps())
        {
            tensors.push_back(op.kind == OpKind::PUSH ? op.tensor : "");
        }
        return MakeTimeline(job, tensors);
    }

    /// @param groups of a strategy; nothing: the scenario as it is
    /// @return mean throughput; nothing if the scenario refuses it
    std::optional<double> Try(const std::optional<std::string>& groups)
    {
        try
        {
            return ComputeConfidence(m_study.Run(Read(groups), m_engine)).mean;
        }
        catch (const InputError&)
        {
            return std::nullopt;
        }
    }

    /// @param groups of a strategy; nothing: the scenario as it is @param engine that runs it
    /// @return its throughput with seeds that chose nothing
    const Throughputs& Confirm(const std::optional<std::string>& groups, EngineKind engine)
    {
        const auto [found, added] = m_confirmed.try_emplace({groups, engine});
        if (added)
        {
            found->second = m_study.RunWithOtherSeeds(Read(groups), engine);
        }
        return found->second;
    }

  private:
    const CommandOptions& m_options; //!< of the command
    EngineKind m_engine;             //!< that tries strategies
    ScratchStudy m_study;            //!< runs it
    /// Results of Confirm(), as the best strategy is compared with several.
    std::map<std::pair<std::optional<std::string>, EngineKind>, Throughputs> m_confirmed;
};

/// @return strategies of all passes that are asked for
std::vector<Strategy>
ProposeStrategies(const GradientTimeline& timeline)
{
    std::vector<Strategy> strategies;
    for (const auto& pass : GetStrategyPasses())
    {
        const auto proposed = pass.propose(timeline);
        strategies.insert(strategies.end(), proposed.begin(), proposed.end());
    }
    return strategies;
}

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
          const std::string& name,
          const std::optional<std::string>& groups,
          const EngineInfo& engine)
{
    const RelativeDifference gain =
        EstimateDifference(PairThroughputs(optimizer.Confirm(best.groups, engine.kind),
                                           optimizer.Confirm(groups, engine.kind)));
    std::cout << FormatText("  against %-24s %-10s  %s%s\n",
                            name.c_str(),
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
            PrintGain(optimizer,
                      best,
                      other.strategy.name,
                      other.strategy.groups,
                      GetEngine(optimizer.GetEngineKind()));
        }
    }
    for (const auto& engine : GetEngines())
    {
        if (engine.kind == optimizer.GetEngineKind() ||
            (packets && !engine.Has(EngineTrait::RUNS_IN_REAL_TIME)))
        {
            PrintGain(optimizer, best, "the scenario as it is", {}, engine);
        }
    }
}

/// Tell how a scenario has a strategy, and a framework, if it can.
void
WriteStrategy(const Strategy& strategy, const std::string& path)
{
    constexpr std::size_t MOST_PRINTED = 400;
    if (!strategy.configuration.empty())
    {
        std::cout << "\n  " << strategy.configuration << "\n";
    }
    const std::string yaml = "job:\n  gradient_groups: " + strategy.groups + "\n";
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
    const GradientTimeline timeline = optimizer.Measure();
    PrintTimeline(timeline);
    std::vector<TriedStrategy> tried;
    for (const auto& strategy : ProposeStrategies(timeline))
    {
        tried.push_back({strategy, optimizer.Try(strategy.groups)});
    }
    const double now = optimizer.Try({}).value_or(0);
    const auto best =
        *std::max_element(tried.begin(), tried.end(), [](const auto& a, const auto& b) {
            return a.score.value_or(0) < b.score.value_or(0);
        });
    if (!best.score)
    {
        throw InputError(options.operands[1] + ": takes no strategy for its gradients; accepted: a "
                                               "scenario in which job.gradient_groups can be off");
    }
    PrintTable(tried, now);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::cout << "\n"
              << tried.size() << " strategies tried in " << FormatValue(seconds)
              << " s; best: " << best.strategy.name << "\n";
    PrintGains(optimizer, best.strategy, tried, options.check == "all");
    WriteStrategy(best.strategy, options.out);
    return 0;
}

} // namespace dml
} // namespace ns3
