/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-commands.h"

#include "ns3/dml-confidence.h"
#include "ns3/dml-error.h"
#include "ns3/dml-key-tuner.h"
#include "ns3/dml-plugin-file.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-scratch-study.h"
#include "ns3/dml-shell-word.h"
#include "ns3/dml-study-words.h"
#include "ns3/dml-value-text.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <iostream>
#include <vector>

namespace ns3::dml
{

namespace
{

/// Places of the ends of a range.
constexpr std::array<double, 2> ENDS{0, 1};

/// A scenario in which some keys are changed, and what came of it.
class Tuning
{
  public:
    Tuning(const CommandOptions& options, EngineKind engine, std::vector<KeyRange> ranges)
        : m_options(options),
          m_ranges(std::move(ranges)),
          m_engine(engine),
          m_study(CountJobs(options))
    {
        CheckKeys();
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
            const auto mean =
                ComputeConfidence(m_study.Run(Read(MakeSettings(values)), m_engine)).mean;
            m_refusal = mean ? m_refusal : NO_THROUGHPUT;
            return mean;
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
            return m_study.RunWithOtherSeeds(Read(settings), m_engine);
        };
        return EstimateDifference(
            PairReplications(run(MakeSettings(values)), run(m_options.settings)));
    }

    /// @throws InputError if a key alone is refused at both ends of its range
    void CheckKeys()
    {
        for (const auto& range : m_ranges)
        {
            std::string refusal;
            const bool refused = std::all_of(ENDS.begin(), ENDS.end(), [&](double place) {
                try
                {
                    auto settings = m_options.settings;
                    settings.push_back(range.GetKey() + "=" + range.GetValue(place));
                    Read(settings);
                    return false;
                }
                catch (const InputError& error)
                {
                    refusal = error.what();
                    return true;
                }
            });
            if (refused)
            {
                throw InputError("--keys: " + range.GetKey() +
                                 " takes neither of its ends: " + refusal);
            }
        }
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

  private:
    Scenario Read(const std::vector<std::string>& settings)
    {
        Scenario scenario = ReadSingleCase(m_options, settings);
        m_steps = scenario.job.steps;
        return scenario;
    }

    const CommandOptions& m_options; //!< of the command
    std::vector<KeyRange> m_ranges;  //!< keys
    EngineKind m_engine;             //!< engine that runs
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
            std::cout << fmt::format("{:>{}}", range.GetKey(), m_widths.back());
        }
        std::cout << "   samples/s       best" << std::endl;
    }

    void Add(const KeyTrial& trial)
    {
        std::cout << fmt::format("{:5}", ++m_trials);
        for (std::size_t i = 0; i < trial.values.size(); ++i)
        {
            std::cout << fmt::format("{:>{}}", trial.values[i], m_widths[i]);
        }
        m_best = std::max(m_best, trial.score.value_or(0));
        std::cout << fmt::format("  {:>10} {:>10}",
                                 trial.score ? FormatValue(*trial.score).c_str() : "refused",
                                 FormatValue(m_best))
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
    return "\nwith other seeds " + PercentText(gain, 2, " %") +
           (gain.low && !gain.HasInterval()
                ? ", the least and the greatest of " + Plural(gain.pairs, "pair") + ","
            : gain.low && !gain.IsSignificant() ? ", which may be 0,"
                                                : "") +
           " against the scenario as it is";
}

} // namespace

int
RunTune(const CommandOptions& options)
{
    const EngineKind engine = ChooseOneEngine(options);
    LoadPlugins(options.plugins);
    const auto ranges = ReadKeyRanges(options.keys);
    Tuning tuning(options, engine, ranges);
    std::cout << GetEngineName(engine) << ", " << Plural(tuning.GetNow().size(), "replication")
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

} // namespace ns3::dml
