/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-trace-job.h"

#include "ns3/dml-error.h"
#include "ns3/dml-trace-schema.h"

#include <limits>
#include <nlohmann/json.hpp>

namespace ns3::dml
{

namespace
{

constexpr int64_t MAX_COUNT = std::numeric_limits<uint32_t>::max() - 1;

/// @param record an event @param key of a field @return the array there; @throws InputError
nlohmann::json
GetArray(const JsonRecord& record, const char* key)
{
    auto json = nlohmann::json::parse(record.GetText(key), nullptr, false);
    if (!json.is_array())
    {
        record.Fail(key, "accepted is a list");
    }
    return json;
}

/// @return bytes, 0 if the field is not there; @throws InputError
uint64_t
GetHeldBytes(const JsonRecord& record, const char* key)
{
    return record.Has(key) ? record.GetInteger(key, 0, MAX_OP_MEMORY) : 0;
}

/// @return number below @p count; @throws InputError
uint32_t
GetIndex(const JsonRecord& record, const char* key, std::size_t count)
{
    if (count == 0)
    {
        record.Fail(key, "accepted is one that was listed before, and none was");
    }
    return record.GetInteger(key, 0, static_cast<int64_t>(count) - 1);
}

} // namespace

bool
TraceJob::Read(const JsonRecord& record)
{
    const auto name = record.GetText("name");
    if (name == TRACE_PROFILE)
    {
        ReadProfile(record);
    }
    else if (name == TRACE_DEVICE)
    {
        m_measured.devices.push_back(
            {record.GetString("args.name"),
             static_cast<uint32_t>(record.GetInteger("args.slots", 1, MAX_COUNT))});
    }
    else if (name == TRACE_TENSOR)
    {
        m_measured.tensors.push_back(
            {record.GetString("args.name"),
             static_cast<uint64_t>(
                 record.GetInteger("args.bytes", 0, std::numeric_limits<int64_t>::max()))});
    }
    else if (name == TRACE_OP)
    {
        ReadOp(record);
    }
    else
    {
        return false;
    }
    if (m_samples == 0)
    {
        record.Fail("name", std::string("accepted is ") + TRACE_PROFILE + " before it");
    }
    return true;
}

void
TraceJob::ReadProfile(const JsonRecord& record)
{
    if (record.GetText("args.schema") != TRACE_SCHEMA)
    {
        record.Fail("args.schema", std::string("accepted is '") + TRACE_SCHEMA + "'");
    }
    if (m_samples > 0)
    {
        record.Fail("name", "accepted is one job in a file");
    }
    m_samples = record.GetInteger("args.samples", 1, MAX_COUNT);
    m_measured.model = record.GetString("args.model");
    m_measured.batchSize = record.GetInteger("args.batch_size", 1, MAX_COUNT);
    m_measured.inputBytes = GetHeldBytes(record, "args.input_bytes");
    m_measured.residentBytes = GetHeldBytes(record, "args.resident_bytes");
    for (const auto& pair : GetArray(record, "args.source"))
    {
        if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string())
        {
            record.Fail("args.source", "accepted is a list of [key, value], both strings");
        }
        m_measured.source.emplace_back(pair[0], pair[1]);
    }
}

void
TraceJob::ReadOp(const JsonRecord& record)
{
    MeasuredOp op;
    op.name = record.GetString("args.name");
    const auto kind = OpKindFromString(record.GetText("args.kind"));
    if (!kind)
    {
        record.Fail("args.kind", "accepted: " + OpKindNames());
    }
    op.kind = *kind;
    m_tensors.push_back(NO_INDEX);
    if (NeedsTensor(op.kind))
    {
        m_tensors.back() = GetIndex(record, "args.tensor", m_measured.tensors.size());
        op.tensor = m_measured.tensors[m_tensors.back()].name;
    }
    else
    {
        op.device =
            m_measured.devices[GetIndex(record, "args.device", m_measured.devices.size())].name;
    }
    m_deps.emplace_back();
    for (const auto& dep : GetArray(record, "args.deps"))
    {
        if (!dep.is_number_unsigned() || dep.get<uint64_t>() > MAX_COUNT)
        {
            record.Fail("args.deps", "accepted is a list of indices of ops, from 0");
        }
        m_deps.back().push_back(dep.get<OpIndex>());
    }
    op.memory = {GetHeldBytes(record, "args.activation_bytes"),
                 GetHeldBytes(record, "args.output_bytes"),
                 GetHeldBytes(record, "args.workspace_bytes")};
    op.memory.noOutput = record.Has("args.output_bytes") && op.memory.output == 0;
    m_ops.push_back(std::move(op));
}

void
TraceJob::Finish(const std::string& file)
{
    if (m_samples == 0)
    {
        throw InputError(file + ": has no event '" + TRACE_PROFILE +
                         "'; accepted is a trace.json that a run of this program wrote");
    }
    m_dependents.resize(m_ops.size());
    for (OpIndex op = 0; op < m_ops.size(); ++op)
    {
        for (const OpIndex dep : m_deps[op])
        {
            if (dep >= m_ops.size())
            {
                throw InputError(file + ": op '" + m_ops[op].name + "' waits for op number " +
                                 std::to_string(dep) + ", where the job has " +
                                 std::to_string(m_ops.size()));
            }
            m_ops[op].deps.push_back(m_ops[dep].name);
            m_dependents[dep].push_back(op);
        }
    }
}

bool
TraceJob::IsSame(const TraceJob& other) const
{
    const auto same = [](const auto& list, const auto& others, auto equal) {
        return std::equal(list.begin(), list.end(), others.begin(), others.end(), equal);
    };
    return m_measured.model == other.m_measured.model &&
           m_measured.batchSize == other.m_measured.batchSize && m_samples == other.m_samples &&
           same(m_measured.tensors,
                other.m_measured.tensors,
                [](const Tensor& a, const Tensor& b) {
                    return a.name == b.name && a.bytes == b.bytes;
                }) &&
           same(m_measured.devices,
                other.m_measured.devices,
                [](const Device& a, const Device& b) {
                    return a.name == b.name && a.slots == b.slots;
                }) &&
           same(m_ops, other.m_ops, [](const MeasuredOp& a, const MeasuredOp& b) {
               return a.name == b.name && a.kind == b.kind && a.device == b.device &&
                      a.tensor == b.tensor && a.deps == b.deps;
           });
}

} // namespace ns3::dml
