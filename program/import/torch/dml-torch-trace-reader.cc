/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-run.h"

#include "ns3/dml-error.h"
#include "ns3/dml-json-record-reader.h"
#include "ns3/dml-trace-input.h"

#include <algorithm>
#include <fmt/core.h>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

namespace ns3::dml
{

namespace
{

/// @return true if @p name is that of an autograd node, as "AddmmBackward0"
bool
IsNode(std::string_view name)
{
    constexpr std::string_view SUFFIX = "Backward";
    const std::size_t at = name.rfind(SUFFIX);
    return StartsWith(name, torchnames::EVALUATE) || name == torchnames::ACCUMULATE ||
           (at != std::string_view::npos && at > 0 &&
            name.find_first_not_of("0123456789", at + SUFFIX.size()) == std::string_view::npos);
}

/// Most elements accepted in a message: a profile's largest tensor, 1 TiB of bytes.
/// Clocks of the host and of a GPU are less far apart, ns.
constexpr int64_t MOST_SKEW = 1'000'000'000;

constexpr int64_t MAX_ELEMENTS = int64_t{1} << 40U;

bool
StartsBefore(const TorchMessage& a, const TorchMessage& b)
{
    return a.start < b.start;
}

/// @param record of `BACKEND:all_reduce`; @return type of its input's elements, empty if none is
/// told
std::string
ReadMessageType(const JsonRecord& record)
{
    const auto types = nlohmann::json::parse(record.GetText("args.Input type"), nullptr, false);
    const bool told = types.is_array() && !types.empty() && types[0].is_string();
    return told ? types[0].get<std::string>() : std::string();
}

/// @param record of `BACKEND:all_reduce`; @return bytes of its input, 0 if no shape is told
uint64_t
ReadMessageBytes(const JsonRecord& record)
{
    const std::string dims(record.GetText("args.Input Dims"));
    uint64_t elements = 0;
    for (const auto& shape : ParseTorchShapes(dims))
    {
        uint64_t product = shape && !shape->empty() ? 1 : 0;
        for (const int64_t size : shape.value_or(TorchShape()))
        {
            if (size > 0 && product > static_cast<uint64_t>(MAX_ELEMENTS / size))
            {
                record.Fail("args.Input Dims", "accepted are at most 2^40 elements");
            }
            product *= size;
        }
        elements += product;
    }
    const uint32_t size = GetTorchElementSize(ReadMessageType(record));
    return elements * (size > 0 ? size : TORCH_UNTYPED_BYTES);
}

/**
 * @brief Collects the all-reduces of a trace from the host's events.
 *
 * PyTorch tells them in up to three ways, of which a trace has some, depending on its version:
 * - `record_param_comms` with the name of the collective, elements and type (2.2 and later);
 * - an annotation `BACKEND:all_reduce` with the shape of its input, if shapes were recorded. Of a
 *   GPU's backend it lasts as long as the launch; of a CPU's, as Gloo's, as long as the collective;
 * - the op `c10d::allreduce_`, which asks for it (1.13 and later), without a size.
 */
class TorchMessageReader
{
  public:
    /// @param record of a host's event; @param event the same, as it was read
    void Add(const JsonRecord& record, const TorchEvent& event)
    {
        const std::string_view name = record.GetText("name");
        TorchMessage message{event.start, event.id};
        message.thread = event.thread;
        if (name == "c10d::allreduce_")
        {
            m_requests.push_back({message, event.end});
            return;
        }
        if (name == "record_param_comms")
        {
            if (record.GetText("args.Collective name") == "allreduce")
            {
                const uint64_t elements = record.GetInteger("args.In msg nelems", 0, MAX_ELEMENTS);
                const std::string type(record.GetText("args.dtype"));
                message.bytes = elements * GetTorchElementSize(type);
                message.isWhole = IsTorchWhole(type);
                message.workers = record.Has("args.Group size")
                                      ? record.GetInteger("args.Group size", 0, INT32_MAX)
                                      : 0;
                m_described.push_back({message, event.end});
                m_untyped[type] += GetTorchElementSize(type) == 0 ? 1 : 0;
            }
            return;
        }
        const std::size_t colon = name.find(':');
        const std::string_view backend = name.substr(0, colon);
        if (colon == std::string_view::npos || !IsTorchBackend(backend))
        {
            return;
        }
        const std::string_view collective = name.substr(colon + 1);
        if (collective != "all_reduce")
        {
            ++m_others[std::string(collective)];
            return;
        }
        message.backend = backend;
        message.bytes = ReadMessageBytes(record);
        message.isWhole = IsTorchWhole(ReadMessageType(record));
        if (IsTorchCpuBackend(backend))
        {
            message.runStart = event.start;
            message.runEnd = event.end;
        }
        m_annotated.push_back({message, event.end});
    }

    /// Tell the trace's messages and other collectives.
    void Finish(TorchTrace& trace)
    {
        for (auto* const list : {&m_described, &m_annotated, &m_requests})
        {
            std::stable_sort(list->begin(), list->end(), [](const auto& a, const auto& b) {
                return a.message.start < b.message.start;
            });
        }
        Match(m_described, [](TorchMessage& described, TorchMessage& annotated) {
            described.backend = annotated.backend;
            described.runStart = annotated.runStart;
            described.runEnd = annotated.runEnd;
        });
        const bool isAsked = Match(m_requests, [](TorchMessage& request, TorchMessage& annotated) {
            annotated.start = std::min(annotated.start, request.start);
        });
        trace.requested = !m_described.empty() || m_annotated.empty() || isAsked;
        for (const Host& host : !m_described.empty()   ? m_described
                                : !m_annotated.empty() ? m_annotated
                                                       : m_requests)
        {
            trace.messages.push_back(host.message);
        }
        std::stable_sort(trace.messages.begin(), trace.messages.end(), StartsBefore);
        const auto whole = std::count_if(trace.messages.begin(),
                                         trace.messages.end(),
                                         [](const auto& message) { return message.isWhole; });
        if (whole > 0)
        {
            m_others["all_reduce of whole numbers"] += whole;
        }
        trace.otherCollectives = {m_others.begin(), m_others.end()};
        for (const auto& [type, count] : m_untyped)
        {
            if (count > 0)
            {
                trace.untyped.emplace_back(type, count);
            }
        }
    }

  private:
    /// What the host recorded of an all-reduce.
    struct Host
    {
        TorchMessage message; //!< what it tells
        int64_t end{0};       //!< ns, when the host had done this part of it
    };

    /**
     * Find the annotation of each of some records: the one within it on its thread, as a GPU's
     * backend makes it. A CPU's does the others on threads of its own, in the order of requests.
     * @param records by start @param set gets each record and its annotation
     * @return true if each annotation is one of a record, and each record has one
     */
    template <typename Set>
    bool Match(std::vector<Host>& records, Set set)
    {
        std::vector<Host*> alone;
        std::vector<bool> isWithin(m_annotated.size(), false);
        for (Host& record : records)
        {
            auto inner = std::lower_bound(m_annotated.begin(),
                                          m_annotated.end(),
                                          record.message.start,
                                          [](const Host& annotated, int64_t start) {
                                              return annotated.message.start < start;
                                          });
            while (inner != m_annotated.end() && inner->message.start <= record.end &&
                   (inner->message.thread != record.message.thread ||
                    isWithin[inner - m_annotated.begin()]))
            {
                ++inner;
            }
            if (inner == m_annotated.end() || inner->message.start > record.end)
            {
                alone.push_back(&record);
                continue;
            }
            isWithin[inner - m_annotated.begin()] = true;
            set(record.message, inner->message);
        }
        std::vector<Host*> elsewhere;
        for (std::size_t i = 0; i < m_annotated.size(); ++i)
        {
            if (!isWithin[i])
            {
                elsewhere.push_back(&m_annotated[i]);
            }
        }
        if (alone.size() != elsewhere.size())
        {
            return false;
        }
        for (std::size_t i = 0; i < alone.size(); ++i)
        {
            set(alone[i]->message, elsewhere[i]->message);
        }
        return true;
    }

    std::vector<Host> m_described;                         //!< of record_param_comms
    std::vector<Host> m_annotated;                         //!< of annotations
    std::vector<Host> m_requests;                          //!< c10d::allreduce_
    std::map<std::string, uint64_t, std::less<>> m_others; //!< other collectives, by name
    std::map<std::string, uint64_t> m_untyped;             //!< unknown element types
};

/// Collects the events of one file.
class TorchTraceCollector
{
  public:
    explicit TorchTraceCollector(const std::string& file)
    {
        m_trace.file = file;
    }

    void Add(const JsonRecord& record)
    {
        if (record.GetList() == JsonRecord::HEADER)
        {
            ReadHeader(record);
            return;
        }
        m_trace.legacy = record.GetList().empty();
        if (record.GetMendedCount() > 0)
        {
            m_trace.faults.Add(TraceFault::NO_JSON, record.GetPlace());
        }
        try
        {
            AddRecord(record);
        }
        catch (const InputError& error)
        {
            m_trace.faults.Add(TraceFault::UNREADABLE, error.what());
        }
    }

    TorchTrace Finish(uint64_t bytes)
    {
        m_trace.bytesRead = bytes;
        m_trace.texts.resize(m_texts.size());
        for (const auto& [text, index] : m_texts)
        {
            m_trace.texts[index] = text;
        }
        m_texts.clear();
        m_messages.Finish(m_trace);
        m_trace.Nest();
        m_trace.FindLaunchers();
        RemoveMisplacedKernels();
        m_trace.faults.RefuseIfMost(m_trace.file,
                                    m_trace.events.size() + m_trace.kernels.size() +
                                        m_trace.launches.size());
        return std::move(m_trace);
    }

  private:
    /// Leave kernels out that began long before they were launched, as of a time that the tracer
    /// did not get.
    void RemoveMisplacedKernels()
    {
        const auto isMisplaced = [this](const TorchKernel& kernel) {
            if (kernel.call == TorchEvent::NONE ||
                kernel.start >= m_trace.launches[kernel.call].start - MOST_SKEW)
            {
                return false;
            }
            m_trace.faults.Add(
                TraceFault::UNREADABLE,
                fmt::format("a kernel that starts {:.4g} s before its launch",
                            (m_trace.launches[kernel.call].start - kernel.start) / 1e9));
            return true;
        };
        auto& kernels = m_trace.kernels;
        kernels.erase(std::remove_if(kernels.begin(), kernels.end(), isMisplaced), kernels.end());
    }

    /// @param record an element of the list @throws InputError if a value in it cannot be right
    void AddRecord(const JsonRecord& record)
    {
        const std::string_view phase = record.GetText("ph");
        if (phase == "i" && record.GetText("name") == "[memory]")
        {
            AddAllocation(record);
        }
        if (phase != "X")
        {
            return;
        }
        const KinetoCategory category =
            m_trace.legacy ? GetLegacyCategory(record) : GetKinetoCategory(record.GetText("cat"));
        m_trace.gpuRanges += m_trace.legacy && category == KinetoCategory::OTHER ? 1 : 0;
        switch (category)
        {
        case KinetoCategory::HOST:
            AddEvent(record);
            break;
        case KinetoCategory::DEVICE:
            AddKernel(record);
            break;
        case KinetoCategory::CALL:
            AddLaunch(record);
            break;
        case KinetoCategory::OTHER:
            break;
        }
    }

    /// The legacy profiler has a process for each kind of device.
    static KinetoCategory GetLegacyCategory(const JsonRecord& record)
    {
        return record.GetText("pid") == "CUDA functions" ? KinetoCategory::OTHER
                                                         : KinetoCategory::HOST;
    }

    /// @return index of @p text
    uint32_t Intern(std::string_view text)
    {
        m_key.assign(text);
        return m_texts.emplace(m_key, m_texts.size()).first->second;
    }

    /// @return index of the text of a field, or NONE
    uint32_t InternField(const JsonRecord& record, std::string_view key)
    {
        const std::string_view text = record.GetText(key);
        return text.empty() ? TorchEvent::NONE : Intern(text);
    }

    uint32_t GetThread(const JsonRecord& record)
    {
        GetKinetoThread(record, m_key);
        return m_threads.emplace(m_key, m_threads.size()).first->second;
    }

    void AddEvent(const JsonRecord& record)
    {
        const auto times = GetKinetoTimes(record, m_trace.faults);
        if (!times)
        {
            return;
        }
        TorchEvent event;
        std::tie(event.start, event.end) = *times;
        const std::string_view name = record.GetText("name");
        event.name = Intern(name);
        event.thread = GetThread(record);
        event.id = GetKinetoExternalId(record);
        if (record.Has("args.Sequence number"))
        {
            event.sequence =
                record.GetInteger("args.Sequence number", -1, std::numeric_limits<int64_t>::max());
        }
        event.dims = InternField(record, "args.Input Dims");
        event.types = InternField(record, "args.Input type");
        event.backward = IsNode(name) || GetKinetoId(record, "args.Fwd thread id") != 0;
        m_trace.events.push_back(event);
        m_messages.Add(record, event);
    }

    void AddKernel(const JsonRecord& record)
    {
        const auto times = GetKinetoTimes(record, m_trace.faults);
        if (!times)
        {
            return;
        }
        TorchKernel kernel;
        std::tie(kernel.start, kernel.end) = *times;
        kernel.id = GetKinetoExternalId(record);
        kernel.correlation = GetKinetoCorrelation(record);
        kernel.device = Intern(GetKinetoDevice(record));
        kernel.stream = Intern(GetKinetoStream(record));
        kernel.collective = StartsWith(record.GetText("name"), "nccl");
        kernel.copies = !IsKinetoKernel(record.GetText("cat"));
        m_trace.kernels.push_back(kernel);
    }

    void AddAllocation(const JsonRecord& record)
    {
        constexpr int64_t MOST_BYTES = int64_t{1} << 50U;
        const int64_t device = record.Has("args.Device Type")
                                   ? record.GetInteger("args.Device Type", -1, UINT8_MAX)
                                   : -1;
        if (device != TorchAllocation::CPU && device != TorchAllocation::GPU)
        {
            return;
        }
        if (!record.Has("args.Addr"))
        {
            m_trace.faults.Add(TraceFault::NO_ADDRESS, record.GetPlace());
            return;
        }
        TorchAllocation allocation;
        allocation.time = record.GetNanoseconds("ts");
        allocation.address = record.GetInteger("args.Addr", 0, std::numeric_limits<int64_t>::max());
        allocation.bytes = record.GetInteger("args.Bytes", -MOST_BYTES, MOST_BYTES);
        allocation.device = static_cast<TorchAllocation::Device>(device);
        m_trace.allocations.push_back(allocation);
    }

    void AddLaunch(const JsonRecord& record)
    {
        TorchLaunch launch;
        const auto times = GetKinetoTimes(record, m_trace.faults);
        launch.start = times ? times->first : record.GetNanoseconds("ts");
        launch.end = times ? times->second : launch.start;
        launch.correlation = GetKinetoCorrelation(record);
        launch.thread = GetThread(record);
        if (launch.correlation != 0 && IsKinetoLaunch(record.GetText("name")))
        {
            m_trace.launches.push_back(launch);
        }
    }

    void ReadHeader(const JsonRecord& header)
    {
        if (header.Has("model"))
        {
            m_trace.model = header.GetString("model");
        }
        if (header.Has("batch"))
        {
            m_trace.batchSize = header.GetInteger("batch", 1, UINT32_MAX);
        }
        ReadKinetoDistribution(header, m_trace);
        const std::string_view devices = header.GetText("deviceProperties");
        const auto list = nlohmann::json::parse(devices, nullptr, false);
        if (list.is_array() && !list.empty() && list[0].is_object() && list[0].contains("name") &&
            list[0]["name"].is_string())
        {
            m_trace.gpu = list[0]["name"].get<std::string>();
        }
    }

    TorchTrace m_trace;                                  //!< under construction
    TorchMessageReader m_messages;                       //!< finds its all-reduces
    std::unordered_map<std::string, uint32_t> m_texts;   //!< indices of texts
    std::unordered_map<std::string, uint32_t> m_threads; //!< indices of threads
    std::string m_key;                                   //!< storage
};

} // namespace

TorchTrace
ReadTorchTrace(TraceInput& input)
{
    TorchTraceCollector collector(input.GetFile());
    const JsonRecordReader reader({"traceEvents", ""},
                                  JsonRecordReader::Truncation::REFUSE,
                                  JsonRecordReader::Faults::MEND);
    reader.Read(input, [&](const JsonRecord& record) {
        collector.Add(record);
        return true;
    });
    return collector.Finish(input.GetOffset());
}

} // namespace ns3::dml
