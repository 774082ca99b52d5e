/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-optimize-command.h"

#include "ns3/dml-confidence.h"
#include "ns3/dml-error.h"
#include "ns3/dml-paragraph.h"
#include "ns3/dml-plugin-file.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-result-file.h"
#include "ns3/dml-scenario-reader.h"
#include "ns3/dml-scratch-study.h"
#include "ns3/dml-strategy-passes.h"
#include "ns3/dml-study-words.h"
#include "ns3/dml-value-text.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <optional>
#include <thread>
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
    explicit Optimizer(const CommandOptions& options)
        : m_options(options),
          m_engine(*ChooseEngines(options.engine).begin()),
          m_study(options.jobs > 0 ? options.jobs
                                   : std::max(1u, std::thread::hardware_concurrency()))
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
        const std::string& path = m_options.operands[1];
        auto scenarios = ReadScenario(path, settings);
        if (scenarios.size() > 1 || scenarios.front().job.workers.size() > 1)
        {
            throw InputError(path + ": has " +
                             (scenarios.size() > 1 ? "a sweep" : "several numbers of workers") +
                             "; accepted: one case, such as with " +
                             (scenarios.size() > 1 ? "--set sweep={}" : "--set job.workers=4"));
        }
        if (scenarios.front().job.parameterServers > 0)
        {
            throw InputError(path + ": has parameter servers; accepted: job.protocol: all-reduce, "
                                    "whose buckets are what can be optimised");
        }
        Scenario& scenario = scenarios.front();
        if (scenario.fairShare.oneWayDelay.IsZero())
        {
            // without delays no bucket would be worth its wait
            scenario.fairShare.oneWayDelay = HOPS * scenario.network.delay;
        }
        return std::move(scenario);
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

    /// @param groups of a strategy @param other ones, or as it is @param engine that runs both
    /// @return how much more throughput the first gives, with seeds that chose nothing
    RelativeDifference Compare(const std::string& groups,
                               const std::optional<std::string>& other,
                               EngineKind engine)
    {
        const auto run = [&](const std::optional<std::string>& value) {
            Scenario scenario = Read(value);
            ++scenario.seed;
            return m_study.Run(std::move(scenario), engine);
        };
        return EstimateDifference(PairThroughputs(run(groups), run(other)));
    }

  private:
    const CommandOptions& m_options; //!< of the command
    EngineKind m_engine;             //!< that tries strategies
    ScratchStudy m_study;            //!< runs it
};

std::string
FormatGain(const RelativeDifference& gain)
{
    if (!gain.value)
    {
        return "-";
    }
    const std::string text = FormatText("%+.2f %%", 100 * *gain.value);
    return gain.low && gain.high ? text + FormatText(" (%+.2f..%+.2f)%s",
                                                     100 * *gain.low,
                                                     100 * *gain.high,
                                                     gain.IsSignificant() ? "" : " ?")
                                 : text;
}

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

} // namespace

int
RunOptimize(const CommandOptions& options)
{
    if (ChooseEngines(options.engine).size() > 1 && options.engine != DEFAULT_ENGINES)
    {
        throw InputError("found --engine " + options.engine + "; accepted: one engine");
    }
    LoadPlugins(options.plugins);
    const auto start = std::chrono::steady_clock::now();
    Optimizer optimizer(options);
    const GradientTimeline timeline = optimizer.Measure();
    std::cout << Plural(timeline.gradients.size(), "gradient") << ", the last one ready after "
              << FormatValue(timeline.gradients.back().ready) << " s\nreducing B bytes takes "
              << FormatValue(1e3 * timeline.latency) << " ms + B / "
              << FormatValue(timeline.secondsPerByte > 0 ? 1e-6 / timeline.secondsPerByte : 0)
              << " MB/s, within " << FormatText("%.1f", 100 * timeline.error)
              << " % of the longest\n\n";
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
              << " s; best: " << best.strategy.name << "\n"
              << "with other seeds, in throughput:\n";
    for (const auto& other : tried)
    {
        if (other.strategy.isDefault && other.score)
        {
            std::cout << FormatText("  against %-24s %-10s  %s\n",
                                    other.strategy.name.c_str(),
                                    GetEngineName(optimizer.GetEngineKind()).c_str(),
                                    FormatGain(optimizer.Compare(best.strategy.groups,
                                                                 other.strategy.groups,
                                                                 optimizer.GetEngineKind()))
                                        .c_str());
        }
    }
    for (const auto& engine : GetEngines())
    {
        if (engine.kind == optimizer.GetEngineKind() ||
            (options.check == "all" && !engine.Has(EngineTrait::RUNS_IN_REAL_TIME)))
        {
            std::cout << FormatText(
                "  against %-24s %-10s  %s\n",
                "the scenario as it is",
                engine.name.c_str(),
                FormatGain(optimizer.Compare(best.strategy.groups, {}, engine.kind)).c_str());
        }
    }
    if (!best.strategy.configuration.empty())
    {
        std::cout << "\n  " << best.strategy.configuration << "\n";
    }
    const std::string yaml = "job:\n  gradient_groups: " + best.strategy.groups + "\n";
    if (options.out.empty())
    {
        std::cout << "\nfor a scenario (-o FILE writes it):\n"
                  << (yaml.size() > 400 ? yaml.substr(0, 400) + "...\n" : yaml);
    }
    else
    {
        ResultFile::Replace(options.out, yaml);
        std::cout << "\nfor a scenario: " << options.out << "\n";
    }
    return 0;
}

} // namespace dml
} // namespace ns3
