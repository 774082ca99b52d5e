/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-commands.h"

#include "ns3/dml-error.h"
#include "ns3/dml-learn-report.h"
#include "ns3/dml-output-folder.h"
#include "ns3/dml-plot-writer.h"
#include "ns3/dml-result-file.h"
#include "ns3/dml-result-folder.h"
#include "ns3/dml-study-inputs.h"
#include "ns3/dml-table-cells.h"
#include "ns3/dml-terminal-text.h"
#include "ns3/dml-value-text.h"

#include <filesystem>
#include <fmt/core.h>
#include <iostream>
#include <iterator>
#include <map>
#include <unistd.h>

namespace ns3::dml
{

namespace
{

namespace fs = std::filesystem;

/// @return the last part of a path
std::string
GetLastName(const fs::path& path)
{
    return (path.has_filename() ? path : path.parent_path()).filename().string();
}

/**
 * @return what the schemes of each folder are called beside those of others: its last name, or if
 * that is not its own, all of its path
 * @throws InputError if one is there twice
 */
std::vector<std::string>
NameFolders(const std::vector<std::string>& folders)
{
    std::vector<fs::path> paths;
    std::map<std::string, uint32_t> names;
    for (const auto& folder : folders)
    {
        paths.push_back(fs::absolute(folder).lexically_normal());
        ++names[GetLastName(paths.back())];
    }
    std::vector<std::string> found;
    for (std::size_t i = 0; i < folders.size(); ++i)
    {
        const std::string name = GetLastName(paths[i]);
        found.push_back(names[name] > 1 ? folders[i] : name);
        for (std::size_t other = 0; other < i; ++other)
        {
            std::error_code none;
            if (fs::equivalent(paths[i], paths[other], none))
            {
                throw InputError(folders[i] + ": is given twice; accepted: each folder once");
            }
        }
    }
    return found;
}

} // namespace

int
RunLearn(const CommandOptions& options)
{
    std::vector<GradientLog> logs;
    std::vector<std::string> names;
    const std::vector<std::string> folders(options.operands.begin() + 1, options.operands.end());
    const auto folderNames = NameFolders(folders);
    CheckSameInputs(folders);
    for (std::size_t i = 0; i < folders.size(); ++i)
    {
        auto more = ReadGradientLogs(folders[i]);
        for (const auto& log : more)
        {
            const bool named = folders.size() > 1 || log.variant.empty();
            const std::string name = named ? folderNames[i] : "";
            names.push_back(name + (name.empty() || log.variant.empty() ? "" : ": ") + log.variant);
        }
        logs.insert(logs.end(),
                    std::make_move_iterator(more.begin()),
                    std::make_move_iterator(more.end()));
    }
    if (logs.empty())
    {
        throw InputError(
            options.operands[1] +
            "/versions.csv: has no gradients; accepted: results with at least one run");
    }
    const auto problem = MakeLearningProblem(options.problem);
    const auto schemes =
        LearnSchemes(logs, names, *problem, {options.target, options.learningRate});
    std::cout << fmt::format("{}: {} parameters, {} samples; target: {} of the first loss\n\n",
                             options.problem,
                             problem->GetStart().size(),
                             problem->GetSamples(),
                             FormatValue(options.target))
              << FormatSchemes(schemes, ShowsStyles(STDOUT_FILENO)) << std::flush;
    for (const auto& folder : folders)
    {
        if (IsUnfinished(folder))
        {
            std::cout << WrapRemark(folder + ": not all of its runs are done");
        }
    }
    std::cout << '\n'
              << WrapRemark(
                     "stale by: versions between that on which a gradient was computed and that "
                     "which it made; +-: 95 % interval over replications; time against the "
                     "first: ratio - 1, of pairs of replications; ?: may be 0.")
              << WrapRemark(
                     "Small problems rank schemes. How many updates a model of yours needs, they "
                     "do not tell.");
    const std::string folder = options.out.empty() ? options.operands[1] : options.out;
    MakeOutputFolder(folder);
    ResultFile::Replace(folder + "/learning.csv", FormatLearningCsv(schemes));
    const std::string warning = PlotWriter(folder).Write(
        PlotLearning(schemes, fmt::format("{}, W={}", options.problem, schemes.front().workers)));
    std::cout << "curves: " << EscapeControls(folder) << "/learning.csv, learning.svg\n";
    if (!warning.empty())
    {
        std::cerr << "dml: " << warning << '\n';
    }
    return 0;
}

} // namespace ns3::dml
