/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-case-command.h"
#include "dml-commands.h"
#include "dml-output-file.h"

#include "ns3/dml-engine-forecast.h"
#include "ns3/dml-error.h"
#include "ns3/dml-interval-forecast.h"
#include "ns3/dml-paragraph.h"
#include "ns3/dml-path-text.h"
#include "ns3/dml-plugin-file.h"
#include "ns3/dml-rank-world.h"
#include "ns3/dml-result-file.h"
#include "ns3/dml-result-folder.h"
#include "ns3/dml-run-cost.h"
#include "ns3/dml-scenario-reader.h"
#include "ns3/dml-shell-word.h"
#include "ns3/dml-study.h"
#include "ns3/dml-table.h"
#include "ns3/dml-terminal-text.h"
#include "ns3/dml-throughput-trial.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <thread>
#include <unistd.h>
#include <vector>

namespace ns3::dml
{

namespace
{

namespace fs = std::filesystem;

/// Name of standard output for `--emit-cases`.
constexpr const char* STANDARD_OUTPUT = "-";

/// CPU time that `--engine=auto` has for a run.
constexpr double AUTO_SECONDS = 1;

/// Array tasks that Slurm takes unless it is told otherwise (MaxArraySize, less one).
constexpr std::size_t SLURM_TASKS = 1000;

/// @return whether a run of any of the engines can be split over ranks
bool
CanSplit(const EngineSet& engines)
{
    return AnyHas(engines, EngineTrait::SPLITS_OVER_RANKS);
}

/// @return "packet or both": what --engine can be where runs are split
std::string
ListSplittingChoices()
{
    std::string text;
    for (const auto& choice : GetEngineChoices())
    {
        if (CanSplit(choice.engines))
        {
            text += (text.empty() ? "" : " or ") + choice.name;
        }
    }
    return text;
}

/// @throws InputError for options that do not go together
void
CheckTogether(const CommandOptions& options)
{
    const bool emits = !options.emitCases.empty();
    const bool cases = !options.cases.empty();
    const auto refuse = [](const std::string& found, const std::string& accepted) {
        throw InputError("found " + found + "; accepted: " + accepted);
    };
    if (emits && cases)
    {
        refuse("--emit-cases and --case", "one of them");
    }
    if (emits && options.jobs > 0)
    {
        refuse("--emit-cases and --jobs", "--emit-cases alone, which runs nothing");
    }
    if (!emits && options.lines > 0)
    {
        refuse("--lines without --emit-cases", "both");
    }
    if (!cases && !options.study.empty())
    {
        refuse("--study without --case", "both");
    }
    if (cases && (options.resume || options.restart))
    {
        refuse("--case and --resume or --restart", "--case alone, which does what is not done");
    }
    if (cases && options.force)
    {
        refuse("--case and --force", "--case alone, which adds to the study of the cases");
    }
    if (options.resume && options.force)
    {
        refuse("--resume and --force", "one of them");
    }
    if (options.ranks > 1 && !CanSplit(ChooseEngines(options.engine)))
    {
        refuse("--ranks " + std::to_string(options.ranks) + " with --engine " + options.engine +
                   ", which runs in one process",
               "--engine " + ListSplittingChoices());
    }
    if (options.ranks > 1 && !RankWorld::IsSupported())
    {
        refuse("--ranks " + std::to_string(options.ranks) +
                   ", but this dml is built against an ns-3 without MPI",
               "1, or more once './dml build --mpi' has built one with MPI");
    }
}

/// @return paths of the libraries that were loaded
std::vector<std::string>
ListPlugins()
{
    std::vector<std::string> paths;
    for (const auto& plugin : GetLoadedPlugins())
    {
        paths.push_back(plugin.path);
    }
    return paths;
}

/// @return how to call this program so that it makes the same study
std::vector<std::string>
RepeatArguments(const CommandOptions& options, const std::string& scenario)
{
    std::vector<std::string> arguments{scenario,
                                       "--engine=" + options.engine,
                                       "--ranks=" + std::to_string(options.ranks)};
    for (const auto& plugin : ListPlugins())
    {
        arguments.push_back("--plugin=" + plugin);
    }
    for (const auto& setting : options.settings)
    {
        arguments.push_back("--set=" + setting);
    }
    return arguments;
}

/// @return how the study was asked
CaseCommand
MakeCommand(const CommandOptions& options, const std::string& scenario)
{
    return {fs::current_path().string(),
            scenario,
            options.settings,
            options.engine,
            options.ranks,
            ListPlugins()};
}

Study::Options
MakeOptions(const CommandOptions& options,
            const std::vector<Scenario>& scenarios,
            const CaseCommand& command)
{
    Study::Options study;
    study.engines = ChooseEngines(options.engine);
    study.folder =
        options.out.empty() ? "results/" + MakeFolderName(scenarios.front().name) : options.out;
    study.unfinished = !options.cases.empty() ? UnfinishedStudy::JOIN
                       : options.resume       ? UnfinishedStudy::RESUME
                       : options.restart      ? UnfinishedStudy::RESTART
                                              : UnfinishedStudy::REFUSE;
    study.force = options.force;
    const bool alone = !options.cases.empty() || !options.emitCases.empty();
    study.jobs = options.jobs > 0 ? options.jobs
                 : alone          ? 1
                         : std::max(1u, std::thread::hardware_concurrency() / options.ranks);
    study.ranks = options.ranks;
    study.arguments = RepeatArguments(options, command.scenario);
    study.cases = options.cases;
    study.command = command.ToJson();
    study.explain = ExplainResults;
    return study;
}

/// @param scenario path of a file @return its variants
std::vector<Scenario>
ReadStudy(const CommandOptions& options, const std::string& scenario)
{
    CheckTogether(options);
    LoadPlugins(options.plugins);
    return ReadScenario(scenario, options.settings);
}

Study
MakeStudy(const CommandOptions& options,
          const std::string& scenario,
          const std::vector<Scenario>& scenarios)
{
    return Study(scenarios, MakeOptions(options, scenarios, MakeCommand(options, scenario)));
}

Study
MakeStudy(const CommandOptions& options, const std::string& scenario)
{
    return MakeStudy(options, scenario, ReadStudy(options, scenario));
}

/// @throws InputError for a file of commands that cannot be replaced
void
CheckEmitted(const std::string& file)
{
    std::error_code error;
    // a link, such as /dev/stdout, would itself be replaced
    const auto status = fs::symlink_status(file, error);
    if (file != STANDARD_OUTPUT && fs::exists(status) && !fs::is_regular_file(status))
    {
        throw InputError("--emit-cases: found '" + file +
                         "', which is there and no regular file; accepted: a new file, one to be "
                         "replaced, or - for standard output");
    }
}

int
EmitCases(const CommandOptions& options, const std::string& scenario)
{
    CheckEmitted(options.emitCases);
    Study study = MakeStudy(options, scenario);
    study.MakeFolder();
    study.MarkKept();
    const auto missing = study.FindMissing();
    const auto shares = ShareOut(study.GetPlan(), missing, options.lines);
    const CaseCommand command = MakeCommand(options, scenario);
    const std::string name = study.GetQuestion().GetName();
    std::string text;
    for (const auto& runs : shares)
    {
        text += command.MakeLine(study.GetFolder(), name, runs) + "\n";
    }
    if (options.emitCases == STANDARD_OUTPUT)
    {
        std::cout << text << std::flush;
        std::cerr << Plural(shares.size(), "command") << " for " << Plural(missing.size(), "run")
                  << ", the longest first; when all are done: dml merge "
                  << QuoteShellPath(study.GetFolder()) << std::endl;
        return std::cout ? 0 : 1;
    }
    WriteOutput(options.emitCases, text);
    const std::string file = QuoteShellPath(options.emitCases);
    const std::string lines = std::to_string(shares.size());
    const std::string task = "sed -n \"${SLURM_ARRAY_TASK_ID}p\" " + file + " | bash";
    std::cout << study.Describe() << Plural(shares.size(), "command") << " for "
              << Plural(missing.size(), "run") << " in " << options.emitCases
              << ", the longest first. To run them:\n"
              << "  here        parallel <" << file << "\n"
              << "  with Slurm  sbatch --array=1-" << lines << " --wrap " << QuoteShell(task)
              << "\n"
              << "and then:     dml merge " << QuoteShellPath(study.GetFolder()) << std::endl;
    if (shares.size() > SLURM_TASKS)
    {
        std::cout << "Slurm may not take so many array tasks; --lines " << SLURM_TASKS
                  << " shares the runs out among fewer commands" << std::endl;
    }
    return 0;
}

int
RunCases(const CommandOptions& options, const std::string& scenario)
{
    Study study = MakeStudy(options, scenario);
    const std::string name = study.GetQuestion().GetName();
    if (!options.study.empty() && options.study != name)
    {
        const std::string difference = StudyState::Compare(study.GetFolder(), study.GetQuestion());
        throw InputError("--study: the scenario, a profile or the program has changed since the "
                         "cases were emitted" +
                         (difference.empty() ? "" : " (" + difference + ")") +
                         "; accepted: cases emitted by this program from this scenario "
                         "(--emit-cases)");
    }
    study.MakeFolder();
    const std::size_t before = study.RunCases();
    const std::size_t done = options.cases.size() - before;
    std::cout << Plural(done, "run") << " done"
              << (before > 0 ? ", " + std::to_string(before) + " done before" : "") << "; kept in "
              << study.GetFolder() << std::endl;
    return 0;
}

/// @return the table of a study, of many variants that of the first ones
std::string
FormatFirst(const RunSummary& summary)
{
    constexpr std::size_t MOST = 100;
    RunSummary first;
    std::size_t variants = 0;
    std::size_t end = 0;
    for (std::size_t i = 0; i < summary.cases.size(); ++i)
    {
        variants += i == 0 || summary.cases[i].variant != summary.cases[i - 1].variant ? 1 : 0;
        end = variants <= MOST ? i + 1 : end;
    }
    if (variants <= MOST)
    {
        return FormatTable(summary, ShowsStyles(STDOUT_FILENO));
    }
    first.name = summary.name;
    first.cases.assign(summary.cases.begin(), summary.cases.begin() + end);
    first.notes = summary.notes;
    first.notes.push_back("tables: of the first " + std::to_string(MOST) + " of " +
                          std::to_string(variants) + " variants only; all are in summary.json");
    return FormatTable(first, ShowsStyles(STDOUT_FILENO), SummarizeSweep(summary));
}

/// Print all results. @return exit code
int
Report(const Study& study)
{
    std::cout << FormatFirst(study.GetSummary()) << '\n'
              << study.DescribeCost() << "results: " << study.GetFolder() << std::endl;
    return 0;
}

/// @return how the study of the first folder that holds one was asked
CaseCommand
FindCommand(const std::vector<std::string>& folders)
{
    for (const auto& folder : folders)
    {
        const auto text = StudyState::ReadCommand(folder);
        if (!text)
        {
            continue;
        }
        try
        {
            return CaseCommand::FromJson(*text);
        }
        catch (const InputError& error)
        {
            throw InputError(folder + ": its unfinished/command.json is not what dml wrote: " +
                             error.what() + "; or go on with the study itself (--resume)");
        }
    }
    throw InputError(folders.front() +
                     ": found no unfinished study; accepted: folders in which emitted cases have "
                     "run");
}

/// Code is loaded where the user says so alone: the folder may be anybody's.
/// @throws InputError if a study was made with libraries that are not loaded
void
CheckPlugins(const CaseCommand& command)
{
    const std::size_t loaded = GetLoadedPlugins().size();
    if (loaded != command.plugins.size())
    {
        std::string accepted;
        for (const auto& plugin : command.plugins)
        {
            accepted += " --plugin=" + QuoteShell(plugin);
        }
        throw InputError("merge: found " +
                         (loaded == 0 ? "no --plugin" : "--plugin " + Plural(loaded, "time")) +
                         "; accepted: " +
                         (accepted.empty() ? "none, as the study was made without"
                                           : "as the study was made, with" + accepted));
    }
}

/// Write the commands of runs that are missing. @return what to tell the user
std::string
TellMissing(Study& study,
            const CaseCommand& command,
            const std::vector<uint32_t>& missing,
            const std::string& out)
{
    constexpr std::size_t MOST = 3;
    const std::string name = study.GetQuestion().GetName();
    std::string lines;
    std::string first;
    for (std::size_t i = 0; i < missing.size(); ++i)
    {
        const std::string line = command.MakeLine(out, name, {missing[i]});
        lines += line + "\n";
        first += i < MOST ? "\n  " + study.GetPlan().GetLabel(missing[i]) + ":\n    " + line : "";
    }
    const std::string file = study.GetMissingPath();
    ResultFile::Replace(file, lines);
    return Plural(missing.size(), "run") + " of " +
           std::to_string(study.GetPlan().GetRuns().size()) +
           (missing.size() == 1 ? " is" : " are") + " missing:" + first +
           (missing.size() > MOST ? "\n  ..." : "") + "\nall their commands are in " + file +
           "; the results of the other runs are in " + study.GetFolder() +
           "; to complete them: these commands, then the same merge";
}

/// Choose the engine, and say which. @return options as if it had been given
CommandOptions
ResolveEngine(const CommandOptions& options, const std::string& scenario)
{
    if (options.ranks > 1)
    {
        throw InputError("found --ranks " + std::to_string(options.ranks) + " with --engine " +
                         AUTO_ENGINE + "; accepted: --engine " + ListSplittingChoices());
    }
    CommandOptions chosen = options;
    chosen.engine = DEFAULT_ENGINES;
    CheckTogether(chosen);
    LoadPlugins(options.plugins);
    const auto [engine, reason] =
        ChooseEngine(ReadScenario(scenario, options.settings), AUTO_SECONDS);
    // commands of single runs may go to standard output
    (options.emitCases == STANDARD_OUTPUT ? std::cerr : std::cout) << "engine: " << reason << "\n";
    chosen.engine = GetEngineName(engine);
    return chosen;
}

} // namespace

int
RunStudy(const CommandOptions& options, const std::string& scenario)
{
    if (options.engine == AUTO_ENGINE)
    {
        return RunStudy(ResolveEngine(options, scenario), scenario);
    }
    CheckTogether(options);
    if (!options.emitCases.empty())
    {
        return EmitCases(options, scenario);
    }
    if (!options.cases.empty())
    {
        return RunCases(options, scenario);
    }
    Study study = MakeStudy(options, scenario);
    study.MakeFolder();
    std::cout << study.Describe() << std::endl;
    study.Run();
    return Report(study);
}

int
CheckStudy(const CommandOptions& options, const std::string& scenario)
{
    const auto scenarios = ReadStudy(options, scenario);
    if (ChooseEngines(options.engine).count(EngineKind::PACKET) > 0)
    {
        MeasurePacketSpeed(scenarios.front().network);
    }
    const Study study = MakeStudy(options, scenario, scenarios);
    std::string text = study.Describe(ForecastIntervals(study.GetPlan()));
    for (const auto& warning : FindUndefinedThroughputs(study.GetPlan()))
    {
        AppendParagraph(text, "warning: ", warning);
    }
    for (uint32_t variant = 0; options.paths && variant < scenarios.size(); ++variant)
    {
        const std::string name = NameVariant(scenarios[variant].variant);
        text += (name.empty() ? "\n" : "\n" + name + "\n") +
                FormatPaths(*study.GetPlan().GetPrepared(variant));
    }
    std::cout << text;
    return 0;
}

int
RunRank(const CommandOptions& options)
{
    if (options.cases.size() != 1)
    {
        throw InputError("run-rank needs --case with one number");
    }
    MakeStudy(options, options.operands[2]).RunOnRank(options.cases.front(), options.operands[1]);
    return 0;
}

int
RunMerge(const CommandOptions& options)
{
    std::vector<std::string> folders;
    for (std::size_t i = 1; i < options.operands.size(); ++i)
    {
        if (!fs::is_directory(options.operands[i]))
        {
            throw InputError(
                options.operands[i] +
                ": found no such folder; accepted: folders in which emitted cases have "
                "run");
        }
        folders.push_back(fs::absolute(options.operands[i]).lexically_normal().string());
    }
    if (folders.size() > 1 && options.out.empty())
    {
        throw InputError("merge needs --out DIR for several folders");
    }
    LoadPlugins(options.plugins);
    CaseCommand command = FindCommand(folders);
    CheckPlugins(command);
    command.plugins = ListPlugins();
    CommandOptions asked;
    asked.settings = command.settings;
    asked.engine = command.engine;
    asked.ranks = command.ranks;
    asked.force = options.force;
    asked.jobs = 1;
    asked.out = options.out.empty() ? folders.front()
                                    : fs::absolute(options.out).lexically_normal().string();
    std::error_code elsewhere; // then the same paths may lead from here
    fs::current_path(command.place, elsewhere);
    const auto scenarios = ReadScenario(command.scenario, command.settings);
    auto study = MakeOptions(asked, scenarios, command);
    study.unfinished = UnfinishedStudy::MERGE;
    Study merged(scenarios, study);
    std::vector<std::unique_ptr<ResultFolder>> locks;
    for (const auto& folder : folders)
    {
        // a path may end with a slash or lead through links
        std::error_code ignored;
        if (!fs::equivalent(folder, asked.out, ignored))
        {
            locks.push_back(std::make_unique<ResultFolder>(folder, ResultFolder::Lock::SHARED));
        }
    }
    merged.MakeFolder();
    const auto missing = merged.Merge(folders);
    if (!missing.empty())
    {
        throw RunError(TellMissing(merged, command, missing, folders.front()));
    }
    return Report(merged);
}

} // namespace ns3::dml
