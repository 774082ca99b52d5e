/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-job.h"

#include "ns3/dml-error.h"
#include "ns3/dml-most-common.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-step-merger.h"
#include "ns3/dml-step-sizes.h"

#include <algorithm>
#include <fmt/core.h>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

namespace ns3::dml
{

namespace
{

/// Above this share of a step, updates that overlap with it make a replay visibly shorter.
constexpr double MUCH_UPDATING = 0.04;

/// Names and sizes of tensors.
using TorchTensorNames = std::vector<std::pair<std::string, uint64_t>>;

TorchTensorNames
ListTensors(const TorchJobStep& step)
{
    TorchTensorNames names;
    for (const TorchTensor& tensor : step.found.tensors)
    {
        names.emplace_back(tensor.tensor.name, tensor.tensor.bytes);
    }
    return names;
}

/// @throws InputError if the user gave sizes of tensors that there are not
void
CheckSizes(const std::vector<TorchTensor>& tensors, const ImportOptions& options)
{
    for (const auto& [name, bytes] : options.sizes)
    {
        const bool known =
            std::any_of(tensors.begin(), tensors.end(), [&name = name](const auto& tensor) {
                return tensor.tensor.name == name;
            });
        if (!known)
        {
            throw InputError("the size given for '" + name +
                             "' fits no tensor of the trace; its tensors are " +
                             tensors.front().tensor.name + " to " + tensors.back().tensor.name);
        }
    }
}

/// @param tensors of each step; @param most what most have
/// @throws InputError if no step of a file has these
void
CheckModels(const std::vector<TorchJobStep>& steps,
            const std::vector<TorchTensorNames>& tensors,
            const TorchTensorNames& most)
{
    std::set<std::string> fit; // files
    for (std::size_t s = 0; s < steps.size(); ++s)
    {
        if (tensors[s] == most)
        {
            fit.insert(steps[s].file);
        }
    }
    for (std::size_t s = 0; s < steps.size(); ++s)
    {
        if (fit.count(steps[s].file) > 0)
        {
            continue;
        }
        const auto [mine, theirs] =
            std::mismatch(tensors[s].begin(), tensors[s].end(), most.begin(), most.end());
        const auto name = [](const auto& at, const auto& end) {
            return at == end ? std::string("no more tensor")
                             : "'" + at->first + "' of " + std::to_string(at->second) + " bytes";
        };
        const auto first = std::find(tensors.begin(), tensors.end(), most) - tensors.begin();
        throw InputError(steps[s].file + ": found " + name(mine, tensors[s].end()) + " where " +
                         steps[first].file + " has " + name(theirs, most.end()) + " (" +
                         Plural(tensors[s].size(), "tensor") + " and " +
                         std::to_string(most.size()) + "); accepted: traces of one model");
    }
}

/// @return how the tensors of a step differ from those of most steps
std::string
DescribeOther(const TorchTensorNames& tensors, const TorchTensorNames& most)
{
    const auto [other, usual] =
        std::mismatch(tensors.begin(), tensors.end(), most.begin(), most.end());
    if (tensors.size() != most.size())
    {
        return fmt::format("{}, most have {}", tensors.size(), most.size());
    }
    return fmt::format("'{}' of {} bytes, most have '{}' of {}",
                       other->first,
                       other->second,
                       usual->first,
                       usual->second);
}

void
RemoveOddSteps(TorchJob& job)
{
    std::vector<TorchTensorNames> tensors;
    std::transform(job.steps.begin(), job.steps.end(), std::back_inserter(tensors), ListTensors);
    const TorchTensorNames most = FindMostCommon(tensors);
    CheckModels(job.steps, tensors, most);
    std::vector<TorchJobStep> kept;
    for (std::size_t s = 0; s < tensors.size(); ++s)
    {
        if (tensors[s] == most)
        {
            kept.push_back(std::move(job.steps[s]));
            continue;
        }
        job.notes.warnings.push_back(job.steps[s].step.time.place +
                                     " is left out: it has other tensors than most steps (" +
                                     DescribeOther(tensors[s], most) + ")");
    }
    job.steps = std::move(kept);
    for (const auto& [name, bytes] : most)
    {
        job.measured.tensors.push_back({name, bytes});
    }
}

/// Tell the batch size, which all steps have that are kept.
/// @throws InputError if files have different ones
void
SetBatchSize(TorchJob& job, const ImportOptions& options)
{
    std::vector<StepSize> sizes;
    for (const TorchJobStep& step : job.steps)
    {
        sizes.push_back({step.file, step.step.time.place, step.rows});
    }
    const StepSizeUnit samples{"sample", "", TORCH_ROWS.remedy};
    const std::vector<bool> isKept =
        FindStepsOfOneSize(sizes,
                           job.steps.front().samples > 0 ? samples : TORCH_ROWS,
                           job.notes.rules,
                           job.notes.warnings);
    std::vector<TorchJobStep> kept;
    for (std::size_t s = 0; s < isKept.size(); ++s)
    {
        if (isKept[s])
        {
            kept.push_back(std::move(job.steps[s]));
        }
    }
    job.steps = std::move(kept);
    const TorchStep& first = job.steps.front().step;
    if (options.batchSize || job.steps.front().samples == 0)
    {
        return;
    }
    job.measured.batchSize = job.steps.front().samples;
    if (job.isBatchTold)
    {
        return;
    }
    job.notes.rules.push_back(
        "batch size: first dimension of the first input of " +
        first.parts[first.FindPart(TorchWork::FORWARD)].op + " that is no parameter" +
        (first.passes > 1 ? ", in each of " + std::to_string(first.passes) + " passes" : "") +
        " (" + std::to_string(job.measured.batchSize) + ")");
}

/// Call accumulations by their tensor, or in a bucket by their order.
void
NameAccumulations(TorchStep& step, const std::vector<TorchTensor>& tensors)
{
    std::map<uint32_t, std::string> names;
    for (const TorchTensor& tensor : tensors)
    {
        names.emplace(tensor.ready, tensor.tensor.name);
    }
    uint32_t number = 0;
    for (uint32_t p = 0; p < step.parts.size(); ++p)
    {
        TorchPart& part = step.parts[p];
        if (part.work == TorchWork::ACCUMULATE)
        {
            ++number;
            const auto name = names.find(p);
            part.name = "accumulate/" +
                        (name != names.end() ? name->second : "gradient_" + std::to_string(number));
        }
    }
}

void
SortAccumulations(TorchStep& step, std::vector<TorchTensor>& tensors)
{
    // Parts are exchanged by name only within a run, so an index of a part's run stays valid.
    std::map<uint32_t, std::size_t> order;
    for (std::size_t t = 0; t < tensors.size(); ++t)
    {
        order.emplace(tensors[t].ready, t);
    }
    std::vector<uint32_t> places(step.parts.size());
    for (uint32_t p = 0; p < step.parts.size();)
    {
        uint32_t end = p;
        std::vector<uint32_t> run;
        while (end < step.parts.size() && step.parts[end].work == TorchWork::ACCUMULATE)
        {
            run.push_back(end++);
        }
        std::stable_sort(run.begin(), run.end(), [&](uint32_t a, uint32_t b) {
            return order.count(a) > 0 && order.count(b) > 0 && order[a] < order[b];
        });
        std::vector<TorchPart> sorted;
        for (std::size_t i = 0; i < run.size(); ++i)
        {
            sorted.push_back(step.parts[run[i]]);
            places[run[i]] = p + i;
        }
        std::move(sorted.begin(), sorted.end(), step.parts.begin() + p);
        if (end == p)
        {
            places[p] = p;
            ++end;
        }
        p = end;
    }
    for (TorchTensor& tensor : tensors)
    {
        tensor.ready = places[tensor.ready];
    }
}

/// @return names of parts that took no time in any step and that no tensor needs
std::set<std::string>
FindEmptyParts(const std::vector<TorchJobStep>& steps, const ImportOptions& options)
{
    const bool keep = options.idle.value_or(IdleTime::KEEP) == IdleTime::KEEP;
    std::map<std::string, bool> used;
    for (const TorchJobStep& step : steps)
    {
        int64_t end = step.step.time.start;
        for (const TorchPart& part : step.step.parts)
        {
            // Idle time before an update and at the end of a step needs an op that gets it.
            if (keep && part.work == TorchWork::OTHER && part.start > end)
            {
                for (const TorchTensor& tensor : step.found.tensors)
                {
                    const bool before = tensor.pushStart < part.start;
                    end = std::max(end, before ? tensor.pushStart + tensor.pushLength : end);
                }
                used[part.name] |= part.start > end;
            }
            used[part.name] |= part.length > 0 || part.work == TorchWork::ACCUMULATE;
            end = std::max(end, part.start + part.length);
        }
        for (const TorchTensor& tensor : step.found.tensors)
        {
            for (const uint32_t reader : tensor.readers)
            {
                used[step.step.parts[reader].name] = true;
            }
        }
    }
    std::set<std::string> empty;
    for (const auto& [name, isUsed] : used)
    {
        if (!isUsed)
        {
            empty.insert(name);
        }
    }
    return empty;
}

/// Add the ops of parts. @param empty names of those that are left out
/// @param pulls by part: those that it waits for
void
AddParts(const TorchJob& job,
         const TorchStep& step,
         const std::set<std::string>& empty,
         const std::vector<std::vector<std::string>>& pulls,
         MeasuredStep& made)
{
    std::string before;
    for (std::size_t p = 0; p < step.parts.size(); ++p)
    {
        const TorchPart& part = step.parts[p];
        if (part.work == TorchWork::UPDATE || empty.count(part.name) > 0)
        {
            continue;
        }
        std::vector<std::string> deps = pulls[p];
        if (!before.empty())
        {
            deps.insert(deps.begin(), before);
        }
        // with memory, a node waits for the op whose activations it needs
        if (job.memory && part.work == TorchWork::BACKWARD && part.forward != TorchEvent::NONE)
        {
            const std::string& forward = step.parts[part.forward].name;
            if (forward != before && empty.count(forward) == 0)
            {
                deps.push_back(forward);
            }
        }
        const OpKind kind = part.work == TorchWork::FORWARD ? OpKind::FORWARD
                            : part.work == TorchWork::OTHER ? OpKind::COMPUTE
                                                            : OpKind::BACKWARD;
        made.ops.push_back({part.name,
                            kind,
                            job.device,
                            "",
                            std::move(deps),
                            part.start,
                            part.length,
                            part.memory});
        before = part.name;
    }
}

/// @param empty names of parts that are left out
/// @return the ops of a step: pulls, parts, pushes, updates
MeasuredStep
MakeTorchOps(const TorchJob& job,
             const TorchStep& step,
             const std::vector<TorchTensor>& tensors,
             const std::set<std::string>& empty)
{
    MeasuredStep made{step.time.place, step.time.start, step.time.end, {}};
    const uint32_t forward = step.FindPart(TorchWork::FORWARD);
    std::vector<std::vector<std::string>> pulls(step.parts.size());
    for (const TorchTensor& tensor : tensors)
    {
        const std::string& name = tensor.tensor.name;
        const std::string pull = "pull/" + name;
        made.ops.push_back({pull, OpKind::PULL, "", name, {}, made.start, 0});
        for (const uint32_t reader : tensor.readers)
        {
            if (pulls[reader].empty() || pulls[reader].back() != pull)
            {
                pulls[reader].push_back(pull);
            }
        }
        if (tensor.readers.empty())
        {
            pulls[forward == TorchEvent::NONE ? 0 : forward].push_back(pull);
        }
    }
    AddParts(job, step, empty, pulls, made);
    // in the order in which gradients were ready, which is that of DDP's buckets
    std::vector<const TorchTensor*> gradients;
    for (const TorchTensor& tensor : tensors)
    {
        gradients.push_back(&tensor);
    }
    std::stable_sort(gradients.begin(), gradients.end(), [](const auto* one, const auto* other) {
        return one->ready < other->ready;
    });
    for (const TorchTensor* tensor : gradients)
    {
        const std::string& name = tensor->tensor.name;
        const std::string& ready = step.parts[tensor->ready].name;
        made.ops.push_back({"push/" + name,
                            OpKind::PUSH,
                            "",
                            name,
                            {ready},
                            tensor->pushStart,
                            tensor->pushLength});
    }
    const uint32_t first = step.FindPart(TorchWork::UPDATE);
    int64_t start = first == TorchEvent::NONE ? made.start : step.parts[first].start;
    for (const TorchTensor& tensor : tensors)
    {
        const std::string& name = tensor.tensor.name;
        made.ops.push_back(
            {"update/" + name, OpKind::UPDATE, "", name, {"push/" + name}, start, tensor.update});
        start += tensor.update;
    }
    return made;
}

/// Say so if a replay will be shorter than the steps.
void
TellOverlap(ImportResult& result)
{
    const Profile& profile = result.profile;
    double updates = 0;
    double all = 0;
    for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
    {
        const double seconds =
            std::accumulate(profile.samples[op].begin(), profile.samples[op].end(), 0.0);
        all += seconds;
        updates += profile.graph.Get(op).kind == OpKind::UPDATE ? seconds : 0;
    }
    if (result.replayCaveat.empty() && updates > MUCH_UPDATING * all)
    {
        std::ostringstream text;
        text.precision(3);
        text << "updates, " << 100 * updates / all
             << " % of the step, ran after back-propagation when it was recorded and overlap with "
                "it "
                "on a parameter server";
        result.replayCaveat = text.str();
    }
}

} // namespace

ImportResult
FinishTorchJob(TorchJob& job, const ImportOptions& options)
{
    RemoveOddSteps(job);
    SetBatchSize(job, options);
    CheckSizes(job.steps.front().found.tensors, options);
    for (const TorchJobStep& step : job.steps)
    {
        job.buckets.AddStep(step.trace, step.step.time.place, step.found);
    }
    job.measured.devices = {{job.device, 1}};
    for (TorchJobStep& step : job.steps)
    {
        NameAccumulations(step.step, step.found.tensors);
        SortAccumulations(step.step, step.found.tensors);
    }
    const std::set<std::string> empty = FindEmptyParts(job.steps, options);
    for (TorchJobStep& step : job.steps)
    {
        job.measured.steps.push_back(MakeTorchOps(job, step.step, step.found.tensors, empty));
    }
    const bool hasUpdates =
        std::any_of(job.steps.begin(), job.steps.end(), [](const TorchJobStep& step) {
            return std::any_of(step.found.tensors.begin(),
                               step.found.tensors.end(),
                               [](const auto& tensor) { return tensor.update > 0; });
        });
    if (!hasUpdates)
    {
        const bool isThere =
            std::any_of(job.steps.begin(), job.steps.end(), [](const TorchJobStep& step) {
                return step.step.FindPart(TorchWork::UPDATE) != TorchEvent::NONE;
            });
        job.notes.warnings.emplace_back(
            isThere ? "what Optimizer.step launches runs beside other steps: updates take no time"
                    : "the trace has no Optimizer.step: updates take no time");
    }
    ImportResult result = MergeSteps(job.measured, options);
    result.rules.insert(result.rules.begin(), job.notes.rules.begin(), job.notes.rules.end());
    result.warnings.insert(result.warnings.begin(),
                           job.notes.warnings.begin(),
                           job.notes.warnings.end());
    if (!job.notes.replayCaveat.empty())
    {
        result.replayCaveat = job.notes.replayCaveat;
    }
    result.bytesRead = job.notes.bytesRead;
    result.worker = job.notes.worker;
    job.buckets.Finish(result);
    TellOverlap(result);
    return result;
}

} // namespace ns3::dml
