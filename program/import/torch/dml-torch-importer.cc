/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-job.h"

#include "ns3/dml-error.h"
#include "ns3/dml-importers.h"
#include "ns3/dml-trace-input.h"

#include <string_view>

namespace ns3::dml
{

namespace
{

/// Import traces of either kind. @param legacy whether they are bare lists
ImportResult
ImportTorchTraces(const std::vector<std::string>& files, const ImportOptions& options, bool legacy)
{
    if (files.empty())
    {
        throw InputError("no file to import; accepted is at least one");
    }
    if (options.order == ComputeOrder::DATAFLOW)
    {
        throw InputError("PyTorch's profiler records no flow of data; accepted is the measured "
                         "order");
    }
    TorchJob job;
    for (const std::string& file : files)
    {
        TraceInput input(file);
        const TorchTrace trace = ReadTorchTrace(input);
        if (trace.legacy != legacy && !trace.events.empty())
        {
            throw InputError(file + (legacy ? ":1:1: /: found an object; accepted is the list of "
                                              "events of a legacy trace (kineto reads objects)"
                                            : ":1:1: /: found a list; accepted is an object with "
                                              "'traceEvents' (torch-legacy reads lists)"));
        }
        AddTorchTrace(trace, options, job);
    }
    ImportResult result = FinishTorchJob(job, options);
    auto& source = result.profile.source;
    source.insert(
        source.begin(),
        {"framework", legacy ? "PyTorch (profiler before Kineto)" : "PyTorch (torch.profiler)"});
    source.emplace_back("steps", std::to_string(result.stepSeconds.size()));
    source.emplace_back("compute_order", "measured");
    source.emplace_back("idle_time",
                        options.idle.value_or(IdleTime::KEEP) == IdleTime::KEEP ? "kept"
                                                                                : "dropped");
    source.emplace_back("imported_by",
                        std::string("dml import ") + (legacy ? "torch-legacy" : "kineto"));
    return result;
}

/// @param record of a JSON file @return whether only the profiler before Kineto writes such a one
bool
IsTorchLegacy(const JsonRecord& record)
{
    return IsTraceEvent(record) && record.GetText("pid") == "CPU functions";
}

/// @param record of a JSON file @return whether Kineto writes such a one
bool
IsKineto(const JsonRecord& record)
{
    if (record.GetList() == JsonRecord::HEADER)
    {
        return record.Has("schemaVersion");
    }
    // where there are calls of the driver, there are others, too
    const std::string_view category = record.GetText("cat");
    const bool isKnown =
        GetKinetoCategory(category) != KinetoCategory::OTHER && category != "cuda_driver";
    return IsTraceEvent(record) && !IsTorchLegacy(record) &&
           (isKnown || category == "python_function" || category == "Trace");
}

} // namespace

ImportResult
ImportKineto(const std::vector<std::string>& files, const ImportOptions& options)
{
    return ImportTorchTraces(files, options, false);
}

ImportResult
ImportTorchLegacy(const std::vector<std::string>& files, const ImportOptions& options)
{
    return ImportTorchTraces(files, options, true);
}

ImportFormat
KinetoFormat()
{
    return {"kineto",
            "a trace of PyTorch's profiler (Kineto, JSON)",
            {"idle", "device", "sizes", "skip"},
            ImportKineto,
            nullptr,
            IsKineto,
            {"traceEvents"}};
}

ImportFormat
TorchLegacyFormat()
{
    return {"torch-legacy",
            "a trace of PyTorch's profiler before Kineto (JSON)",
            {"idle", "device", "sizes", "skip"},
            ImportTorchLegacy,
            nullptr,
            IsTorchLegacy,
            {"traceEvents"}};
}

} // namespace ns3::dml
