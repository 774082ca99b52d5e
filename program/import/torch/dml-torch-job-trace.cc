/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-gpu-times.h"
#include "dml-torch-job.h"

#include "ns3/dml-error.h"
#include "ns3/dml-plural.h"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>

namespace ns3::dml
{

namespace
{

/// @return "part of whole"
std::string
Of(uint64_t part, uint64_t whole)
{
    return std::to_string(part) + " of " + std::to_string(whole);
}

/// @return the steps of the trace that count, with their times on the device that computes
std::vector<TorchStepTime>
FindSteps(TorchRun& run, uint32_t skip, ImportResult& notes)
{
    std::string rule;
    std::vector<TorchStepTime> times = FindTorchSteps(run.trace, rule, run.faults);
    notes.rules.push_back(rule);
    if (skip >= times.size())
    {
        throw InputError(run.trace.file + ": has " + Plural(times.size(), "step") + ", of which " +
                         std::to_string(skip) + " are to be left out; accepted are fewer");
    }
    std::vector<bool> complete(times.size(), true);
    if (FindTorchComputing(run.trace) == TorchComputing::GPU)
    {
        complete = FindTorchGpuTimes(run, times);
    }
    else if (const uint64_t records = run.trace.kernels.size() + run.trace.gpuRanges; records > 0)
    {
        run.gpu.clear();
        notes.warnings.push_back(run.trace.file + ": times are those of the CPU; " +
                                 Plural(records, "record") + " of a GPU " +
                                 (records == 1 ? "is" : "are") +
                                 " left out, as next to no autograd node ran anything there");
    }
    std::vector<TorchStepTime> kept;
    for (std::size_t s = 0; s < times.size(); ++s)
    {
        if (s >= skip && !complete[s])
        {
            run.faults.Add(TraceFault::LOST_KERNELS, times[s].place);
        }
        (s >= skip && complete[s] ? kept : run.leftOut).push_back(times[s]);
    }
    if (kept.empty())
    {
        throw InputError(run.trace.file + ": each of its " + Plural(times.size() - skip, "step") +
                         " lacks kernels that it launched; accepted is a trace with at least one "
                         "step of which the GPU's profiler lost nothing");
    }
    return kept;
}

/// Share of a step that collectives besides those of gradients may take without a word.
constexpr double LITTLE_ALONE = 0.01;

/// @return ns of a step in which only collectives ran that reduce no gradients
int64_t
FindTimeOfOthers(const TorchStep& step, const std::vector<TorchBucket>& buckets)
{
    int64_t time = 0;
    for (const TorchCollective& collective : step.collectives)
    {
        const bool isOfGradients =
            std::any_of(buckets.begin(), buckets.end(), [&](const TorchBucket& bucket) {
                return bucket.message.runStart <= collective.start &&
                       collective.end <= bucket.message.runEnd;
            });
        time += isOfGradients ? 0 : collective.alone;
    }
    return time;
}

/// Tell how much of the computation is waiting for collectives that reduce no gradients.
/// @param others ns of all steps @param all ns, length of these
void
TellOthers(const TorchTrace& trace, int64_t others, int64_t all, std::size_t steps, TorchJob& job)
{
    if (others > LITTLE_ALONE * all)
    {
        job.notes.warnings.push_back(fmt::format(
            "{}: during {:.3f} ms of a step ({:.1f} %) only collectives ran besides those "
            "of the buckets, as of sharded or tensor-parallel training, or of earlier "
            "passes: that time counts to the ops behind them, and a scenario exchanges "
            "gradients besides (--idle=drop leaves it out)",
            trace.file,
            others / 1e6 / steps,
            100.0 * others / all));
    }
}

/// Note what the parts of the steps hold, if the trace tells.
void
SetMemory(TorchRun& run, TorchJob& job)
{
    bool known = false;
    for (TorchStep& step : run.steps)
    {
        known |= step.passes == 1 && FindTorchMemory(run, step);
    }
    job.memory |= known;
    if (known)
    {
        job.notes.rules.emplace_back(
            "activations: blocks of a forward op that go when a node of the backward pass has run, "
            "each of the op whose node that is; other blocks but gradients are workspace");
    }
}

/// @return rows of a forward op's input that is no parameter, in all passes of the step, or 0 if
/// the trace does not tell
uint64_t
FindInputRows(TorchRun& run, const TorchStep& step, const TorchPart& forward)
{
    const auto input = FindTorchSamples(forward.op);
    const auto shape =
        input ? run.GetShape(run.trace.events[forward.event].dims, *input) : std::nullopt;
    return shape && !shape->empty() && shape->front() > 0 &&
                   shape->front() <= UINT32_MAX / step.passes
               ? shape->front() * step.passes
               : 0;
}

/// @return batch size of a step, of all its passes, or 0 if the trace does not tell
uint64_t
FindBatchSize(TorchRun& run, const TorchStep& step)
{
    if (run.trace.batchSize != 0)
    {
        return run.trace.batchSize;
    }
    const uint32_t first = step.FindPart(TorchWork::FORWARD);
    return first == TorchEvent::NONE ? 0 : FindInputRows(run, step, step.parts[first]);
}

/// @return rows of the first forward op that tells them, which may be samples times words, or 0
uint64_t
FindRows(TorchRun& run, const TorchStep& step)
{
    for (const TorchPart& part : step.parts)
    {
        const bool isForward = part.work == TorchWork::FORWARD && part.event != TorchEvent::NONE;
        if (const uint64_t rows = isForward ? FindInputRows(run, step, part) : 0; rows > 0)
        {
            return rows;
        }
    }
    return 0;
}

void
AddGpuRules(const TorchCounts& counts, ImportResult& notes)
{
    notes.rules.push_back("length of an op: its kernels, copies and fills on the GPU, by "
                          "correlation, else External id (" +
                          Of(counts.kernels, counts.kernels + counts.strays) +
                          "); the host shows as idle time");
    if (counts.strays > 0)
    {
        notes.warnings.push_back(std::to_string(counts.strays) +
                                 " kernels, copies and fills are left out: they ran on another "
                                 "GPU, or no op of a step launched them");
    }
}

void
AddTraceRules(const TorchRun& run, ImportResult& notes)
{
    auto& rules = notes.rules;
    const TorchCounts& counts = run.counts;
    rules.push_back(
        "order: as measured, each op after the one before it, as the profiler records no "
        "flow of data");
    rules.push_back(
        run.sequences
            ? "forward op of a backward node: the op that started last with its sequence number (" +
                  Of(counts.matched, counts.nodes) + " nodes)"
            : "forward op of a backward node: by name, from the last op backwards (" +
                  Of(counts.matched, counts.nodes) + " nodes; the trace has no sequence numbers)");
    rules.push_back(
        "gradient ready: end of AccumulateGrad (" + Of(counts.parameters, counts.parameters) +
        "); its op: that of the node before it (" + Of(counts.owned, counts.parameters) + ")");
    rules.push_back(
        "names of tensors: the n-th op of its kind in the step, weight or bias by shape, "
        "of two alike the first complete is the weight");
    rules.push_back("shape of a tensor: input of AccumulateGrad (" +
                    Of(counts.accumulate, counts.parameters) + "), else of the forward op (" +
                    Of(counts.forward, counts.parameters) + "), size given by hand (" +
                    Of(counts.byHand, counts.parameters) + ")");
    if (counts.undefined > 0)
    {
        rules.push_back("parameters without a gradient, as the loss does not reach them, have none "
                        "to send: " +
                        Plural(counts.undefined, "accumulation") + " without gradient left out");
    }
    if (counts.untyped > 0)
    {
        rules.push_back("element type: 4 bytes where the trace tells none (" +
                        Of(counts.untyped, counts.parameters) + ")");
    }
    if (counts.buckets > 0)
    {
        rules.push_back("tensors: the " + std::to_string(counts.buckets) +
                        " all-reduced buckets, of " + std::to_string(counts.bucketGrads) +
                        " gradients of unknown size; a bucket is complete with the last of them");
    }
    if (counts.messages > 0)
    {
        rules.push_back("all-reduce: a push and a pull of each tensor stand for it in the ops, and "
                        "a scenario with all-reduce makes it of them again (" +
                        std::to_string(counts.messages) + " messages, " +
                        std::to_string(counts.messageBytes) + " bytes" +
                        (counts.buckets > 0
                             ? ""
                             : ", gradients " + std::to_string(counts.gradientBytes) + " bytes") +
                        ")");
        if (counts.buckets == 0 && counts.messageBytes > 0 &&
            counts.messageBytes != counts.gradientBytes)
        {
            notes.warnings.push_back(
                run.trace.file + ": gradients have " + std::to_string(counts.gradientBytes) +
                " bytes, the all-reduced messages " + std::to_string(counts.messageBytes));
        }
        notes.replayCaveat =
            "the trace has all-reduces, for which a push and a pull of each tensor stand here";
    }
    rules.push_back("update of a tensor: its ops in Optimizer.step by shape (" +
                    Of(counts.updatesByOp, counts.tensors) + "), else by bytes");
    rules.push_back("ops outside autograd between others: count to the op after them (" +
                    std::to_string(counts.absorbed) + ")");
}

} // namespace

void
AddTorchTrace(const TorchTrace& trace, const ImportOptions& options, TorchJob& job)
{
    TorchRun run(trace);
    for (const TorchStepTime& time : FindSteps(run, options.skip.value_or(0), job.notes))
    {
        TorchStep step = DissectTorchStep(run, time);
        if (const uint32_t odd = MergeTorchPasses(run, step); odd > 0)
        {
            job.notes.warnings.push_back(
                time.place + ": its " + std::to_string(odd) +
                " backward passes complete different gradients, or an Optimizer.step or "
                "zero_grad is between them: each gradient of each pass counts as one of a "
                "parameter of its own");
        }
        if (step.FindPart(TorchWork::ACCUMULATE) != TorchEvent::NONE)
        {
            run.steps.push_back(std::move(step));
        }
        else
        {
            job.notes.warnings.push_back(time.place + " is left out: it completes no gradient");
        }
    }
    if (run.steps.empty())
    {
        throw InputError(
            trace.file + ": found no gradient (" + std::string(torchnames::ACCUMULATE) +
            ") in any step; accepted is a trace of training" + trace.faults.GetReason());
    }
    if (run.counts.repeated > 0)
    {
        job.notes.rules.push_back(
            "gradients added up over several backward passes: complete in the "
            "last one of a step (" +
            std::to_string(run.steps.front().passes) + " passes in the first); " +
            Plural(run.counts.repeated, "accumulation") +
            " of earlier passes count as back-propagation");
    }
    TimeTorchSteps(run, options.idle.value_or(IdleTime::KEEP));
    SetMemory(run, job);
    int64_t others = 0;
    int64_t all = 0;
    for (TorchStep& step : run.steps)
    {
        TorchStepTensors found = FindTorchTensors(run, step, options);
        others += FindTimeOfOthers(step, found.buckets);
        all += step.time.end - step.time.start;
        const uint64_t samples = FindBatchSize(run, step);
        const uint64_t rows = samples > 0 ? samples : FindRows(run, step);
        job.steps.push_back(
            {trace.file, job.traces, std::move(step), samples, rows, std::move(found)});
    }
    if (options.idle.value_or(IdleTime::KEEP) == IdleTime::KEEP)
    {
        TellOthers(trace, others, all, run.steps.size(), job);
    }
    ++job.traces;
    job.isBatchTold = trace.batchSize != 0;
    job.notes.worker = FindTorchRank(trace);
    job.buckets.AddTrace(trace);
    job.device = options.device.value_or(run.gpu.empty() ? "cpu" : "gpu" + run.gpu);
    job.measured.model = job.measured.model.empty() ? trace.model : job.measured.model;
    job.notes.bytesRead += trace.bytesRead;
    job.measured.source.emplace_back("file", std::filesystem::path(trace.file).filename().string());
    if (!run.gpu.empty())
    {
        job.measured.source.emplace_back("gpu", trace.gpu.empty() ? "unknown" : trace.gpu);
        AddGpuRules(run.counts, job.notes);
    }
    AddTraceRules(run, job.notes);
    for (const std::string& fault : run.faults.Tell())
    {
        job.notes.warnings.push_back(trace.file + ": " + fault);
    }
}

} // namespace ns3::dml
