/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-buckets.h"
#include "dml-torch-et-collectives.h"
#include "dml-torch-et-graph.h"
#include "dml-torch-et-node.h"
#include "dml-torch-et-parameters.h"
#include "dml-torch-et-step-builder.h"
#include "dml-torch-et-steps.h"
#include "dml-torch-et-times.h"

#include "ns3/dml-error.h"
#include "ns3/dml-importers.h"
#include "ns3/dml-json-record-reader.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-step-merger.h"
#include "ns3/dml-trace-input.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr const char* ACCEPTED =
    "accepted are two files, a PyTorch Execution Trace ('nodes') and the Kineto trace "
    "('traceEvents') of the same run";

/// @return "3 of 7 WHAT"
std::string
Count(uint64_t part, uint64_t all, const std::string& what)
{
    return std::to_string(part) + " of " + std::to_string(all) + " " + what;
}

/// The two traces.
class TorchEtTwins
{
  public:
    void Read(const std::string& file)
    {
        TraceInput input(file);
        bool hasNodes = false;
        bool hasEvents = false;
        JsonRecordReader({"nodes", "traceEvents"}).Read(input, [&](const JsonRecord& record) {
            if (record.GetList() == "nodes")
            {
                hasNodes = true;
                nodes.push_back(ReadTorchEtNode(record));
            }
            else if (record.GetList() == "traceEvents")
            {
                hasEvents = true;
                times.Add(record);
                ReadGroupSize(record);
            }
            else if (record.GetList() != JsonRecord::HEADER)
            {
                record.Fail("", ACCEPTED);
            }
            else if (hasNodes)
            {
                CheckSchema(record);
            }
            else
            {
                ReadDistribution(record);
            }
            return true;
        });
        bytesRead += input.GetOffset();
        if (!hasNodes && !hasEvents)
        {
            throw InputError(file + ": found neither 'nodes' nor 'traceEvents'; " + ACCEPTED);
        }
        if ((hasNodes && !traceFile.empty()) || (hasEvents && !timesFile.empty()))
        {
            throw InputError(file + ": found a second file with '" +
                             (hasNodes ? "nodes" : "traceEvents") + "'; " + ACCEPTED);
        }
        traceFile = hasNodes ? file : traceFile;
        timesFile = hasEvents ? file : timesFile;
    }

    /// Sort nodes into the order in which they started.
    void Sort()
    {
        std::sort(nodes.begin(), nodes.end(), [](const TorchEtNode& a, const TorchEtNode& b) {
            return a.id < b.id;
        });
        for (std::size_t i = 1; i < nodes.size(); ++i)
        {
            if (nodes[i].id == nodes[i - 1].id)
            {
                throw InputError(traceFile + ": found two nodes with the id " +
                                 std::to_string(nodes[i].id) + "; accepted are unique ids");
            }
        }
    }

    std::vector<TorchEtNode> nodes; //!< of the Execution Trace
    TorchEtTimes times;             //!< of the Kineto trace
    std::string schema;             //!< of the Execution Trace
    std::string traceFile;          //!< name of the Execution Trace
    std::string timesFile;          //!< name of the Kineto trace
    uint64_t bytesRead{0};          //!< of both
    TorchTrace distribution;        //!< of the Kineto trace, what it tells of other workers

  private:
    void ReadDistribution(const JsonRecord& header)
    {
        if (header.Has("distributedInfo.rank"))
        {
            distribution.rank = header.GetInteger("distributedInfo.rank", 0, INT32_MAX);
        }
        if (header.Has("distributedInfo.world_size"))
        {
            distribution.workers = header.GetInteger("distributedInfo.world_size", 1, INT32_MAX);
        }
        distribution.backend = header.GetText("distributedInfo.backend");
    }

    void ReadGroupSize(const JsonRecord& event)
    {
        if (event.GetText("name") == "record_param_comms" && event.Has("args.Group size"))
        {
            const uint32_t size = event.GetInteger("args.Group size", 0, INT32_MAX);
            distribution.workers = std::max(distribution.workers, size);
        }
    }

    void CheckSchema(const JsonRecord& header)
    {
        schema = header.GetString("schema");
        if (schema.compare(0, 4, "1.0.") != 0 && schema.compare(0, 4, "1.1.") != 0)
        {
            header.Fail("schema", "accepted are the schemas 1.0.x and 1.1.x");
        }
    }
};

/// Tell how gradients were reduced, and the profile its buckets.
void
AddBuckets(const TorchEtTwins& twins,
           const TorchEtCollectives& collectives,
           const std::vector<TorchEtStep>& steps,
           const TorchEtParameters& parameters,
           ImportResult& result)
{
    TorchTrace trace = twins.distribution;
    trace.file = twins.traceFile;
    trace.backend = trace.backend.empty() ? collectives.GetBackend() : trace.backend;
    trace.otherCollectives = collectives.GetOthers();
    TorchBucketFinder finder;
    finder.AddTrace(trace);
    for (uint32_t step = 0; step < steps.size(); ++step)
    {
        finder.AddStep(0, steps[step].place, collectives.Find(step, parameters));
    }
    finder.Finish(result);
}

void
AddRules(const TorchEtGraph& graph,
         const TorchEtParameters& parameters,
         const TorchEtStepCounts& counts,
         ImportResult& result)
{
    auto& rules = result.rules;
    const TorchEtCounts& found = graph.GetCounts();
    rules.push_back("ops: outermost operators (" + std::to_string(counts.ops) +
                    " on devices); dependencies by tensor, by memory, and of autograd nodes on the "
                    "operator with their sequence number (" +
                    Count(found.paired, found.backward, "nodes)"));
    if (found.kernels + found.strays > 0)
    {
        rules.push_back("GPU time: kernels by correlation, else External id (" +
                        Count(found.kernels, found.kernels + found.strays, "kernels, ") +
                        Count(counts.gpuOps, counts.ops, "ops)"));
        result.replayCaveat = "an op with kernels lasts as long as these do; the time in which the "
                              "host launched them is left out";
    }
    if (found.exchanges > 0)
    {
        rules.push_back("kernels of collectives that an op asks for are no part of its time (" +
                        std::to_string(found.exchanges) + ")");
    }
    if (counts.collectives > 0)
    {
        rules.push_back("collective operations take no time, as the network decides it (" +
                        Count(counts.collectives, counts.ops, "ops)"));
    }
    const uint64_t gradients = parameters.bySequence + parameters.byShape + parameters.unknown;
    if (gradients == 0)
    {
        result.warnings.push_back("no gradient is accumulated (AccumulateGrad), so the profile has "
                                  "no tensors and nothing to send");
    }
    else
    {
        rules.push_back("parameters: tensors whose gradient is accumulated, found by the sequence "
                        "number of the node that made it (" +
                        Count(parameters.bySequence, gradients, "gradients), else by shape (") +
                        std::to_string(parameters.byShape) + ")");
        rules.push_back("gradient ready: end of AccumulateGrad (" +
                        Count(parameters.tensors.size(), parameters.tensors.size(), "tensors)"));
        rules.push_back(counts.optimizer == 0
                            ? "update: no time, as the trace has no optimizer"
                            : std::string("update: ") +
                                  (counts.annotated > 0
                                       ? "what runs within Optimizer.step"
                                       : "what runs after the last autograd node") +
                                  ", by what each operator changes, the rest by size (" +
                                  std::to_string(counts.optimizer) + " operators)");
    }
    if (parameters.unknown > 0)
    {
        result.warnings.push_back(Count(parameters.unknown, gradients, "gradients") +
                                  " are of no tensor that forward operators read; each counts as a "
                                  "parameter of its own that nothing waits for");
    }
    if (parameters.empty > 0)
    {
        result.warnings.push_back(Plural(parameters.empty, "accumulation") +
                                  " read no tensor; they send nothing");
    }
    if (found.untimed > 0)
    {
        result.warnings.push_back(std::to_string(found.untimed) +
                                  " outermost operators are not in the Kineto trace and left out");
    }
    if (found.outside > 0)
    {
        result.warnings.push_back(std::to_string(found.outside) +
                                  " outermost operators run outside the steps and are left out");
    }
    if (found.crossing > 0)
    {
        result.warnings.push_back(std::to_string(found.crossing) +
                                  " dependencies on an op that started later are left out");
    }
}

/// @return what both files have; @throws InputError unless they are one trace of each kind
TorchEtTwins
ReadTwins(const std::vector<std::string>& files)
{
    if (files.size() != 2)
    {
        throw InputError((files.empty() ? "" : files.front() + ": ") + std::string("found ") +
                         Plural(files.size(), "file") + "; " + ACCEPTED);
    }
    TorchEtTwins twins;
    for (const std::string& file : files)
    {
        twins.Read(file);
    }
    if (twins.traceFile.empty() || twins.timesFile.empty())
    {
        throw InputError(files.back() + ": found no '" +
                         (twins.traceFile.empty() ? "nodes" : "traceEvents") +
                         "' in either file; " + ACCEPTED);
    }
    twins.Sort();
    return twins;
}

} // namespace

ImportResult
ImportTorchEt(const std::vector<std::string>& files, const ImportOptions& options)
{
    TorchEtTwins twins = ReadTwins(files);
    const TorchEtJoin join = twins.times.Join(twins.nodes);
    if (join.joined == 0 || 2 * join.joined < join.candidates)
    {
        throw InputError(twins.traceFile + ": found " +
                         Count(join.joined, join.candidates, "nodes") + " in " + twins.timesFile +
                         " (by " + join.rule +
                         "); accepted are two traces of the same run, which share most nodes");
    }
    auto [steps, stepRule] = FindTorchEtSteps(twins.nodes, twins.times, join, twins.traceFile);
    const uint32_t skip = options.skip.value_or(0);
    if (skip >= steps.size())
    {
        throw InputError(twins.traceFile + ": found " + Plural(steps.size(), "step") + " and " +
                         std::to_string(skip) + " to leave out; accepted are fewer than there are");
    }
    steps.erase(steps.begin(), steps.begin() + skip);
    const TorchEtGraph graph(twins.nodes, twins.times, join, steps);
    const TorchEtParameters parameters = TorchEtParameterFinder(twins.nodes, graph).Find();
    TorchEtStepBuilder builder(twins.nodes, twins.times, graph, parameters, options);
    MeasuredJob job;
    const std::string name = std::filesystem::path(twins.traceFile).filename().string();
    job.model = name.substr(0, name.find('.'));
    job.tensors = parameters.tensors;
    for (uint32_t step = 0; step < steps.size(); ++step)
    {
        job.steps.push_back(builder.Build(steps[step], step));
        if (step > 0)
        {
            // kernels of the step before may still run
            MeasuredStep& measured = job.steps.back();
            measured.start = std::max(measured.start, job.steps[step - 1].end);
            measured.end = std::max(measured.end, measured.start);
        }
    }
    std::string idleRule;
    if (options.idle.value_or(IdleTime::KEEP) == IdleTime::KEEP)
    {
        idleRule = AddTorchEtIdleOps(job.steps);
    }
    job.devices = builder.GetDevices();
    const bool isMeasured = options.order == ComputeOrder::MEASURED;
    job.source = {
        {"framework", "PyTorch"},
        {"schema", twins.schema},
        {"compute_order", isMeasured ? "measured" : "dataflow"},
        {"file", name + ", " + std::filesystem::path(twins.timesFile).filename().string()},
        {"imported_by", "dml import torch-et"}};
    ImportResult result = MergeSteps(job, options);
    result.bytesRead = twins.bytesRead;
    result.rules.push_back("times: events of the Kineto trace, by " + join.rule + " (" +
                           Count(join.joined, join.candidates, "nodes)"));
    result.rules.push_back(stepRule);
    AddRules(graph, parameters, builder.GetCounts(), result);
    if (!idleRule.empty())
    {
        result.rules.push_back(idleRule);
    }
    AddBuckets(twins,
               TorchEtCollectives(twins.nodes, twins.times, join, graph),
               steps,
               parameters,
               result);
    return result;
}

ImportFormat
TorchEtFormat()
{
    return {"torch-et",
            "a PyTorch Execution Trace (JSON) with the Kineto trace of the same run",
            {"order", "idle", "device", "skip"},
            ImportTorchEt,
            nullptr,
            [](const JsonRecord& record) {
                return record.GetList() == "nodes" && record.Has("id") && record.Has("name") &&
                       (record.Has("rf_id") || record.Has("ctrl_deps"));
            },
            {"nodes"}};
}

} // namespace ns3::dml
