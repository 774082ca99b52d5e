/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-trace.h"

#include "ns3/dml-import-limits.h"
#include "ns3/dml-json-record.h"
#include "ns3/dml-kernel-spans.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_map>

namespace ns3::dml
{

namespace
{

/// Times of older profilers are whole microseconds: a part may seem to start after its whole ended.
constexpr int64_t ROUNDING = 1000;

/// @return innermost event that was running on the thread of @p call then, or NONE
uint32_t
FindInnermost(const TorchTrace& trace, const TorchLaunch& call)
{
    const auto& events = trace.events;
    const auto after =
        std::upper_bound(events.begin(), events.end(), call, [](const auto& at, const auto& other) {
            return std::tie(at.thread, at.start) < std::tie(other.thread, other.start);
        });
    if (after == events.begin() || std::prev(after)->thread != call.thread)
    {
        return TorchEvent::NONE;
    }
    uint32_t event = std::prev(after) - events.begin();
    while (event != TorchEvent::NONE && events[event].end < call.start)
    {
        event = events[event].parent;
    }
    return event;
}

} // namespace

void
TorchTrace::Nest()
{
    // Ids grow in the order in which events start; where there are none, the file has that order.
    std::stable_sort(events.begin(), events.end(), [](const TorchEvent& a, const TorchEvent& b) {
        return std::make_tuple(a.thread, a.start, -a.end, a.id) <
               std::make_tuple(b.thread, b.start, -b.end, b.id);
    });
    std::stable_sort(launches.begin(), launches.end(), [](const auto& a, const auto& b) {
        return std::tie(a.thread, a.start) < std::tie(b.thread, b.start);
    });
    std::stable_sort(allocations.begin(), allocations.end(), [](const auto& a, const auto& b) {
        return a.time < b.time;
    });
    std::vector<KernelSpan> spans;
    for (TorchKernel& kernel : kernels)
    {
        spans.push_back(
            {kernel.device, kernel.stream, kernel.correlation, kernel.start, &kernel.end});
    }
    CutLongKernels(std::move(spans), faults);
    uint32_t open = TorchEvent::NONE;
    uint32_t evaluation = TorchEvent::NONE; // last one, until its node has been seen
    for (uint32_t i = 0; i < events.size(); ++i)
    {
        TorchEvent& event = events[i];
        if (open != TorchEvent::NONE && events[open].thread != event.thread)
        {
            open = TorchEvent::NONE;
            evaluation = TorchEvent::NONE;
        }
        const std::string& name = GetName(event);
        const bool evaluates = StartsWith(name, torchnames::EVALUATE);
        const bool isNode = evaluation != TorchEvent::NONE &&
                            GetTorchNode(GetName(events[evaluation])) == name &&
                            event.start - events[evaluation].end <= ROUNDING;
        if (isNode)
        {
            open = evaluation;
            evaluation = TorchEvent::NONE;
        }
        const bool instant = event.start == event.end && !evaluates;
        while (!isNode && open != TorchEvent::NONE &&
               (events[open].end < event.start || (events[open].end == event.start && !instant)))
        {
            open = events[open].parent;
        }
        event.parent = open;
        open = i;
        evaluation = evaluates ? i : evaluation;
    }
}

void
TorchTrace::FindLaunchers()
{
    std::unordered_map<uint64_t, uint32_t> byCorrelation;
    for (uint32_t i = 0; i < launches.size(); ++i)
    {
        launches[i].event = FindInnermost(*this, launches[i]);
        byCorrelation.emplace(launches[i].correlation, i);
    }
    const bool isNumbered = std::any_of(kernels.begin(), kernels.end(), [](const auto& kernel) {
        return kernel.id != 0 && kernel.id != kernel.correlation;
    });
    std::unordered_map<uint64_t, uint32_t> byId;
    for (uint32_t i = 0; isNumbered && i < events.size(); ++i)
    {
        byId.emplace(events[i].id, i);
    }
    byId.erase(0);
    for (TorchKernel& kernel : kernels)
    {
        if (const auto call = byCorrelation.find(kernel.correlation); call != byCorrelation.end())
        {
            kernel.call = call->second;
            kernel.event = launches[kernel.call].event;
        }
        if (const auto known = byId.find(kernel.id);
            kernel.event == TorchEvent::NONE && known != byId.end())
        {
            kernel.event = known->second;
        }
        bool isOp = false;
        for (uint32_t i = kernel.event; i != TorchEvent::NONE; i = events[i].parent)
        {
            const std::string& name = GetName(events[i]);
            isOp |= kernel.request == TorchEvent::NONE && StartsWith(name, torchnames::OPERATOR);
            kernel.request = !isOp && IsTorchCollective(name) ? i : kernel.request;
        }
        kernel.collective |= kernel.request != TorchEvent::NONE;
    }
}

bool
IsTorchBackend(std::string_view name)
{
    return IsTorchCpuBackend(name) || name == "nccl" || name == "ucc" || name == "xccl" ||
           name == "ccl" || name == "hccl";
}

bool
IsTorchCollective(std::string_view name)
{
    // Requests of the dispatcher; what all backends describe; Intel's bindings to oneCCL.
    for (const std::string_view prefix :
         {"c10d::", "_c10d_functional::", "oneccl_bindings_for_pytorch::", "torch_ccl::"})
    {
        if (StartsWith(name, prefix))
        {
            return true;
        }
    }
    const std::size_t colon = name.find(':');
    return name == "record_param_comms" ||
           (colon != std::string_view::npos && IsTorchBackend(name.substr(0, colon)));
}

bool
IsTorchCpuBackend(std::string_view backend)
{
    return backend == "gloo" || backend == "mpi";
}

bool
IsTorchWhole(std::string_view type)
{
    static constexpr std::array<std::string_view, 16> WHOLE{{"long int",
                                                             "int",
                                                             "short int",
                                                             "signed char",
                                                             "unsigned char",
                                                             "bool",
                                                             "long",
                                                             "Long",
                                                             "Int",
                                                             "Short",
                                                             "Char",
                                                             "Byte",
                                                             "Bool",
                                                             "UInt16",
                                                             "UInt32",
                                                             "UInt64"}};
    return std::find(WHOLE.begin(), WHOLE.end(), type) != WHOLE.end();
}

uint32_t
GetTorchElementSize(std::string_view type)
{
    static constexpr std::array<std::pair<std::string_view, uint32_t>, 40> SIZES{
        {{"float", 4},
         {"double", 8},
         {"c10::Half", 2},
         {"c10::BFloat16", 2},
         {"long int", 8},
         {"int", 4},
         {"short int", 2},
         {"signed char", 1},
         {"unsigned char", 1},
         {"bool", 1},
         {"long", 8},
         {"Float", 4},
         {"Double", 8},
         {"Half", 2},
         {"BFloat16", 2},
         {"Long", 8},
         {"Int", 4},
         {"Short", 2},
         {"Char", 1},
         {"Byte", 1},
         {"Bool", 1},
         {"c10::Float8_e4m3fn", 1},
         {"c10::Float8_e5m2", 1},
         {"c10::Float8_e4m3fnuz", 1},
         {"c10::Float8_e5m2fnuz", 1},
         {"c10::Float8_e8m0fnu", 1},
         {"Float8_e4m3fn", 1},
         {"Float8_e5m2", 1},
         {"Float8_e4m3fnuz", 1},
         {"Float8_e5m2fnuz", 1},
         {"Float8_e8m0fnu", 1},
         {"UInt16", 2},
         {"UInt32", 4},
         {"UInt64", 8},
         {"ComplexHalf", 4},
         {"ComplexFloat", 8},
         {"ComplexDouble", 16},
         {"c10::complex<c10::Half>", 4},
         {"c10::complex<float>", 8},
         {"c10::complex<double>", 16}}};
    const auto* const found = std::find_if(SIZES.begin(), SIZES.end(), [type](const auto& entry) {
        return entry.first == type;
    });
    return found == SIZES.end() ? 0 : found->second;
}

KinetoCategory
GetKinetoCategory(std::string_view name)
{
    if (name == "cpu_op" || name == "user_annotation" || name == "Operator")
    {
        return KinetoCategory::HOST;
    }
    if (IsKinetoKernel(name) || name == "gpu_memcpy" || name == "Memcpy" || name == "gpu_memset" ||
        name == "Memset")
    {
        return KinetoCategory::DEVICE;
    }
    // of CUDA and ROCm, Intel's, other vendors'
    for (const std::string_view call : {"cuda", "xpu", "mtia", "privateuse1"})
    {
        if (StartsWith(name, call) &&
            (name.substr(call.size()) == "_runtime" || name.substr(call.size()) == "_driver"))
        {
            return KinetoCategory::CALL;
        }
    }
    if (name == "Runtime")
    {
        return KinetoCategory::CALL;
    }
    return KinetoCategory::OTHER;
}

std::optional<std::pair<int64_t, int64_t>>
GetKinetoTimes(const JsonRecord& record, TraceFaults& faults)
{
    const int64_t start = record.GetNanoseconds("ts");
    if (start < -importlimit::TIME_NS || start > importlimit::TIME_NS)
    {
        record.Fail("ts", "accepted are microseconds from -4e15 to 4e15");
    }
    const int64_t length = record.GetNanoseconds("dur");
    if (length < 0 || length > importlimit::LENGTH_NS)
    {
        faults.Add(TraceFault::ENDLESS,
                   record.GetPlace() + ": '" + std::string(record.GetText("name")) +
                       "' with a duration of " + std::string(record.GetText("dur")) + " us");
        return std::nullopt;
    }
    return std::make_pair(start, start + length);
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

std::string_view
GetKinetoStream(const JsonRecord& record)
{
    return record.GetText(record.Has("args.stream") ? "args.stream" : "tid");
}

void
GetKinetoThread(const JsonRecord& record, std::string& thread)
{
    thread.assign(record.GetText("pid")).append(1, '/').append(record.GetText("tid"));
}

bool
IsKinetoKernel(std::string_view category)
{
    return category == "kernel" || category == "Kernel";
}

bool
IsKinetoLaunch(std::string_view name)
{
    // Calls that launch nothing are most of them.
    return name.find("Launch") != std::string_view::npos ||
           name.find("Memcpy") != std::string_view::npos ||
           name.find("Memset") != std::string_view::npos;
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
