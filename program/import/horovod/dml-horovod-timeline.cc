/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-horovod-timeline.h"

#include "ns3/dml-error.h"
#include "ns3/dml-import-limits.h"
#include "ns3/dml-json-record-reader.h"
#include "ns3/dml-trace-input.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr std::string_view NEGOTIATION = "NEGOTIATE_ALLREDUCE";
constexpr std::string_view REDUCTION = "ALLREDUCE";
/// What the parts of the exchange itself are called, after their backend: one NCCL_ALLREDUCE, or,
/// if it is hierarchical, NCCL_REDUCESCATTER, NCCL_REDUCE, MPI_ALLREDUCE, NCCL_ALLGATHER,
/// NCCL_BCAST.
constexpr std::array<std::string_view, 5> EXCHANGES{"_ALLREDUCE",
                                                    "_REDUCESCATTER",
                                                    "_REDUCE",
                                                    "_ALLGATHER",
                                                    "_BCAST"};

/// @return the backend of a part of the exchange, as "NCCL"; empty if the part is another one
std::string_view
GetBackend(std::string_view part)
{
    const std::size_t end = std::min(part.find('_'), part.size());
    const bool isExchange =
        std::find(EXCHANGES.begin(), EXCHANGES.end(), part.substr(end)) != EXCHANGES.end();
    return isExchange ? part.substr(0, end) : std::string_view();
}

/// @return bytes of an element of a type as Horovod calls it, or 0
uint32_t
GetElementBytes(std::string_view type)
{
    static constexpr std::array<std::pair<std::string_view, uint32_t>, 11> SIZES{{{"float32", 4},
                                                                                  {"float64", 8},
                                                                                  {"float16", 2},
                                                                                  {"bfloat16", 2},
                                                                                  {"int64", 8},
                                                                                  {"int32", 4},
                                                                                  {"int16", 2},
                                                                                  {"uint16", 2},
                                                                                  {"int8", 1},
                                                                                  {"uint8", 1},
                                                                                  {"bool", 1}}};
    const auto* const found = std::find_if(SIZES.begin(), SIZES.end(), [type](const auto& known) {
        return known.first == type;
    });
    return found == SIZES.end() ? 0 : found->second;
}

/// Reads the events of one file.
class TimelineCollector
{
  public:
    void Add(const JsonRecord& record)
    {
        ++m_records;
        const std::string_view phase = record.GetText("ph");
        if (record.GetText("name") == "process_name" && record.Has("args.name"))
        {
            Tensor tensor;
            tensor.name = record.GetString("args.name");
            m_tensors[GetProcess(record)] = tensor;
        }
        else if (phase == "B")
        {
            Begin(record);
        }
        else if (phase == "E")
        {
            End(record);
        }
        else if (phase == "X")
        {
            Report(record);
        }
    }

    HorovodTimeline Finish(const TraceInput& input)
    {
        m_timeline.bytesRead = input.GetOffset();
        const uint64_t lost = m_timeline.faults.GetCount(TraceFault::UNREADABLE);
        m_timeline.faults.RefuseIfMost(input.GetFile(), m_records - std::min(m_records, lost));
        for (const auto& [process, tensor] : m_tensors)
        {
            DamageAround(tensor);
        }
        for (std::size_t r = 0; r < m_ended.size(); ++r)
        {
            HorovodReduction& reduction = m_timeline.reductions[r];
            reduction.end = m_ended[r] < reduction.tensors.size() ? 0 : reduction.end;
        }
        return std::move(m_timeline);
    }

  private:
    /// A tensor, which is a process of the file.
    struct Tensor
    {
        std::string name;              //!< of it
        std::vector<std::string> open; //!< events that have begun and not ended, inner ones last
        bool known{false};             //!< the file has the beginning of a negotiation or reduction
        std::optional<uint32_t> index; //!< in the timeline's names
        std::optional<std::size_t> now; //!< reduction that it takes part in
        int64_t ready{0};               //!< ns, when the file's worker had it; 0 if unknown
        bool damaged{false}; //!< a record of the reduction that it takes part in next was left out
        /// Number of reductions before a record that was left out and may be the beginning of one.
        std::optional<std::size_t> lost;
    };

    static int64_t GetProcess(const JsonRecord& record)
    {
        return record.GetInteger("pid", 0, INT32_MAX);
    }

    Tensor& GetTensor(const JsonRecord& record)
    {
        const auto tensor = m_tensors.find(GetProcess(record));
        if (tensor == m_tensors.end())
        {
            record.Fail("pid", "accepted is a process that a process_name before it calls");
        }
        return tensor->second;
    }

    static int64_t GetTime(const JsonRecord& record)
    {
        const int64_t time = record.GetNanoseconds("ts");
        if (time < 0 || time > importlimit::TIME_NS)
        {
            record.Fail("ts", "accepted are microseconds from 0 to 4e15");
        }
        return time;
    }

    /// Read values of a record. @return false, with a fault, if one of them cannot be right
    template <typename Read>
    bool TryRead(const Read& read)
    {
        try
        {
            read();
            return true;
        }
        catch (const InputError& error)
        {
            m_timeline.faults.Add(TraceFault::UNREADABLE, error.what());
            return false;
        }
    }

    /// A value of a record was left out: what the tensor takes part in, now or next, is not known.
    void Damage(Tensor& tensor)
    {
        if (tensor.now)
        {
            m_timeline.reductions[*tensor.now].damaged = true;
            return;
        }
        tensor.damaged = true;
    }

    /// What was left out was the beginning of a reduction: the one before or behind it lacks the
    /// tensor.
    void DamageAround(const Tensor& tensor)
    {
        auto& reductions = m_timeline.reductions;
        if (tensor.lost && *tensor.lost > 0)
        {
            reductions[*tensor.lost - 1].damaged = true;
        }
        if (tensor.lost && *tensor.lost < reductions.size())
        {
            reductions[*tensor.lost].damaged = true;
        }
    }

    void Begin(const JsonRecord& record)
    {
        Tensor& tensor = GetTensor(record);
        const std::string name(record.GetText("name"));
        int64_t time = 0;
        const bool isRead = TryRead([&] {
            record.GetString("name");
            time = GetTime(record);
        });
        if (!isRead)
        {
            Damage(tensor);
        }
        if (name.empty() || (!isRead && tensor.open.empty() && name != NEGOTIATION))
        {
            tensor.lost = m_timeline.reductions.size();
        }
        tensor.known |= name == NEGOTIATION || name == REDUCTION;
        if (name == NEGOTIATION)
        {
            DamageAround(tensor);
            tensor.lost.reset();
            tensor.ready = time;
        }
        else if (name == REDUCTION && tensor.open.empty())
        {
            Join(tensor);
        }
        else if (tensor.now)
        {
            Close(*tensor.now);
            BeginPart(m_timeline.reductions[*tensor.now], GetBackend(name), time);
        }
        tensor.open.push_back(name);
    }

    /// @param backend that begins an exchange, or empty
    void BeginPart(HorovodReduction& reduction, std::string_view backend, int64_t time)
    {
        if (backend.empty() || reduction.start != 0)
        {
            return;
        }
        reduction.start = time;
        reduction.backend = backend;
        std::transform(reduction.backend.begin(),
                       reduction.backend.end(),
                       reduction.backend.begin(),
                       [](unsigned char c) { return std::tolower(c); });
    }

    /// Something is done for a reduction: what begins next is another one. Parts of earlier ones,
    /// which other threads write, tell nothing of the last one.
    void Close(std::size_t reduction)
    {
        m_busy |= reduction + 1 == m_timeline.reductions.size();
    }

    /// Let a tensor take part in the reduction that is beginning, or in a new one.
    void Join(Tensor& tensor)
    {
        if (!tensor.index)
        {
            tensor.index = m_timeline.names.size();
            m_timeline.names.push_back(tensor.name);
            m_timeline.bytes.emplace_back();
        }
        if (m_busy || m_timeline.reductions.empty())
        {
            m_timeline.reductions.emplace_back();
            m_ended.push_back(0);
            m_busy = false;
        }
        tensor.now = m_timeline.reductions.size() - 1;
        HorovodReduction& reduction = m_timeline.reductions.back();
        reduction.tensors.push_back(*tensor.index);
        reduction.ready = std::max(reduction.ready, tensor.ready);
        reduction.damaged |= tensor.damaged;
        tensor.ready = 0; // of this reduction only
        tensor.damaged = false;
        tensor.lost.reset(); // that was a negotiation
    }

    void End(const JsonRecord& record)
    {
        Tensor& tensor = GetTensor(record);
        if (tensor.open.empty() && !tensor.known)
        {
            return; // of what had begun before the timeline did
        }
        if (tensor.open.empty())
        {
            TryRead([&] {
                record.Fail("",
                            "accepted is the end of an event of the same process that has begun");
            });
            Damage(tensor);
            tensor.lost = m_timeline.reductions.size();
            return;
        }
        const std::string name = tensor.open.back();
        tensor.open.pop_back();
        if (!tensor.now)
        {
            return;
        }
        HorovodReduction& reduction = m_timeline.reductions[*tensor.now];
        if (name == REDUCTION && tensor.open.empty())
        {
            TryRead([&] { ReadSize(record, m_timeline.bytes[*tensor.index]); });
            Close(*tensor.now);
            ++m_ended[*tensor.now];
            tensor.now.reset();
        }
        else if (!GetBackend(name).empty())
        {
            if (!TryRead([&] { reduction.end = std::max(reduction.end, GetTime(record)); }))
            {
                Damage(tensor);
            }
        }
    }

    /// A worker says that it has a tensor: the event is called by its number.
    void Report(const JsonRecord& record)
    {
        Tensor& tensor = GetTensor(record);
        const std::string_view name = record.GetText("name");
        const bool isNumber = !name.empty() && name.size() < 7 &&
                              name.find_first_not_of("0123456789") == std::string_view::npos;
        if (!isNumber || tensor.open.empty() || tensor.open.back() != NEGOTIATION)
        {
            return;
        }
        const uint32_t rank = std::stoul(std::string(name));
        m_timeline.workers = std::max(m_timeline.workers, rank + 1);
        if (rank == 0) // which writes the file
        {
            if (!TryRead([&] { tensor.ready = GetTime(record); }))
            {
                Damage(tensor);
            }
        }
    }

    static void ReadSize(const JsonRecord& record, std::optional<uint64_t>& bytes)
    {
        if (!record.Has("args.shape"))
        {
            return;
        }
        uint64_t size = GetElementBytes(record.GetText("args.dtype"));
        if (size == 0)
        {
            record.Fail("args.dtype", "accepted is a type of Horovod, as float32");
        }
        const auto shape = nlohmann::json::parse(record.GetText("args.shape"), nullptr, false);
        const bool isList =
            shape.is_array() && std::all_of(shape.begin(), shape.end(), [](const auto& dimension) {
                return dimension.is_number_unsigned();
            });
        for (std::size_t d = 0; isList && d < shape.size(); ++d)
        {
            const auto dimension = shape[d].template get<uint64_t>();
            if (dimension > 0 && size > importlimit::TENSOR_BYTES / dimension)
            {
                record.Fail("args.shape", "accepted is a tensor of at most 2^40 bytes");
            }
            size *= dimension;
        }
        if (!isList)
        {
            record.Fail("args.shape", "accepted is a list of dimensions, as [64, 3, 7, 7]");
        }
        bytes = size;
    }

    HorovodTimeline m_timeline;          //!< under construction
    std::map<int64_t, Tensor> m_tensors; //!< by process
    std::vector<std::size_t> m_ended;    //!< tensors of each reduction whose part in it ended
    uint64_t m_records{0};               //!< so far
    bool m_busy{false};                  //!< the last reduction is past its beginning
};

} // namespace

HorovodTimeline
ReadHorovodTimeline(TraceInput& input)
{
    TimelineCollector collector;
    JsonRecordReader({""}, JsonRecordReader::Truncation::ACCEPT)
        .Read(input, [&](const JsonRecord& record) {
            if (record.GetList() != JsonRecord::HEADER)
            {
                collector.Add(record);
            }
            return true;
        });
    return collector.Finish(input);
}

} // namespace ns3::dml
