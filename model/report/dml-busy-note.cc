/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-busy-note.h"

#include "ns3/dml-cpu-time.h"
#include "ns3/dml-plural.h"

#include <algorithm>
#include <fmt/core.h>

namespace ns3::dml
{

std::vector<std::string>
MakeBusyNotes(const RunSummary& summary)
{
    std::size_t all = 0;
    std::size_t busy = 0;
    double most = 0;
    double longest = 0;
    for (const auto& item : summary.cases)
    {
        const EngineSummary* engine = item.FindEngine(EngineKind::HOST);
        for (std::size_t i = 0; engine && i < engine->replications.size(); ++i)
        {
            const auto& host = engine->replications[i].host;
            ++all;
            if (host && host->busyBefore > DISTURBING_CORES)
            {
                ++busy;
                most = std::max(most, host->busyBefore);
                longest = std::max(longest, host->waitedForIdle);
            }
        }
    }
    if (busy == 0)
    {
        return {};
    }
    return {fmt::format("host: {} of {} began on a busy machine, where something else took up to "
                        "{:.1f} of its cores, after waiting up to {:.0f} s for it "
                        "(host.wait_for_idle)",
                        busy,
                        Plural(all, "run"),
                        most,
                        longest)};
}

} // namespace ns3::dml
