/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-result-summary.h"

#include "ns3/dml-checksum.h"
#include "ns3/dml-utf8.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3::dml
{

namespace
{

/// @param value of a key in a sweep; @return it, short enough for every row of a table
std::string
ShortenValue(const std::string& value)
{
    constexpr std::size_t LONGEST = 80;
    constexpr std::size_t BEGINNING = 60;
    constexpr std::size_t DIGITS = 8;
    if (value.size() <= LONGEST)
    {
        return value;
    }
    return ShortenText(value, BEGINNING + 3) + MakeChecksum(value).substr(0, DIGITS);
}

} // namespace

bool
HostConditions::IsDisturbed() const
{
    constexpr double MOST = 0.25; // cores; measured: throughput differs by several per cent beyond
    return otherCpu > MOST;
}

Confidence
EngineSummary::GetThroughput() const
{
    std::vector<std::optional<double>> values;
    for (const auto& run : replications)
    {
        values.push_back(run.throughput.samplesPerSecond);
    }
    return ComputeConfidence(values);
}

std::optional<double>
EngineSummary::GetUtilisation(Direction direction) const
{
    std::vector<std::optional<double>> values;
    for (const auto& run : replications)
    {
        std::optional<double> busiest;
        for (const double value : direction == Direction::DOWNLINK ? run.downlink : run.uplink)
        {
            if (std::isfinite(value))
            {
                busiest = std::max(busiest.value_or(value), value);
            }
        }
        values.push_back(busiest);
    }
    return ComputeConfidence(values).mean;
}

ShareSummary
EngineSummary::GetShares() const
{
    ShareSummary result;
    std::vector<std::optional<double>> means;
    std::vector<std::optional<double>> percentiles;
    std::vector<std::vector<std::optional<double>>> workers;
    for (const auto& run : replications)
    {
        if (run.shares.intervals == 0)
        {
            continue;
        }
        result.intervals += run.shares.intervals;
        means.emplace_back(run.shares.mean);
        percentiles.emplace_back(run.shares.p90);
        workers.resize(run.shares.workers.size());
        for (std::size_t worker = 0; worker < workers.size(); ++worker)
        {
            const double value = run.shares.workers[worker];
            workers[worker].push_back(std::isfinite(value) ? std::optional<double>(value)
                                                           : std::nullopt);
        }
    }
    constexpr double NONE = std::numeric_limits<double>::quiet_NaN();
    result.mean = ComputeConfidence(means).mean.value_or(NONE);
    result.p90 = ComputeConfidence(percentiles).mean.value_or(NONE);
    for (const auto& values : workers)
    {
        result.workers.push_back(ComputeConfidence(values).mean.value_or(NONE));
    }
    return result;
}

ScheduleSummary
EngineSummary::GetSchedule() const
{
    ScheduleSummary result;
    for (const auto& run : replications)
    {
        result.Merge(run.schedule);
    }
    return result;
}

SyncSummary
EngineSummary::GetSync() const
{
    SyncSummary result;
    for (const auto& run : replications)
    {
        result.Merge(run.sync);
    }
    return result;
}

double
EngineSummary::GetCpuSeconds() const
{
    double sum = 0;
    for (const auto& run : replications)
    {
        sum += run.cpuSeconds;
    }
    return sum;
}

const EngineSummary*
CaseSummary::FindEngine(EngineKind kind) const
{
    const auto found = engines.find(kind);
    return found != engines.end() ? &found->second : nullptr;
}

const EngineSummary*
CaseSummary::FindEngineThat(EngineTrait trait) const
{
    const auto found = std::find_if(engines.begin(), engines.end(), [trait](const auto& engine) {
        return GetEngine(engine.first).Has(trait);
    });
    return found != engines.end() ? &found->second : nullptr;
}

std::vector<std::pair<std::optional<double>, std::optional<double>>>
CaseSummary::PairReplications(const EngineComparison& comparison) const
{
    std::vector<std::pair<std::optional<double>, std::optional<double>>> pairs;
    const EngineSummary* what = FindEngine(comparison.what);
    const EngineSummary* against = FindEngine(comparison.against);
    if (!what || !against)
    {
        return pairs;
    }
    for (const auto& run : against->replications)
    {
        for (const auto& other : what->replications)
        {
            if (other.replication == run.replication)
            {
                pairs.emplace_back(other.throughput.samplesPerSecond,
                                   run.throughput.samplesPerSecond);
            }
        }
    }
    return pairs;
}

Confidence
CaseSummary::GetRelativeError(const EngineComparison& comparison) const
{
    std::vector<std::optional<double>> errors;
    for (const auto& [predicted, reference] : PairReplications(comparison))
    {
        errors.emplace_back(predicted && reference && *reference > 0
                                ? std::optional<double>(*predicted / *reference - 1)
                                : std::nullopt);
    }
    return ComputeConfidence(errors);
}

RelativeDifference
CaseSummary::GetDifference(const EngineComparison& comparison) const
{
    return EstimateDifference(PairReplications(comparison));
}

EngineSet
CaseSummary::GetEngines() const
{
    EngineSet kinds;
    for (const auto& [kind, engine] : engines)
    {
        kinds.insert(kind);
    }
    return kinds;
}

std::string
CaseSummary::GetVariantName() const
{
    return NameVariant(variant);
}

EngineSet
RunSummary::GetShownEngines() const
{
    EngineSet shown = ChooseEngines(DEFAULT_ENGINES);
    for (const auto& item : cases)
    {
        for (const auto& [kind, engine] : item.engines)
        {
            shown.insert(kind);
        }
    }
    return shown;
}

std::string
NameVariant(const std::vector<std::pair<std::string, std::string>>& variant)
{
    std::string name;
    for (const auto& [key, value] : variant)
    {
        name += (name.empty() ? "" : ", ") + key + "=" + ShortenValue(value);
    }
    return name;
}

} // namespace ns3::dml
