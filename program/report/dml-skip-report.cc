/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-skip-report.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace ns3
{
namespace dml
{

std::string
MakeSkipNote(const RunSummary& summary)
{
    double least = 1;
    double skipped = 0;
    double time = 0;
    for (const auto& item : summary.cases)
    {
        for (const auto& [kind, engine] : item.engines)
        {
            for (const auto& run : engine.replications)
            {
                if (run.skipped)
                {
                    skipped += run.skipped->seconds;
                    time += run.end;
                    least = std::min(least, run.skipped->seconds / run.end);
                }
            }
        }
    }
    if (time == 0)
    {
        return "";
    }
    std::ostringstream text;
    text << std::fixed << std::setprecision(1) << "fast forward: " << 100 * skipped / time
         << " % of the time was skipped, in the run with the least " << 100 * least << " %";
    return text.str();
}

} // namespace dml
} // namespace ns3
