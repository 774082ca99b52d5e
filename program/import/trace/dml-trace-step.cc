/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-trace-step.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

/// Longest time, ns: two of them can be added.
constexpr int64_t MAX_NS = 4000000000000000000;

} // namespace

int64_t
TraceOp::GetDone() const
{
    return std::max({end, lastByte, parsed});
}

const TraceOp*
TraceStep::Find(OpIndex op) const
{
    const auto found = ops.find(op);
    return found != ops.end() ? &found->second : nullptr;
}

int64_t
GetTraceTime(const JsonRecord& record, const char* key)
{
    const int64_t ns = record.GetNanoseconds(key);
    if (ns < 0 || ns > MAX_NS)
    {
        record.Fail(key, "accepted is a time from 0 to 4e15 us");
    }
    return ns;
}

void
AddTraceEvent(const JsonRecord& record, bool transfer, TraceOp& op)
{
    const int64_t start = GetTraceTime(record, "ts");
    if (record.GetText("ph") == "i")
    {
        op.lastByte = start;
        op.server = record.GetInteger("args.ps", 0, NO_INDEX);
        op.ready = record.Has("args.ready") ? GetTraceTime(record, "args.ready") : TraceOp::UNKNOWN;
        return;
    }
    const int64_t length = GetTraceTime(record, "dur");
    if (record.Has("args.parse"))
    {
        op.parsed = start + length;
        return;
    }
    // The chunks of a transfer are joined; an op has one event.
    const bool first = op.start == TraceOp::UNKNOWN || !transfer;
    op.start = first ? start : std::min(op.start, start);
    op.end = first ? start + length : std::max(op.end, start + length);
    op.length = record.Has("args.ns") ? record.GetInteger("args.ns", 0, MAX_NS) : length;
}

} // namespace ns3::dml
