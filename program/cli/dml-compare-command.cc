/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-commands.h"
#include "dml-output-file.h"

#include "ns3/dml-error.h"
#include "ns3/dml-study-inputs.h"
#include "ns3/dml-summary-comparison.h"
#include "ns3/dml-terminal-text.h"

#include <filesystem>
#include <iostream>
#include <unistd.h>

namespace ns3::dml
{

namespace
{

/// Files of one name that had other contents are settings that differ, too.
void
AddInputs(StoredSummary& a, StoredSummary& b)
{
    const auto read = [](const StoredSummary& summary) {
        return ReadStudyInputs(std::filesystem::path(summary.file).parent_path().string());
    };
    const StudyInputs ofA = read(a);
    for (const auto& [path, input] : read(b))
    {
        const auto other = ofA.find(path);
        if (other != ofA.end())
        {
            a.settings["checksum of " + path] = other->second.checksum;
            b.settings["checksum of " + path] = input.checksum;
        }
    }
}

} // namespace

int
RunCompare(const CommandOptions& options)
{
    CheckReplaceable(options.out, options.force);
    StoredSummary a = ReadStoredSummary(options.operands[1]);
    StoredSummary b = ReadStoredSummary(options.operands[2]);
    AddInputs(a, b);
    const SummaryComparison comparison = CompareSummaries(a, b);
    if (comparison.cases.empty())
    {
        throw InputError(b.file +
                         ": has no configuration with the workers, the swept values and "
                         "an engine of one in " +
                         a.file + "; accepted: results of runs that differ in other keys");
    }
    std::cout << FormatComparison(comparison, ShowsStyles(STDOUT_FILENO));
    if (!options.out.empty())
    {
        WriteOutput(options.out, FormatComparisonCsv(comparison));
        std::cout << "table: " << options.out << '\n';
    }
    return 0;
}

} // namespace ns3::dml
