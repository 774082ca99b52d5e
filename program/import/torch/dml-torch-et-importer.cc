/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-et-run.h"
#include "dml-torch-run.h"

#include "ns3/dml-error.h"
#include "ns3/dml-importers.h"
#include "ns3/dml-json-record-reader.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-step-merger.h"
#include "ns3/dml-step-sizes.h"
#include "ns3/dml-trace-input.h"

#include <algorithm>
#include <cstdlib>
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

/// Take what a file of either kind tells.
void
ReadTwin(const std::string& file, TorchEtRun& run)
{
    TraceInput input(file);
    bool hasNodes = false;
    bool hasEvents = false;
    const JsonRecordReader reader({"nodes", "traceEvents"},
                                  JsonRecordReader::Truncation::REFUSE,
                                  JsonRecordReader::Faults::MEND);
    reader.Read(input, [&](const JsonRecord& record) {
        if (record.GetMendedCount() > 0)
        {
            run.times.faults.Add(TraceFault::NO_JSON, record.GetPlace());
        }
        if (record.GetList() == "nodes")
        {
            hasNodes = true;
            run.nodes.push_back(ReadTorchEtNode(record));
        }
        else if (record.GetList() == "traceEvents")
        {
            hasEvents = true;
            try
            {
                run.times.Add(record);
            }
            catch (const InputError& error)
            {
                run.times.faults.Add(TraceFault::UNREADABLE, error.what());
            }
        }
        else if (record.GetList() != JsonRecord::HEADER)
        {
            record.Fail("", ACCEPTED);
        }
        else if (hasNodes)
        {
            run.schema = record.GetString("schema");
            if (!StartsWith(run.schema, "1.0.") && !StartsWith(run.schema, "1.1."))
            {
                record.Fail("schema", "accepted are the schemas 1.0.x and 1.1.x");
            }
        }
        else
        {
            ReadKinetoDistribution(record, run.distribution);
        }
        return true;
    });
    run.bytesRead += input.GetOffset();
    if (!hasNodes && !hasEvents)
    {
        throw InputError(file + ": found neither 'nodes' nor 'traceEvents'; " + ACCEPTED);
    }
    if ((hasNodes && !run.traceFile.empty()) || (hasEvents && !run.timesFile.empty()))
    {
        throw InputError(file + ": found a second file with '" +
                         (hasNodes ? "nodes" : "traceEvents") + "'; " + ACCEPTED);
    }
    run.traceFile = hasNodes ? file : run.traceFile;
    run.timesFile = hasEvents ? file : run.timesFile;
}

/// @return what both files have; @throws InputError unless they are one trace of each kind
TorchEtRun
ReadTwins(const std::vector<std::string>& files)
{
    if (files.size() != 2)
    {
        throw InputError((files.empty() ? "" : files.front() + ": ") + std::string("found ") +
                         Plural(files.size(), "file") + "; " + ACCEPTED);
    }
    TorchEtRun run;
    for (const std::string& file : files)
    {
        ReadTwin(file, run);
    }
    if (run.traceFile.empty() || run.timesFile.empty())
    {
        throw InputError(files.back() + ": found no '" +
                         (run.traceFile.empty() ? "nodes" : "traceEvents") + "' in either file; " +
                         ACCEPTED);
    }
    run.times.faults.RefuseIfMost(run.timesFile,
                                  run.times.events.size() + run.times.kernels.size() +
                                      run.times.calls.size());
    // into the order in which they started
    std::sort(run.nodes.begin(), run.nodes.end(), [](const TorchEtNode& a, const TorchEtNode& b) {
        return a.id < b.id;
    });
    const auto same = std::adjacent_find(run.nodes.begin(),
                                         run.nodes.end(),
                                         [](const auto& a, const auto& b) { return a.id == b.id; });
    if (same != run.nodes.end())
    {
        throw InputError(run.traceFile + ": found two nodes with the id " +
                         std::to_string(same->id) + "; accepted are unique ids");
    }
    return run;
}

/// @return for each step rows of the first op outside autograd that tells them, or 0
std::vector<uint64_t>
FindRows(const TorchEtRun& run)
{
    std::vector<uint64_t> rows(run.steps.size(), 0);
    for (const TorchEtOp& op : run.ops)
    {
        if (op.step == TorchEtOp::NONE || op.isBackward || op.isOptimizer || rows[op.step] > 0)
        {
            continue;
        }
        for (const uint32_t node : op.nodes)
        {
            const auto& inputs = run.nodes[node].inputs;
            const auto place = FindTorchSamples(GetTorchBaseName(run.nodes[node].name));
            if (place && *place < inputs.size())
            {
                // The shape is "64x3x11x11", and empty for a scalar.
                rows[op.step] = std::strtoull(inputs[*place].shape.c_str(), nullptr, 10);
                break;
            }
        }
    }
    return rows;
}

/// Leave out steps that complete no gradient beside others, and those of another batch size than
/// most.
void
KeepUsualSteps(const TorchEtRun& run, MeasuredJob& job, ImportResult& notes)
{
    std::set<uint32_t> training; // steps
    for (const auto& [op, gradient] : run.gradients)
    {
        training.insert(run.ops[op].step);
    }
    const std::vector<uint64_t> rows = FindRows(run);
    std::vector<StepSize> sizes;
    std::vector<MeasuredStep> candidates;
    for (std::size_t s = 0; s < job.steps.size(); ++s)
    {
        if (training.empty() || training.count(s) > 0)
        {
            sizes.push_back({run.traceFile, job.steps[s].place, rows[s]});
            candidates.push_back(std::move(job.steps[s]));
            continue;
        }
        notes.warnings.push_back(job.steps[s].place + " is left out: it completes no gradient");
    }
    const std::vector<bool> isKept =
        FindStepsOfOneSize(sizes, TORCH_ROWS, notes.rules, notes.warnings);
    job.steps.clear();
    for (std::size_t s = 0; s < isKept.size(); ++s)
    {
        if (isKept[s])
        {
            job.steps.push_back(std::move(candidates[s]));
        }
    }
}

void
AddRules(const TorchEtRun& run, ImportResult& result)
{
    auto& rules = result.rules;
    const TorchEtCounts& found = run.counts;
    rules.push_back("ops: outermost operators (" + std::to_string(found.ops) +
                    " on devices); dependencies by tensor, by memory, and of autograd nodes on the "
                    "operator with their sequence number (" +
                    Count(found.paired, found.backward, "nodes)"));
    if (found.kernels + found.strays > 0)
    {
        rules.push_back("GPU time: kernels by correlation, else External id (" +
                        Count(found.kernels, found.kernels + found.strays, "kernels, ") +
                        Count(found.gpuOps, found.ops, "ops)"));
        result.replayCaveat = "an op with kernels lasts as long as these do; the time in which the "
                              "host launched them is left out";
    }
    if (found.exchanges > 0)
    {
        rules.push_back("kernels of collectives that an op asks for are no part of its time (" +
                        std::to_string(found.exchanges) + ")");
    }
    if (found.collectives > 0)
    {
        rules.push_back("collective operations take no time, as the network decides it (" +
                        Count(found.collectives, found.ops, "ops)"));
    }
    const uint64_t gradients = found.bySequence + found.byShape + found.unknown;
    if (gradients == 0)
    {
        result.warnings.push_back("no gradient is accumulated (AccumulateGrad), so the profile has "
                                  "no tensors and nothing to send");
    }
    else
    {
        rules.push_back("parameters: tensors whose gradient is accumulated, found by the sequence "
                        "number of the node that made it (" +
                        Count(found.bySequence, gradients, "gradients), else by shape (") +
                        std::to_string(found.byShape) + ")");
        rules.push_back("gradient ready: end of AccumulateGrad (" +
                        Count(run.tensors.size(), run.tensors.size(), "tensors)"));
        rules.push_back(found.optimizer == 0
                            ? "update: no time, as the trace has no optimizer"
                            : std::string("update: ") +
                                  (found.annotated > 0 ? "what runs within Optimizer.step"
                                                       : "what runs after the last autograd node") +
                                  ", by what each operator changes, the rest by size (" +
                                  std::to_string(found.optimizer) + " operators)");
    }
    if (found.unknown > 0)
    {
        result.warnings.push_back(Count(found.unknown, gradients, "gradients") +
                                  " are of no tensor that forward operators read; each counts as a "
                                  "parameter of its own that nothing waits for");
    }
    if (found.empty > 0)
    {
        result.warnings.push_back(Plural(found.empty, "accumulation") +
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

} // namespace

ImportResult
ImportTorchEt(const std::vector<std::string>& files, const ImportOptions& options)
{
    TorchEtRun run = ReadTwins(files);
    const std::string joinRule = JoinTorchEtNodes(run);
    const std::string joined = Count(run.counts.joined, run.counts.candidates, "nodes");
    if (run.counts.joined == 0 || 2 * run.counts.joined < run.counts.candidates)
    {
        throw InputError(run.traceFile + ": found " + joined + " in " + run.timesFile + " (by " +
                         joinRule +
                         "); accepted are two traces of the same run, which share most nodes" +
                         run.times.faults.GetReason());
    }
    const std::string stepRule = FindTorchEtSteps(run);
    const uint32_t skip = options.skip.value_or(0);
    if (skip >= run.steps.size())
    {
        throw InputError(run.traceFile + ": found " + Plural(run.steps.size(), "step") + " and " +
                         std::to_string(skip) + " to leave out; accepted are fewer than there are");
    }
    run.steps.erase(run.steps.begin(), run.steps.begin() + skip);
    MakeTorchEtGraph(run);
    FindTorchEtParameters(run);
    MeasuredJob job;
    ImportResult notes;
    const std::string name = std::filesystem::path(run.traceFile).filename().string();
    job.model = name.substr(0, name.find('.'));
    job.tensors = run.tensors;
    BuildTorchEtSteps(run, options, job);
    KeepUsualSteps(run, job, notes);
    std::string idleRule;
    if (options.idle.value_or(IdleTime::KEEP) == IdleTime::KEEP)
    {
        idleRule = AddTorchEtIdleOps(job.steps);
    }
    const bool isMeasured = options.order == ComputeOrder::MEASURED;
    job.source = {{"framework", "PyTorch"},
                  {"schema", run.schema},
                  {"compute_order", isMeasured ? "measured" : "dataflow"},
                  {"file", name + ", " + std::filesystem::path(run.timesFile).filename().string()},
                  {"imported_by", "dml import torch-et"}};
    ImportResult result = MergeSteps(job, options);
    result.bytesRead = run.bytesRead;
    result.rules = notes.rules;
    result.warnings.insert(result.warnings.begin(), notes.warnings.begin(), notes.warnings.end());
    result.rules.push_back("times: events of the Kineto trace, by " + joinRule + " (" + joined +
                           ")");
    result.rules.push_back(stepRule);
    AddRules(run, result);
    for (const std::string& fault : run.times.faults.Tell())
    {
        result.warnings.push_back(run.timesFile + ": " + fault);
    }
    if (!idleRule.empty())
    {
        result.rules.push_back(idleRule);
    }
    AddTorchEtBuckets(run, result);
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
