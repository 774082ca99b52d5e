/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-kineto-event.h"

#include "dml-torch-trace.h"

#include "ns3/dml-import-limits.h"
#include "ns3/dml-json-record.h"

namespace ns3::dml
{

KinetoCategory
GetKinetoCategory(std::string_view name)
{
    if (name == "cpu_op" || name == "user_annotation" || name == "Operator")
    {
        return KinetoCategory::HOST;
    }
    if (name == "kernel" || name == "Kernel" || name == "gpu_memcpy" || name == "Memcpy" ||
        name == "gpu_memset" || name == "Memset")
    {
        return KinetoCategory::DEVICE;
    }
    if (name == "cuda_runtime" || name == "cuda_driver" || name == "Runtime")
    {
        return KinetoCategory::CALL;
    }
    return KinetoCategory::OTHER;
}

std::pair<int64_t, int64_t>
GetKinetoTimes(const JsonRecord& record)
{
    const int64_t start = record.GetNanoseconds("ts");
    if (start < -importlimit::TIME_NS || start > importlimit::TIME_NS)
    {
        record.Fail("ts", "accepted are microseconds from -4e15 to 4e15");
    }
    const int64_t length = record.GetNanoseconds("dur");
    if (length < 0 || length > importlimit::LENGTH_NS)
    {
        record.Fail("dur", "accepted are microseconds from 0 to 1e12");
    }
    return {start, start + length};
}

uint64_t
GetKinetoId(const JsonRecord& record, std::string_view key)
{
    return record.Has(key) ? record.GetInteger(key, 0, INT64_MAX) : 0;
}

uint64_t
GetKinetoExternalId(const JsonRecord& record)
{
    return GetKinetoId(record,
                       record.Has("args.External id") ? "args.External id" : "args.external id");
}

uint64_t
GetKinetoCorrelation(const JsonRecord& record)
{
    return GetKinetoId(record,
                       record.Has("args.correlation") ? "args.correlation" : "args.Correlation");
}

std::string_view
GetKinetoDevice(const JsonRecord& record)
{
    return record.GetText(record.Has("args.device") ? "args.device" : "pid");
}

void
GetKinetoThread(const JsonRecord& record, std::string& thread)
{
    thread.assign(record.GetText("pid")).append(1, '/').append(record.GetText("tid"));
}

void
ReadKinetoDistribution(const JsonRecord& header, TorchTrace& trace)
{
    if (header.Has("distributedInfo.rank"))
    {
        trace.rank = header.GetInteger("distributedInfo.rank", 0, INT32_MAX);
    }
    if (header.Has("distributedInfo.world_size"))
    {
        trace.workers = header.GetInteger("distributedInfo.world_size", 1, INT32_MAX);
    }
    trace.backend = header.GetText("distributedInfo.backend");
}

} // namespace ns3::dml
