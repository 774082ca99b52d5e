/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-skip-report.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace ns3::dml
{

std::vector<std::string>
MakeSkipNotes(const RunSummary& summary)
{
    double least = 1;
    double time = 0;
    SkippedTotals skipped;
    for (const auto& item : summary.cases)
    {
        for (const auto& [kind, engine] : item.engines)
        {
            for (const auto& run : engine.replications)
            {
                if (run.skipped)
                {
                    skipped.Add(*run.skipped);
                    time += run.end;
                    least = std::min(least, run.skipped->seconds / run.end);
                }
            }
        }
    }
    if (time == 0)
    {
        return {};
    }
    std::ostringstream share;
    share << std::fixed << std::setprecision(1) << "fast forward: " << 100 * skipped.seconds / time
          << " % of the time was skipped, in the run with the least " << 100 * least << " %";
    std::ostringstream error;
    error << std::fixed << std::setprecision(2) << "fast forward: ";
    if (skipped.checkedBytes > 0)
    {
        error << skipped.checks << " of " << skipped.skips + skipped.checks
              << " skips were simulated instead; there rates are off by "
              << 100 * skipped.GetMeanError() << " %, at most " << 100 * skipped.largestError
              << " %";
    }
    else
    {
        error << "no skip was simulated instead, so how far off rates are is not known";
    }
    return {share.str(), error.str()};
}

} // namespace ns3::dml
