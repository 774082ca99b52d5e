/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-batch-size-messages.h"

#include <cmath>
#include <limits>

namespace ns3
{
namespace dml
{

namespace
{

/// Read a count. @return whether it is one
bool
ReadCount(const NamedValues& values, const char* name, uint32_t& count)
{
    const auto found = values.find(name);
    const bool good = found != values.end() && found->second >= 1 &&
                      found->second <= std::numeric_limits<uint32_t>::max() &&
                      found->second == std::floor(found->second);
    count = good ? static_cast<uint32_t>(found->second) : 0;
    return good;
}

/// Read a number that is not negative. @return whether it is one
bool
ReadNumber(const NamedValues& values, const char* name, double& number)
{
    const auto found = values.find(name);
    number = found == values.end() ? 0 : found->second;
    return found != values.end() && std::isfinite(number) && number >= 0;
}

} // namespace

NamedValues
ToValues(const WorkerReport& report)
{
    return {{"batch", report.batch},
            {"seconds", report.seconds},
            {"cpu", report.cpu},
            {"memory", report.memory},
            {"largest", report.largest}};
}

std::optional<WorkerReport>
ReportFromValues(const NamedValues& values)
{
    WorkerReport report;
    const bool good =
        ReadCount(values, "batch", report.batch) && ReadNumber(values, "seconds", report.seconds) &&
        ReadNumber(values, "cpu", report.cpu) && ReadNumber(values, "memory", report.memory) &&
        ReadCount(values, "largest", report.largest);
    return good ? std::make_optional(report) : std::nullopt;
}

} // namespace dml
} // namespace ns3
