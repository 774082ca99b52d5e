/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-case-result.h"

#include "ns3/dml-error.h"
#include "ns3/dml-json-cursor.h"

#include <memory>
#include <nlohmann/json.hpp>

namespace nlohmann
{

/// std::optional as the value or null.
template <typename T>
struct adl_serializer<std::optional<T>>
{
    static void to_json(json& to, const std::optional<T>& from)
    {
        to = from ? json(*from) : json(nullptr);
    }

    static void from_json(const json& from, std::optional<T>& to)
    {
        to = from.is_null() ? std::nullopt : std::optional<T>(from.get<T>());
    }
};

/// Rare as the value or null.
template <typename T>
struct adl_serializer<ns3::dml::Rare<T>>
{
    static void to_json(json& to, const ns3::dml::Rare<T>& from)
    {
        to = from ? json(*from) : json(nullptr);
    }

    static void from_json(const json& from, ns3::dml::Rare<T>& to)
    {
        to = from.is_null() ? ns3::dml::Rare<T>() : ns3::dml::Rare<T>(from.get<T>());
    }
};

/// What a pointer holds, or null.
template <typename T>
struct adl_serializer<std::shared_ptr<T>>
{
    static void to_json(json& to, const std::shared_ptr<T>& from)
    {
        to = from ? json(*from) : json(nullptr);
    }

    static void from_json(const json& from, std::shared_ptr<T>& to)
    {
        to = std::make_shared<T>(from.get<T>());
    }
};

} // namespace nlohmann

namespace ns3::dml
{

namespace
{

/// Stops reading CBOR that nests too deeply: its reader recurses.
class NestingGuard : public nlohmann::json::json_sax_t
{
  public:
    bool start_object(std::size_t /* size */) override
    {
        return ++m_levels <= MAX_JSON_LEVELS;
    }

    bool start_array(std::size_t /* size */) override
    {
        return ++m_levels <= MAX_JSON_LEVELS;
    }

    bool end_object() override
    {
        --m_levels;
        return true;
    }

    bool end_array() override
    {
        --m_levels;
        return true;
    }

    bool null() override
    {
        return true;
    }

    bool boolean(bool /* value */) override
    {
        return true;
    }

    bool number_integer(number_integer_t /* value */) override
    {
        return true;
    }

    bool number_unsigned(number_unsigned_t /* value */) override
    {
        return true;
    }

    bool number_float(number_float_t /* value */, const string_t& /* text */) override
    {
        return true;
    }

    bool string(string_t& /* value */) override
    {
        return true;
    }

    bool binary(binary_t& /* value */) override
    {
        return true;
    }

    bool key(string_t& /* value */) override
    {
        return true;
    }

    bool parse_error(std::size_t /* at */,
                     const std::string& /* token */,
                     const nlohmann::json::exception& /* error */) override
    {
        return false;
    }

  private:
    std::size_t m_levels{0}; //!< open arrays and objects
};

} // namespace

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StepRecord,
                                   worker,
                                   step,
                                   sample,
                                   start,
                                   end,
                                   done,
                                   batch,
                                   dropped)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Endpoint, role, index)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TransferChannel, from, to)

// Chunks are many: a timeline has all of a step. So they are packed as bare numbers: names of what
// they have took ten times the memory.

void
to_json(nlohmann::json& to, const ChunkRecord& from)
{
    const Resource& resource = from.resource;
    to = nlohmann::json::array({from.worker,
                                from.step,
                                from.op,
                                from.parse,
                                resource.kind,
                                resource.at.role,
                                resource.at.index,
                                resource.to.role,
                                resource.to.index,
                                resource.index,
                                from.bytes,
                                from.start,
                                from.end});
}

void
from_json(const nlohmann::json& from, ChunkRecord& to)
{
    std::size_t place = 0;
    const auto next = [&from, &place](auto& value) { from.at(place++).get_to(value); };
    Resource& resource = to.resource;
    next(to.worker);
    next(to.step);
    next(to.op);
    next(to.parse);
    next(resource.kind);
    next(resource.at.role);
    next(resource.at.index);
    next(resource.to.role);
    next(resource.to.index);
    next(resource.index);
    next(to.bytes);
    next(to.start);
    next(to.end);
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Throughput,
                                   samplesPerSecond,
                                   reason,
                                   t0,
                                   t1,
                                   steps,
                                   meanStep,
                                   shortestStep,
                                   longestStep)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RateInterval,
                                   rate,
                                   halfWidth,
                                   correlation,
                                   batches,
                                   observations)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StopSummary,
                                   sure,
                                   reason,
                                   target,
                                   interval,
                                   warmupGiven,
                                   warm,
                                   warmup,
                                   steps,
                                   atMost)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ShareSummary, intervals, mean, p90, workers)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Distribution, count, undefined, sum, min, max, bins, firstBin)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceUse, busy, available, steps)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TransferTimes, wait, transfer)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ScheduleSummary,
                                   step,
                                   efficiency,
                                   speedup,
                                   straggler,
                                   forwardStart,
                                   devices,
                                   gradients,
                                   parameters)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WorkerSync,
                                   steps,
                                   updates,
                                   dropped,
                                   samples,
                                   seconds,
                                   knownSeconds,
                                   known,
                                   waiting,
                                   last)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SyncSummary, workers, rounds, leftOut, window, largestLead)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CrashLoss, worker, time, step, lost, back, backStep, ended)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ServerCrash, server, at, back, checkpoint)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ServerLoss, crash, steps, happened)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HostConditions,
                                   otherCpu,
                                   meanLateness,
                                   largestLateness,
                                   cpuSeconds,
                                   notes,
                                   busyBefore,
                                   waitedForIdle)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Reordering, packets, reordered, duplicateAcks)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SkippedTotals,
                                   seconds,
                                   bytes,
                                   skips,
                                   states,
                                   checks,
                                   checkedBytes,
                                   wrongBytes,
                                   largestError)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LinkBias,
                                   steps,
                                   recorded,
                                   predicted,
                                   slower,
                                   halfWidth,
                                   spread,
                                   overlap,
                                   reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ReplicationSummary,
                                   replication,
                                   seed,
                                   end,
                                   throughput,
                                   stop,
                                   downlink,
                                   uplink,
                                   otherJobs,
                                   simulatedBytes,
                                   ops,
                                   events,
                                   drops,
                                   retransmissions,
                                   timeouts,
                                   recoveries,
                                   reordering,
                                   skipped,
                                   collapse,
                                   shares,
                                   matched,
                                   schedule,
                                   sync,
                                   crashes,
                                   serverLosses,
                                   host,
                                   workersAlike,
                                   completions,
                                   completionStep,
                                   wallSeconds,
                                   cpuSeconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(UtilisationSeries, engine, binWidth, t0, t1, downlink, uplink)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TimelineSeries,
                                   engine,
                                   workers,
                                   firstStep,
                                   start,
                                   end,
                                   chunks,
                                   steps)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TransferRecord,
                                   channel,
                                   step,
                                   op,
                                   tensor,
                                   ready,
                                   firstByte,
                                   lastByte)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GradientSeries, engine, step, start, pushes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceSeries,
                                   engine,
                                   start,
                                   binWidth,
                                   devices,
                                   utilisation,
                                   stepEnds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BatchPoint, step, batch, seconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BatchSeries, engine, workers)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CaseResult,
                                   summary,
                                   utilisation,
                                   timeline,
                                   gradients,
                                   devices,
                                   batches)

std::string
PackCaseResult(const CaseResult& result)
{
    // CBOR keeps what JSON text cannot say: NaN
    const auto bytes = nlohmann::json::to_cbor(nlohmann::json(result));
    return {bytes.begin(), bytes.end()};
}

CaseResult
UnpackCaseResult(const std::string& bytes)
{
    NestingGuard guard;
    if (nlohmann::json::sax_parse(bytes, &guard, nlohmann::json::input_format_t::cbor))
    {
        try
        {
            return nlohmann::json::from_cbor(bytes).get<CaseResult>();
        }
        catch (const nlohmann::json::exception&)
        {
            // told below
        }
    }
    throw InputError(
        "the result that was kept of a run is damaged; accepted: a run with --restart");
}

} // namespace ns3::dml
