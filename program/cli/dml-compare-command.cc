/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-commands.h"
#include "dml-output-file.h"

#include "ns3/dml-error.h"
#include "ns3/dml-summary-comparison.h"
#include "ns3/dml-terminal-text.h"

#include <iostream>
#include <unistd.h>

namespace ns3::dml
{

int
RunCompare(const CommandOptions& options)
{
    CheckReplaceable(options.out, options.force);
    const StoredSummary a = ReadStoredSummary(options.operands[1]);
    const StoredSummary b = ReadStoredSummary(options.operands[2]);
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
