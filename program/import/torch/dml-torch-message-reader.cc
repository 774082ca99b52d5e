/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-message-reader.h"

#include "dml-torch-parameters.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

namespace ns3::dml
{

namespace
{

/// Most elements accepted in a message: a profile's largest tensor, 1 TiB of bytes.
constexpr int64_t MAX_ELEMENTS = int64_t{1} << 40U;

/// Bytes of an element where the trace does not tell its type.
constexpr uint32_t UNTYPED_BYTES = 4;

/// Backends whose annotations last as long as the collective, as a thread of the CPU does it.
constexpr std::array<std::string_view, 2> CPU_BACKENDS{"gloo", "mpi"};

/// Backends that are known.
constexpr std::array<std::string_view, 5> BACKENDS{"gloo", "mpi", "nccl", "ucc", "xccl"};

template <typename List>
bool
Contains(const List& list, std::string_view name)
{
    return std::find(list.begin(), list.end(), name) != list.end();
}

bool
StartsBefore(const TorchMessage& a, const TorchMessage& b)
{
    return a.start < b.start;
}

} // namespace

void
TorchMessageReader::Add(const JsonRecord& record, const TorchEvent& event)
{
    const std::string_view name = record.GetText("name");
    if (name == "c10d::allreduce_")
    {
        m_requests.push_back(event.start);
        return;
    }
    if (name == "record_param_comms")
    {
        if (record.GetText("args.Collective name") == "allreduce")
        {
            const uint64_t elements = record.GetInteger("args.In msg nelems", 0, MAX_ELEMENTS);
            const uint32_t size = GetTorchElementSize(record.GetText("args.dtype"));
            if (size == 0)
            {
                record.Fail("args.dtype",
                            "accepted is a type of PyTorch, as Float, Half, BFloat16");
            }
            m_described.push_back({event.start, event.id, elements * size, 0, 0});
        }
        if (record.Has("args.Group size"))
        {
            m_workers =
                std::max<uint32_t>(m_workers, record.GetInteger("args.Group size", 0, INT32_MAX));
        }
        return;
    }
    const std::size_t colon = name.find(':');
    const std::string_view backend = name.substr(0, colon);
    if (colon == std::string_view::npos || !Contains(BACKENDS, backend))
    {
        return;
    }
    const std::string_view collective = name.substr(colon + 1);
    if (collective != "all_reduce")
    {
        ++m_others[std::string(collective)];
        return;
    }
    m_backend = backend;
    TorchMessage message{event.start, event.id, ReadBytes(record), 0, 0};
    if (Contains(CPU_BACKENDS, backend))
    {
        message.runStart = event.start;
        message.runEnd = event.end;
    }
    m_annotated.push_back(message);
}

uint64_t
TorchMessageReader::ReadBytes(const JsonRecord& record)
{
    const std::string dims(record.GetText("args.Input Dims"));
    uint64_t elements = 0;
    for (const auto& shape : ParseTorchShapes(dims))
    {
        uint64_t product = shape && !shape->empty() ? 1 : 0;
        for (const int64_t size : shape.value_or(TorchShape()))
        {
            if (size < 0 || (size > 0 && product > MAX_ELEMENTS / static_cast<uint64_t>(size)))
            {
                record.Fail("args.Input Dims", "accepted are at most 2^40 elements");
            }
            product *= size;
        }
        elements += product;
    }
    const auto types = nlohmann::json::parse(record.GetText("args.Input type"), nullptr, false);
    const bool told = types.is_array() && !types.empty() && types[0].is_string();
    const uint32_t size = told ? GetTorchElementSize(types[0].get<std::string>()) : 0;
    return elements * (size > 0 ? size : UNTYPED_BYTES);
}

void
TorchMessageReader::Finish(TorchTrace& trace)
{
    std::stable_sort(m_described.begin(), m_described.end(), StartsBefore);
    std::stable_sort(m_annotated.begin(), m_annotated.end(), StartsBefore);
    std::sort(m_requests.begin(), m_requests.end());
    std::vector<TorchMessage>& messages = m_described.empty() ? m_annotated : m_described;
    // A CPU's backend does collectives in the order of requests, but begins them later.
    for (std::size_t i = 0; m_requests.size() == m_annotated.size() && i < m_requests.size(); ++i)
    {
        m_annotated[i].start = std::min(m_annotated[i].start, m_requests[i]);
    }
    for (std::size_t i = 0; m_described.size() == m_annotated.size() && i < m_described.size(); ++i)
    {
        m_described[i].runStart = m_annotated[i].runStart;
        m_described[i].runEnd = m_annotated[i].runEnd;
    }
    trace.requested = !m_described.empty() || m_requests.size() == m_annotated.size();
    trace.messages = std::move(messages);
    trace.otherCollectives = {m_others.begin(), m_others.end()};
    trace.backend = trace.backend.empty() ? m_backend : trace.backend;
    trace.workers = std::max(trace.workers, m_workers);
}

} // namespace ns3::dml
