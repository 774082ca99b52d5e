/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-result-summary.h"

#include "ns3/dml-checksum.h"
#include "ns3/dml-cpu-time.h"
#include "ns3/dml-ratio-interval.h"
#include "ns3/dml-utf8.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>

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

/// @return runs of the same replications, in the order of the first
std::vector<std::pair<const ReplicationSummary*, const ReplicationSummary*>>
FindPairs(const EngineSummary& first, const EngineSummary& second)
{
    std::multimap<uint32_t, const ReplicationSummary*> others;
    for (const auto& run : second.replications)
    {
        others.emplace(run.replication, &run);
    }
    std::vector<std::pair<const ReplicationSummary*, const ReplicationSummary*>> pairs;
    for (const auto& run : first.replications)
    {
        const auto [begin, end] = others.equal_range(run.replication);
        for (auto other = begin; other != end; ++other)
        {
            pairs.emplace_back(&run, other->second);
        }
    }
    return pairs;
}

/// @param engine its runs @return their throughputs, samples/s
std::vector<std::optional<double>>
ListThroughputs(const EngineSummary& engine)
{
    std::vector<std::optional<double>> values;
    values.reserve(engine.replications.size());
    for (const auto& run : engine.replications)
    {
        values.push_back(run.throughput.samplesPerSecond);
    }
    return values;
}

/// @param what runs @param against runs @return throughputs of the first and the second in the
/// replications that both ran; empty if either is null
std::vector<std::pair<std::optional<double>, std::optional<double>>>
PairReplications(const EngineSummary* what, const EngineSummary* against)
{
    std::vector<std::pair<std::optional<double>, std::optional<double>>> pairs;
    if (!what || !against)
    {
        return pairs;
    }
    for (const auto& [run, other] : FindPairs(*against, *what))
    {
        pairs.emplace_back(other->throughput.samplesPerSecond, run->throughput.samplesPerSecond);
    }
    return pairs;
}

/// @param sorted values, at least one @param fraction 0 to 1 @return the nearest rank's value
double
GetQuantile(const std::vector<double>& sorted, double fraction)
{
    const double rank = std::ceil(fraction * sorted.size());
    return sorted[std::max<std::size_t>(static_cast<std::size_t>(rank), 1) - 1];
}

} // namespace

bool
HostConditions::IsDisturbed() const
{
    return otherCpu > DISTURBING_CORES;
}

Confidence
EngineSummary::GetThroughput() const
{
    return ComputeConfidence(ListThroughputs(*this));
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
    ScheduleSummary result = m_schedule;
    for (const auto& run : replications)
    {
        if (run.schedule)
        {
            result.Merge(*run.schedule);
        }
    }
    return result;
}

void
EngineSummary::Add(ReplicationSummary run)
{
    // most come in order
    auto place = replications.end();
    while (place != replications.begin() && std::prev(place)->replication > run.replication)
    {
        --place;
    }
    replications.insert(place, std::move(run));
    for (; m_taken < replications.size() && replications[m_taken].replication == m_taken; ++m_taken)
    {
        // in the order of the replications, whatever order they end in: sums depend on it
        ReplicationSummary& next = replications[m_taken];
        m_schedule.Merge(*next.schedule);
        next.scheduleMeans = next.schedule->GetMeans();
        next.schedule.reset();
    }
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

std::size_t
EngineSummary::CountCollapses() const
{
    return std::count_if(replications.begin(), replications.end(), [](const auto& run) {
        return !run.collapse.empty();
    });
}

Confidence
EngineSummary::GetMatched() const
{
    std::vector<std::pair<double, std::optional<double>>> runs;
    for (const auto& run : replications)
    {
        if (run.matched && run.matched->slower)
        {
            runs.emplace_back(*run.matched->slower, run.matched->halfWidth);
        }
    }
    return CombineRuns(runs);
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

Confidence
CaseSummary::GetRelativeError(const EngineComparison& comparison) const
{
    std::vector<std::optional<double>> errors;
    for (const auto& [predicted, reference] :
         PairReplications(FindEngine(comparison.what), FindEngine(comparison.against)))
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
    return CompareRuns(FindEngine(comparison.what), FindEngine(comparison.against));
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

std::string
CaseSummary::GetName() const
{
    const std::string name = GetVariantName();
    return "W=" + std::to_string(workers) + (name.empty() ? "" : ", " + name);
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

RelativeDifference
CompareRuns(const EngineSummary* what, const EngineSummary* against)
{
    const auto pairs = PairReplications(what, against);
    return pairs.empty()
               ? EstimateDifference(pairs)
               : EstimateDifference(pairs, ListThroughputs(*what), ListThroughputs(*against));
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

std::optional<TensorError>
ComputeTensorError(const CaseSummary& item, const EngineComparison& comparison)
{
    const EngineSummary* what = item.FindEngine(comparison.what);
    const EngineSummary* against = item.FindEngine(comparison.against);
    if (!what || !against)
    {
        return std::nullopt;
    }
    TensorError result;
    std::vector<double> errors; // sums over the pairs; NaN where a transfer does not exist
    for (const auto& [measured, predicted] : FindPairs(*against, *what))
    {
        const std::size_t size = measured->completions.size();
        if (predicted->completions.size() != size || !(measured->completionStep > 0))
        {
            continue;
        }
        errors.resize(size, 0);
        for (std::size_t i = 0; i < size; ++i)
        {
            errors[i] +=
                (predicted->completions[i] - measured->completions[i]) / measured->completionStep;
        }
        ++result.pairs;
    }
    std::vector<double> magnitudes;
    for (std::size_t i = 0; i < errors.size(); ++i)
    {
        const double error = errors[i] / result.pairs;
        if (!std::isfinite(error))
        {
            continue;
        }
        if (magnitudes.empty() || std::abs(error) > std::abs(result.worst))
        {
            result.worst = error;
            result.worstTensor = i / 2;
            result.worstDirection = i % 2 == 0 ? Direction::DOWNLINK : Direction::UPLINK;
        }
        result.bias += error;
        magnitudes.push_back(std::abs(error));
    }
    if (magnitudes.empty())
    {
        return std::nullopt;
    }
    std::sort(magnitudes.begin(), magnitudes.end());
    result.bias /= magnitudes.size();
    result.median = GetQuantile(magnitudes, 0.5);
    result.p90 = GetQuantile(magnitudes, 0.9);
    result.max = magnitudes.back();
    return result;
}

} // namespace ns3::dml
