/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-commands.h"
#include "dml-output-file.h"

#include "ns3/dml-drift-table.h"
#include "ns3/dml-effect-table.h"
#include "ns3/dml-effect-trials.h"
#include "ns3/dml-error.h"
#include "ns3/dml-match-table.h"
#include "ns3/dml-phase-table.h"
#include "ns3/dml-plugin-file.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-recorded-steps.h"
#include "ns3/dml-result-file.h"
#include "ns3/dml-study-inputs.h"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

namespace fs = std::filesystem;

/// @param summary gets a configuration for each that the runs have
void
AddRun(RunSummary& summary, const RunKey& run, const PreparedScenario& model, LinkBias bias)
{
    const auto& [variant, workers, engine, replication] = run;
    auto item = std::find_if(summary.cases.begin(), summary.cases.end(), [&](const auto& known) {
        return known.workers == std::get<1>(run) && known.variant == model.scenario.variant;
    });
    if (item == summary.cases.end())
    {
        item = summary.cases.emplace(item);
        item->workers = workers;
        item->variant = model.scenario.variant;
    }
    for (const auto& known : GetEngines())
    {
        if (known.name == engine)
        {
            ReplicationSummary result;
            result.replication = replication;
            result.matched = std::move(bias);
            item->engines[known.kind].replications.push_back(std::move(result));
        }
    }
}

/// What is asked of the runs: it predicts them, shows what that gives, and writes it.
class MatchReport
{
  public:
    virtual ~MatchReport() = default;

    /// @param run any @param steps of it @param model of it
    virtual void Add(const RunKey& run,
                     const MatchRecorder& steps,
                     const PreparedScenario& model) = 0;

    /// @brief Do what is left to do once all runs are there.
    virtual void Finish()
    {
    }

    /// @return tables of all variants
    virtual std::string Format() const = 0;

    /// @param file gets a row for each number
    virtual void Write(ResultFile& file) const = 0;
};

/// The bias of each run.
class BiasReport : public MatchReport
{
  public:
    void Add(const RunKey& run, const MatchRecorder& steps, const PreparedScenario& model) override
    {
        AddRun(m_summary,
               run,
               model,
               steps.Match(model, std::get<1>(run), std::get<3>(run), FindFirstCounted(model)));
    }

    std::string Format() const override
    {
        std::string text;
        const auto& all = m_summary.cases;
        for (std::size_t i = 0; i < all.size();)
        {
            const std::string name = all[i].GetVariantName();
            std::vector<const CaseSummary*> cases;
            for (; i < all.size() && all[i].GetVariantName() == name; ++i)
            {
                cases.push_back(&all[i]);
            }
            text += (text.empty() ? "" : "\n") + (name.empty() ? "" : name + "\n") +
                    FormatMatches(cases);
        }
        return text + ExplainMissing(text);
    }

    void Write(ResultFile& file) const override
    {
        WriteMatchedCsv(file, m_summary);
    }

  private:
    RunSummary m_summary; //!< has the runs
};

/// Several things about each run.
template <typename T>
class FindingReport : public MatchReport
{
  public:
    /// As of MatchRecorder::MatchPhases().
    using Find = std::function<std::vector<T>(const MatchRecorder&,
                                              const PreparedScenario&,
                                              uint32_t,
                                              uint32_t,
                                              std::optional<double>,
                                              std::string&)>;
    using Formatter = std::string (*)(const std::vector<RunFinding<T>>&);
    using Writer = void (*)(ResultFile&, const std::vector<RunFinding<T>>&);

    /// @param find predicts a run, and says why it cannot @param format makes tables
    /// @param write makes rows
    FindingReport(Find find, Formatter format, Writer write)
        : m_find(std::move(find)),
          m_format(format),
          m_write(write)
    {
    }

    void Add(const RunKey& run, const MatchRecorder& steps, const PreparedScenario& model) override
    {
        auto& finding = m_runs.emplace_back();
        finding.run = run;
        finding.found = m_find(steps,
                               model,
                               std::get<1>(run),
                               std::get<3>(run),
                               FindFirstCounted(model),
                               finding.obstacle);
    }

    std::string Format() const override
    {
        return m_format(m_runs);
    }

    void Write(ResultFile& file) const override
    {
        m_write(file, m_runs);
    }

  private:
    Find m_find;                       //!< see the constructor
    Formatter m_format;                //!< see the constructor
    Writer m_write;                    //!< see the constructor
    std::vector<RunFinding<T>> m_runs; //!< so far
};

/// The bias with and without effects of the network.
class WithoutReport : public MatchReport
{
  public:
    /// @param scenario of the results @param options of the command
    WithoutReport(const StoredScenario& scenario, const CommandOptions& options)
        : m_trials(scenario, options.without, options.budget, CountJobs(options))
    {
    }

    void Add(const RunKey& run, const MatchRecorder& steps, const PreparedScenario& model) override
    {
        auto& finding = m_runs.emplace_back();
        finding.run = run;
        WithoutBias bias = MatchWithout("", run, steps, model);
        if (bias.slower)
        {
            finding.found.push_back(std::move(bias));
        }
        else
        {
            finding.obstacle = bias.obstacle;
        }
    }

    void Finish() override
    {
        std::cerr << m_trials.Plan(m_runs) << std::flush;
        m_trials.Run(m_runs);
    }

    std::string Format() const override
    {
        return FormatWithout(m_runs) + m_trials.GetLegend();
    }

    void Write(ResultFile& file) const override
    {
        WriteWithoutCsv(file, m_runs);
    }

  private:
    EffectTrials m_trials;          //!< see the constructor
    std::vector<RunWithout> m_runs; //!< so far
};

/// @param scenario of the results @return what the options ask for
std::unique_ptr<MatchReport>
MakeReport(const CommandOptions& options, const StoredScenario& scenario)
{
    if (!options.without.empty())
    {
        return std::make_unique<WithoutReport>(scenario, options);
    }
    if (!options.horizons.empty())
    {
        return std::make_unique<FindingReport<RestartBias>>(
            [&options](const MatchRecorder& steps,
                       const PreparedScenario& model,
                       uint32_t workers,
                       uint32_t replication,
                       std::optional<double> from,
                       std::string& obstacle) {
                return steps
                    .MatchRestarts(model, workers, replication, from, options.horizons, obstacle);
            },
            FormatDrifts,
            WriteDriftCsv);
    }
    if (options.phases)
    {
        return std::make_unique<FindingReport<PhaseBias>>(&MatchRecorder::MatchPhases,
                                                          FormatPhases,
                                                          WritePhaseCsv);
    }
    if (options.effects)
    {
        return std::make_unique<FindingReport<EffectBias>>(&MatchRecorder::MatchEffects,
                                                           FormatEffectBiases,
                                                           WriteEffectCsv);
    }
    return std::make_unique<BiasReport>();
}

/// @throws InputError if options do not go together
void
CheckReport(const CommandOptions& options)
{
    std::string first;
    for (const char* name : {"effects", "without", "phases", "horizon"})
    {
        if (options.IsGiven(name) && !first.empty())
        {
            throw InputError("--" + first + ": goes without --" + name + "; accepted: one of them");
        }
        first = options.IsGiven(name) ? name : first;
    }
    for (const char* name : {"budget", "jobs"})
    {
        if (options.IsGiven(name) && options.without.empty())
        {
            throw InputError(std::string("--") + name +
                             ": nothing runs; accepted: with --without only");
        }
    }
    if (options.without.empty())
    {
        return;
    }
    for (const auto& setting : options.settings)
    {
        if (setting.rfind("fair_share.", 0) != 0)
        {
            throw InputError("--set " + setting +
                             ": with --without, packets would run with it, too; accepted: keys "
                             "of fair_share");
        }
    }
    if (options.IsGiven("engine") && ChooseEngines(options.engine).count(EngineKind::PACKET) == 0)
    {
        throw InputError("--engine: found '" + options.engine +
                         "'; accepted with --without: packet, whose runs are repeated");
    }
}

} // namespace

int
RunMatch(const CommandOptions& options)
{
    CheckReport(options);
    CheckReplaceable(options.out, options.force);
    LoadPlugins(options.plugins);
    const std::string& folder = options.operands[1];
    StoredScenario scenario((fs::path(folder) / "summary.json").string(), options.settings);
    CheckStudyInputs(folder);
    const std::string path = (fs::path(folder) / "steps.csv").string();
    for (const char* name :
         {"summary.json", "study.json", "steps.csv", "transfers.csv", "connections.csv"})
    {
        std::error_code none;
        if (!options.out.empty() && fs::equivalent(options.out, fs::path(folder) / name, none))
        {
            throw InputError("-o: found '" + options.out +
                             "', which is what is read; accepted: another file");
        }
    }
    const EngineSet engines =
        !options.without.empty()
            ? EngineSet{EngineKind::PACKET}
            : ChooseEngines(options.IsGiven("engine") ? options.engine : "all");
    auto runs = ReadRecordedSteps(path, engines, [](const RunKey&) { return true; });
    if (runs.empty())
    {
        throw InputError(path + ": has no step of the packet or the host engine" +
                         (options.IsGiven("engine") ? " that --engine accepts" : "") +
                         "; accepted: results of 'run --engine=both' or 'all'");
    }
    if (options.phases || options.effects)
    {
        ReadRecordedTransfers(folder, runs, scenario);
    }
    const auto report = MakeReport(options, scenario);
    std::size_t disturbed = 0;
    for (auto& [run, steps] : runs)
    {
        disturbed += scenario.GetDisturbed().count(run);
        report->Add(run, steps, FindModel(scenario, run, path));
        steps = MatchRecorder(); // transfers of all runs may be large
    }
    report->Finish();
    std::cout << report->Format();
    if (disturbed > 0)
    {
        std::cout << WrapRemark(
            fmt::format("  host: {} disturbed, as something else used the machine "
                        "meanwhile",
                        Plural(disturbed, "run") + (disturbed == 1 ? " was" : " were")));
    }
    if (!options.out.empty())
    {
        ResultFile::Replace(FollowLinks(options.out),
                            [&](ResultFile& file) { report->Write(file); });
        std::cout << "table: " << options.out << '\n';
    }
    return 0;
}

} // namespace ns3::dml
