/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tune-command.h"

#include "ns3/dml-confidence.h"
#include "ns3/dml-error.h"
#include "ns3/dml-key-tuner.h"
#include "ns3/dml-plugin-file.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-scenario-reader.h"
#include "ns3/dml-scratch-study.h"
#include "ns3/dml-shell-word.h"
#include "ns3/dml-study-words.h"
#include "ns3/dml-value-text.h"

#include <algorithm>
#include <iostream>
#include <numeric>
#include <thread>
#include <vector>

namespace ns3
{
namespace dml
{

namespace
{

/// A scenario in which some keys are changed, and what came of it.
class Tuning
{
  public:
    Tuning(const CommandOptions& options, std::vector<KeyRange> ranges)
        : m_options(options),
          m_ranges(std::move(ranges)),
          m_engine(*ChooseEngines(options.engine).begin()),
          m_study(options.jobs > 0 ? options.jobs
                                   : std::max(1u, std::thread::hardware_concurrency()))
    {
        m_now = m_study.Run(Read(m_options.settings), m_engine);
    }

    /// @return the scenario as it is
    const Throughputs& GetNow() const
    {
        return m_now;
    }

    /// @return mean throughput with values of the keys; nothing if they are refused
    std::optional<double> Try(const std::vector<std::string>& values)
    {
        try
        {
            return ComputeConfidence(m_study.Run(Read(MakeSettings(values)), m_engine)).mean;
        }
        catch (const InputError& error)
        {
            m_refusal = error.what();
            return std::nullopt;
        }
    }

    /// @param values that were tried @return how much more throughput they give with other seeds
    /// than those among whose results the best was chosen
    RelativeDifference Compare(const std::vector<std::string>& values)
    {
        const auto run = [this](const std::vector<std::string>& settings) {
            Scenario scenario = Read(settings);
            ++scenario.seed;
            return m_study.Run(std::move(scenario), m_engine);
        };
        return EstimateDifference(
            PairThroughputs(run(MakeSettings(values)), run(m_options.settings)));
    }

    /// @return why values were refused last
    const std::string& GetRefusal() const
    {
        return m_refusal;
    }

    /// @return steps of a worker in a trial
    uint32_t GetSteps() const
    {
        return m_steps;
    }

    /// @return settings of the command line, and the values
    std::vector<std::string> MakeSettings(const std::vector<std::string>& values) const
    {
        std::vector<std::string> settings = m_options.settings;
        for (std::size_t i = 0; i < values.size(); ++i)
        {
            settings.push_back(m_ranges[i].GetKey() + "=" + values[i]);
        }
        return settings;
    }

    EngineKind GetEngineKind() const
    {
        return m_engine;
    }

  private:
    /// @throws InputError if the scenario is several ones
    Scenario Read(const std::vector<std::string>& settings)
    {
        const std::string& path = m_options.operands[1];
        auto scenarios = ReadScenario(path, settings);
        if (scenarios.size() > 1 || scenarios.front().job.workers.size() > 1)
        {
            throw InputError(path + ": has " +
                             (scenarios.size() > 1 ? "a sweep" : "several numbers of workers") +
                             "; accepted: one case, such as with " +
                             (scenarios.size() > 1 ? "--set sweep={}" : "--set job.workers=4"));
        }
        m_steps = scenarios.front().job.steps;
        return std::move(scenarios.front());
    }

    const CommandOptions& m_options; //!< of the command
    std::vector<KeyRange> m_ranges;  //!< keys
    EngineKind m_engine;             //!< that runs
    ScratchStudy m_study;            //!< runs it
    Throughputs m_now;               //!< of the scenario as it is
    std::string m_refusal;           //!< the last one
    uint32_t m_steps{0};             //!< of a worker
};

/// Prints trials as they end.
class TrialTable
{
  public:
    explicit TrialTable(const std::vector<KeyRange>& ranges)
    {
        std::cout << "trial";
        for (const auto& range : ranges)
        {
            m_widths.push_back(std::max<std::size_t>(14, range.GetKey().size() + 2));
            std::cout << FormatText("%*s",
                                    static_cast<int>(m_widths.back()),
                                    range.GetKey().c_str());
        }
        std::cout << "   samples/s       best" << std::endl;
    }

    void Add(const KeyTrial& trial)
    {
        std::cout << FormatText("%5u", ++m_trials);
        for (std::size_t i = 0; i < trial.values.size(); ++i)
        {
            std::cout << FormatText("%*s", static_cast<int>(m_widths[i]), trial.values[i].c_str());
        }
        m_best = std::max(m_best, trial.score.value_or(0));
        std::cout << FormatText("  %10s %10s",
                                trial.score ? FormatValue(*trial.score).c_str() : "refused",
                                FormatValue(m_best).c_str())
                  << std::endl;
    }

  private:
    std::vector<std::size_t> m_widths; //!< of the columns
    uint32_t m_trials{0};              //!< so far
    double m_best{0};                  //!< so far
};

std::string
DescribeGain(const RelativeDifference& gain)
{
    if (!gain.value)
    {
        return "";
    }
    std::string text = FormatText("\nwith other seeds %+.2f %%", 100 * *gain.value);
    if (gain.low && gain.high)
    {
        text += FormatText(" (%+.2f..%+.2f)%s",
                           100 * *gain.low,
                           100 * *gain.high,
                           gain.IsSignificant() ? "" : ", which may be 0,");
    }
    return text + " against the scenario as it is";
}

} // namespace

int
RunTune(const CommandOptions& options)
{
    if (ChooseEngines(options.engine).size() > 1 && options.engine != DEFAULT_ENGINES)
    {
        throw InputError("found --engine " + options.engine + "; accepted: one engine");
    }
    LoadPlugins(options.plugins);
    const auto ranges = ReadKeyRanges(options.keys);
    Tuning tuning(options, ranges);
    std::cout << GetEngineName(tuning.GetEngineKind()) << ", "
              << Plural(tuning.GetNow().size(), "replication")
              << "; as it is: " << FormatValue(ComputeConfidence(tuning.GetNow()).mean.value_or(0))
              << " samples/s\n\n";
    TrialTable table(ranges);
    const auto trials = TuneKeys(
        ranges,
        options.trials,
        [&tuning](const std::vector<std::string>& values) { return tuning.Try(values); },
        [&table](const KeyTrial& trial) { table.Add(trial); });
    const auto best = FindBest(trials);
    if (!best)
    {
        throw InputError("no values of the keys are accepted: " + tuning.GetRefusal());
    }
    std::cout << "\nbest: " << FormatValue(*best->score) << " samples/s"
              << DescribeGain(tuning.Compare(best->values)) << "\n  dml run "
              << QuoteShellPath(options.operands[1]);
    for (const auto& setting : tuning.MakeSettings(best->values))
    {
        std::cout << " --set " << QuoteShell(setting);
    }
    std::cout << "\na job that tried so while it trains would take "
              << trials.size() * uint64_t{tuning.GetSteps()} << " steps of each worker for it"
              << std::endl;
    return 0;
}

} // namespace dml
} // namespace ns3
