/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-batch-size-service.h"

#include <cmath>
#include <limits>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Read a count of at least 1. @return whether it is one
bool
ReadCount(const NamedValues& values, const char* name, uint32_t& count)
{
    count = CountFromValues(values, name).value_or(0);
    return count >= 1;
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
            {"used", report.used},
            {"largest", report.largest}};
}

std::optional<WorkerReport>
ReportFromValues(const NamedValues& values)
{
    WorkerReport report;
    const bool good =
        ReadCount(values, "batch", report.batch) && ReadNumber(values, "seconds", report.seconds) &&
        ReadNumber(values, "cpu", report.cpu) && ReadNumber(values, "memory", report.memory) &&
        ReadNumber(values, "used", report.used) && ReadCount(values, "largest", report.largest);
    return good ? std::make_optional(report) : std::nullopt;
}

std::optional<uint32_t>
CountFromValues(const NamedValues& values, const char* name)
{
    const auto found = values.find(name);
    const bool good = found != values.end() && found->second >= 0 &&
                      found->second <= std::numeric_limits<uint32_t>::max() &&
                      found->second == std::floor(found->second);
    return good ? std::make_optional(static_cast<uint32_t>(found->second)) : std::nullopt;
}

NamedValues
ToValues(const SampleReport& report)
{
    return {{"progress", report.progress}, {"samples", report.samples}, {"left", report.left}};
}

std::optional<SampleReport>
SampleReportFromValues(const NamedValues& values, uint32_t step)
{
    SampleReport report;
    report.step = step;
    const auto left = CountFromValues(values, "left");
    const bool good = ReadNumber(values, "progress", report.progress) && report.progress <= 1 &&
                      ReadCount(values, "samples", report.samples) && left &&
                      *left <= report.samples;
    report.left = left.value_or(0);
    return good ? std::make_optional(report) : std::nullopt;
}

NamedValues
ToValues(const SampleMove& move)
{
    NamedValues values;
    if (move.take > 0)
    {
        values["take"] = move.take;
    }
    if (move.give > 0)
    {
        values["give"] = move.give;
    }
    return values;
}

SampleMove
MoveFromValues(const NamedValues& values)
{
    return {CountFromValues(values, "take").value_or(0),
            CountFromValues(values, "give").value_or(0)};
}

BatchSizeService::BatchSizeService(Ptr<BatchSizeControl> control, uint32_t workers, Answer answer)
    : m_manager(std::move(control), workers, static_cast<BatchSizeListener&>(*this)),
      m_answer(std::move(answer)),
      m_calls(workers, 0)
{
}

bool
BatchSizeService::Take(uint32_t worker, int32_t call, const RunGraphRequest& request)
{
    const auto report = ReportFromValues(request.send);
    if (!report || request.stepId < 0)
    {
        return false;
    }
    m_calls[worker] = call;
    m_manager.Report(worker, request.stepId, *report);
    return true;
}

} // namespace ns3::dml
