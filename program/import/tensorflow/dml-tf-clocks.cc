/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-step-builder.h"

#include "ns3/dml-clock-alignment.h"
#include "ns3/dml-error.h"

#include <algorithm>
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

/// @param clock as aligned; @return a rule
std::string
PrintClock(const MachineClock& clock)
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
    if (clock.kept)
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

/**
 * Bring transfers to the worker's clock.
 * @return what a machine's clock shows minus what the worker's shows, ns
 */
std::map<std::string, int64_t>
AlignTransfers(std::vector<RecordedTransfer>& transfers,
               const std::string& worker,
               std::vector<std::string>& rules,
               std::vector<std::string>& warnings)
{
    std::map<std::string, int64_t> offsets;
    if (transfers.empty())
    {
        return offsets;
    }
    const ClockAlignment alignment = AlignClocks(transfers, worker);
    const std::size_t first = rules.size();
    bool moved = false;
    for (const MachineClock& clock : alignment.machines)
    {
        if (clock.machine == worker)
        {
            continue;
        }
        moved = moved || !clock.kept;
        offsets[clock.machine] = clock.offset;
        rules.push_back(PrintClock(clock));
    }
    if (moved)
    {
        // The first rule says what the offsets are based on, the others are those above.
        rules.insert(rules.begin() + first, alignment.rules.front());
    }
    warnings.insert(warnings.end(), alignment.warnings.begin(), alignment.warnings.end());
    ApplyClocks(transfers, alignment);
    return offsets;
}

/**
 * Bring what parameter servers recorded in a step to the worker's clock.
 * @param step a step, changed
 * @param offsets what a machine's clock shows minus what the worker's shows, ns; 0 if not listed
 */
void
AlignStep(TfBuiltStep& step, const std::map<std::string, int64_t>& offsets)
{
    MeasuredStep& measured = step.measured;
    measured.start = step.workerStart;
    measured.end = step.workerEnd;
    for (MeasuredOp& op : measured.ops)
    {
        if (const auto server = step.servers.find(op.name); server != step.servers.end())
        {
            const auto offset = offsets.find(server->second);
            int64_t start = op.start;
            // Checked op by op: a start far from the worker's need not fit into 64 bits.
            if ((offset != offsets.end() &&
                 __builtin_sub_overflow(op.start, offset->second, &start)) ||
                start > measured.end + TfStep::MAX_LENGTH ||
                start < measured.start - TfStep::MAX_LENGTH)
            {
                throw InputError(measured.place + ": found '" + op.name + "' on " + server->second +
                                 " more than 1e6 s from the worker's ops; accepted: a step of at "
                                 "most 1e6 s");
            }
            op.start = start;
        }
        measured.start = std::min(measured.start, op.start);
        measured.end = std::max(measured.end, op.start + op.duration);
        if (measured.end - measured.start > TfStep::MAX_LENGTH)
        {
            throw InputError(measured.place + ": found '" + op.name +
                             "' in a step of more than 1e6 s; accepted: a step of at most 1e6 s");
        }
    }
    std::stable_sort(measured.ops.begin(),
                     measured.ops.end(),
                     [](const MeasuredOp& a, const MeasuredOp& b) { return a.start < b.start; });
}

} // namespace

void
AlignTfSteps(std::vector<TfBuiltStep>& steps,
             std::vector<RecordedTransfer>& transfers,
             const std::string& worker,
             bool align,
             std::vector<std::string>& rules,
             std::vector<std::string>& warnings)
{
    std::map<std::string, int64_t> offsets;
    if (align)
    {
        offsets = AlignTransfers(transfers, worker, rules, warnings);
    }
    else
    {
        rules.emplace_back("clocks: taken for one");
    }
    for (TfBuiltStep& step : steps)
    {
        AlignStep(step, offsets);
    }
}

} // namespace ns3::dml
