/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-clocks.h"

#include "ns3/dml-clock-alignment.h"

#include <cmath>
#include <fmt/core.h>

namespace ns3::dml
{

namespace
{

constexpr int64_t UNKNOWN = RecordedTransfer::UNKNOWN;

/// @return @p ns in milliseconds, with its sign
std::string
PrintSignedMs(double ns)
{
    return fmt::format("{:+.3f} ms", ns / 1e6);
}

/// @param clock as aligned; @param kept whether it is left as it is; @return a rule
std::string
PrintClock(const MachineClock& clock, bool kept)
{
    const bool above = clock.lower != UNKNOWN;
    const bool below = clock.upper != UNKNOWN;
    const std::string lower = PrintSignedMs(static_cast<double>(clock.lower));
    const std::string upper = PrintSignedMs(static_cast<double>(clock.upper));
    const std::string bounds = above && below ? lower + " to " + upper
                               : above        ? "at least " + lower
                               : below        ? "at most " + upper
                                              : "";
    std::string text = "clock of " + clock.machine + ": ";
    if (kept)
    {
        return text + "left as it is, since it may be right (" +
               (bounds.empty() ? "no transfer tells anything of it" : bounds) + ")";
    }
    text += PrintSignedMs(static_cast<double>(clock.offset)) + ", ";
    if (above && below)
    {
        const double width = static_cast<double>(clock.upper) - static_cast<double>(clock.lower);
        text += fmt::format("known to +-{:.3f} ms", std::abs(width) / 2 / 1e6);
    }
    else
    {
        text += "known on one side only (" + bounds + ")";
    }
    return text + (clock.pinned ? ", where in that by receive times" : "");
}

} // namespace

TfClocks
AlignTfTransfers(std::vector<RecordedTransfer>& transfers, const std::string& worker)
{
    TfClocks clocks;
    if (transfers.empty())
    {
        return clocks;
    }
    ClockAlignment alignment = AlignClocks(transfers, worker);
    bool moved = false;
    for (MachineClock& clock : alignment.machines)
    {
        if (clock.machine == worker)
        {
            continue;
        }
        const bool mayBeRight = (clock.lower == UNKNOWN || clock.lower <= 0) &&
                                (clock.upper == UNKNOWN || clock.upper >= 0);
        const bool kept = mayBeRight && !clock.pinned;
        clock.offset = kept ? 0 : clock.offset;
        moved = moved || !kept;
        clocks.offsets[clock.machine] = clock.offset;
        clocks.rules.push_back(PrintClock(clock, kept));
    }
    if (moved)
    {
        // The first rule says what the offsets are based on, the others are those above.
        clocks.rules.insert(clocks.rules.begin(), alignment.rules.front());
    }
    clocks.warnings = alignment.warnings;
    ApplyClocks(transfers, alignment);
    return clocks;
}

} // namespace ns3::dml
