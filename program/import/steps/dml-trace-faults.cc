/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-trace-faults.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <fmt/core.h>

namespace ns3::dml
{

namespace
{

/// @return what is said of @p count faults
std::string
DescribeFault(TraceFault fault, uint64_t count, double excessMs, const std::string& example)
{
    const char* const s = count == 1 ? "" : "s";
    const char* const are = count == 1 ? "is" : "are";
    switch (fault)
    {
    case TraceFault::NO_JSON:
        return fmt::format("{} record{} had what is no JSON: control characters or bytes that are "
                           "no UTF-8, read as '?', or inf, the first: {}",
                           count,
                           s,
                           example);
    case TraceFault::UNREADABLE:
        return fmt::format(
            "{} record{} {} left out, as a value in {} cannot be right, the first: {}",
            count,
            s,
            are,
            count == 1 ? "it" : "them",
            example);
    case TraceFault::ENDLESS:
        return fmt::format("{} record{} {} left out, as the profiler did not see the end of what "
                           "was recorded, the first: {}",
                           count,
                           s,
                           are,
                           example);
    case TraceFault::NO_ADDRESS:
        return fmt::format("{} [memory] record{} {} left out, as PyTorch before 1.10 wrote them "
                           "without an address: what ops hold is not known",
                           count,
                           s,
                           are);
    case TraceFault::LONG_KERNEL:
        return fmt::format("{} kernel{} lasted past the start of the next one on the same stream, "
                           "by up to {:.4g} ms, and {} taken to end there",
                           count,
                           s,
                           excessMs,
                           are);
    case TraceFault::OVERLAP:
        return fmt::format("{} step{} lasted past the start of the next one, by up to {:.4g} ms, "
                           "and {} taken to end there",
                           count,
                           s,
                           excessMs,
                           are);
    case TraceFault::DAMAGED_STEP:
        return fmt::format("{} step{} {} left out, as a time in {} cannot be right, the first: {}",
                           count,
                           s,
                           are,
                           count == 1 ? "it" : "them",
                           example);
    case TraceFault::LOST_KERNELS:
        return fmt::format("{} step{} {} left out, as the profiler lost kernels that the step "
                           "launched, the first: {}",
                           count,
                           s,
                           are,
                           example);
    }
    return {};
}

} // namespace

void
TraceFaults::Add(TraceFault fault, const std::string& example, int64_t excess)
{
    Found& found = m_found[static_cast<std::size_t>(fault)];
    if (found.count++ == 0)
    {
        found.example = example;
    }
    found.excess = std::max(found.excess, excess);
}

std::string
TraceFaults::GetReason() const
{
    for (const TraceFault fault :
         {TraceFault::UNREADABLE, TraceFault::ENDLESS, TraceFault::DAMAGED_STEP})
    {
        const Found& found = m_found[static_cast<std::size_t>(fault)];
        if (found.count > 0)
        {
            return "; left out: " + found.example;
        }
    }
    return {};
}

void
TraceFaults::RefuseIfMost(const std::string& file, uint64_t kept) const
{
    const uint64_t steps = GetCount(TraceFault::DAMAGED_STEP);
    const uint64_t lost = GetCount(TraceFault::UNREADABLE) + GetCount(TraceFault::ENDLESS) + steps;
    if (kept > 0 && lost > kept)
    {
        throw InputError(fmt::format("{}: found {} of {} {} with a value that cannot be "
                                     "right; accepted is a trace of which at most half are left "
                                     "out{}",
                                     file,
                                     lost,
                                     lost + kept,
                                     steps > 0 ? "steps" : "records",
                                     GetReason()));
    }
}

std::vector<std::string>
TraceFaults::Tell() const
{
    std::vector<std::string> told;
    for (std::size_t kind = 0; kind < m_found.size(); ++kind)
    {
        const Found& found = m_found[kind];
        if (found.count > 0)
        {
            told.push_back(DescribeFault(static_cast<TraceFault>(kind),
                                         found.count,
                                         static_cast<double>(found.excess) * 1e-6,
                                         found.example));
        }
    }
    return told;
}

} // namespace ns3::dml
