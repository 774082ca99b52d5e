/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-job-builder.h"

#include "dml-torch-step-ops.h"

#include "ns3/dml-error.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-step-merger.h"

#include <algorithm>
#include <filesystem>
#include <map>

namespace ns3::dml
{

namespace
{

bool
IsSameTensor(const TorchTensor& a, const TorchTensor& b)
{
    return a.tensor.name == b.tensor.name && a.tensor.bytes == b.tensor.bytes;
}

/// @return true if both have the same names and sizes
bool
HaveSameTensors(const std::vector<TorchTensor>& a, const std::vector<TorchTensor>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), IsSameTensor);
}

} // namespace

TorchJobBuilder::TorchJobBuilder(const ImportOptions& options)
    : m_options(options)
{
    if (options.order == ComputeOrder::DATAFLOW)
    {
        throw InputError("PyTorch's profiler records no flow of data; accepted is the measured "
                         "order");
    }
}

void
TorchJobBuilder::Add(const TorchTrace& trace)
{
    TorchSteps found = FindTorchSteps(trace);
    m_notes.rules.push_back(found.rule);
    SkipSteps(found.steps, trace.file);
    TorchStepAnatomy anatomy(trace);
    std::vector<TorchStep> steps;
    uint64_t repeated = 0;
    for (const TorchStepTime& time : found.steps)
    {
        TorchStep step = anatomy.Dissect(time);
        const TorchPasses passes = MergeTorchPasses(trace, anatomy, step);
        repeated += passes.repeated;
        if (!passes.recognized)
        {
            m_notes.warnings.push_back(
                time.place + ": its " + std::to_string(passes.passes) +
                " backward passes complete different gradients, or an Optimizer.step is between "
                "them: each gradient of each pass counts as one of a parameter of its own");
        }
        const bool trains =
            std::any_of(step.parts.begin(), step.parts.end(), [](const TorchPart& part) {
                return part.work == TorchWork::ACCUMULATE;
            });
        if (trains)
        {
            steps.push_back(std::move(step));
        }
        else
        {
            m_notes.warnings.push_back(time.place + " is left out: it completes no gradient");
        }
    }
    if (steps.empty())
    {
        throw InputError(trace.file + ": found no gradient (" +
                         std::string(torchnames::ACCUMULATE) +
                         ") in any step; accepted is a trace of training");
    }
    if (repeated > 0)
    {
        m_notes.rules.push_back("gradients added up over several backward passes: complete in the "
                                "last one of a step (" +
                                std::to_string(steps.front().passes) + " passes in the first); " +
                                Plural(repeated, "accumulation") +
                                " of earlier passes count as back-propagation");
    }
    TorchStepTimer timer(trace, anatomy, m_options.idle.value_or(IdleTime::KEEP));
    timer.SetTimes(steps);
    SetMemory(trace, steps);
    TorchTensorFinder finder(trace, anatomy, timer, m_options);
    for (std::size_t s = 0; s < steps.size(); ++s)
    {
        TorchStepTensors found = finder.Find(steps[s], s);
        SetBatchSize(trace, steps[s]);
        m_steps.push_back({trace.file,
                           m_traces,
                           std::move(steps[s]),
                           std::move(found.tensors),
                           std::move(found.buckets)});
    }
    ++m_traces;
    m_buckets.AddTrace(trace);
    m_device = m_options.device.value_or(timer.GetGpu().empty() ? "cpu" : "gpu" + timer.GetGpu());
    m_job.model = m_job.model.empty() ? trace.model : m_job.model;
    m_notes.bytesRead += trace.bytesRead;
    m_job.source.emplace_back("file", std::filesystem::path(trace.file).filename().string());
    if (!timer.GetGpu().empty())
    {
        m_job.source.emplace_back("gpu", trace.gpu.empty() ? "unknown" : trace.gpu);
        AddGpuRules(timer);
    }
    AddRules(trace, anatomy, finder);
}

void
TorchJobBuilder::SkipSteps(std::vector<TorchStepTime>& times, const std::string& file) const
{
    const uint32_t skip = m_options.skip.value_or(0);
    if (skip >= times.size())
    {
        throw InputError(file + ": has " + Plural(times.size(), "step") + ", of which " +
                         std::to_string(skip) + " are to be left out; accepted are fewer");
    }
    times.erase(times.begin(), times.begin() + skip);
}

void
TorchJobBuilder::SetBatchSize(const TorchTrace& trace, const TorchStep& step)
{
    if (m_job.batchSize != 0 || m_options.batchSize)
    {
        return;
    }
    if (trace.batchSize != 0)
    {
        m_job.batchSize = trace.batchSize;
        return;
    }
    const auto forward =
        std::find_if(step.parts.begin(), step.parts.end(), [](const TorchPart& part) {
            return part.work == TorchWork::FORWARD;
        });
    if (forward == step.parts.end() || trace.events[forward->event].dims == TorchEvent::NONE)
    {
        return;
    }
    const auto input = FindTorchSamples(forward->op);
    const auto shapes = ParseTorchShapes(trace.texts[trace.events[forward->event].dims]);
    if (!input || *input >= shapes.size() || !shapes[*input] || shapes[*input]->empty())
    {
        return;
    }
    const int64_t samples = shapes[*input]->front();
    if (samples > 0 && samples <= UINT32_MAX / step.passes)
    {
        m_job.batchSize = samples * step.passes;
        m_notes.rules.push_back(
            "batch size: first dimension of the first input of " + forward->op +
            " that is no parameter" +
            (step.passes > 1 ? ", in each of " + std::to_string(step.passes) + " passes" : "") +
            " (" + std::to_string(m_job.batchSize) + ")");
    }
}

void
TorchJobBuilder::CheckSizes() const
{
    for (const auto& [name, bytes] : m_options.sizes)
    {
        const auto& tensors = m_steps.front().tensors;
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

void
TorchJobBuilder::CheckModels(const std::vector<TorchTensor>& reference,
                             const std::string& file) const
{
    for (const Step& step : m_steps)
    {
        const bool fits = std::any_of(m_steps.begin(), m_steps.end(), [&](const Step& other) {
            return other.file == step.file && HaveSameTensors(other.tensors, reference);
        });
        if (fits)
        {
            continue;
        }
        const auto [mine, theirs] = std::mismatch(step.tensors.begin(),
                                                  step.tensors.end(),
                                                  reference.begin(),
                                                  reference.end(),
                                                  IsSameTensor);
        const auto name = [](const auto& at, const auto& end) {
            return at == end ? std::string("no more tensor")
                             : "'" + at->tensor.name + "' of " + std::to_string(at->tensor.bytes) +
                                   " bytes";
        };
        throw InputError(step.file + ": found " + name(mine, step.tensors.end()) + " where " +
                         file + " has " + name(theirs, reference.end()) + " (" +
                         Plural(step.tensors.size(), "tensor") + " and " +
                         std::to_string(reference.size()) + "); accepted: traces of one model");
    }
}

void
TorchJobBuilder::RemoveOddSteps()
{
    std::vector<std::pair<const Step*, uint64_t>> groups; // first step, size
    for (const Step& step : m_steps)
    {
        const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& known) {
            return HaveSameTensors(known.first->tensors, step.tensors);
        });
        if (group == groups.end())
        {
            groups.emplace_back(&step, 1);
        }
        else
        {
            ++group->second;
        }
    }
    const auto largest =
        std::max_element(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
            return a.second < b.second;
        });
    const std::vector<TorchTensor> reference = largest->first->tensors;
    CheckModels(reference, largest->first->file);
    std::vector<Step> kept;
    for (Step& step : m_steps)
    {
        if (HaveSameTensors(step.tensors, reference))
        {
            kept.push_back(std::move(step));
        }
        else
        {
            m_notes.warnings.push_back(step.step.time.place +
                                       " is left out: it has other tensors than most steps (" +
                                       std::to_string(step.tensors.size()) + ", most have " +
                                       std::to_string(reference.size()) + ")");
        }
    }
    m_steps = std::move(kept);
    for (const TorchTensor& tensor : reference)
    {
        m_job.tensors.push_back(tensor.tensor);
    }
}

std::set<std::string>
TorchJobBuilder::FindEmptyParts() const
{
    const bool keep = m_options.idle.value_or(IdleTime::KEEP) == IdleTime::KEEP;
    std::map<std::string, bool> used;
    for (const Step& step : m_steps)
    {
        int64_t end = step.step.time.start;
        for (const TorchPart& part : step.step.parts)
        {
            // Idle time before an update and at the end of a step needs an op that gets it.
            if (keep && part.work == TorchWork::OTHER && part.start > end)
            {
                for (const TorchTensor& tensor : step.tensors)
                {
                    const bool before = tensor.pushStart < part.start;
                    end = std::max(end, before ? tensor.pushStart + tensor.pushLength : end);
                }
                used[part.name] |= part.start > end;
            }
            used[part.name] |= part.length > 0 || part.work == TorchWork::ACCUMULATE;
            end = std::max(end, part.start + part.length);
        }
        for (const TorchTensor& tensor : step.tensors)
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

void
TorchJobBuilder::SortAccumulations(TorchStep& step, std::vector<TorchTensor>& tensors) const
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

ImportResult
TorchJobBuilder::Finish()
{
    RemoveOddSteps();
    CheckSizes();
    for (const Step& step : m_steps)
    {
        m_buckets.AddStep(step.trace, step.step.time.place, {step.tensors, step.buckets});
    }
    m_job.devices = {{m_device, 1}};
    for (Step& step : m_steps)
    {
        // Accumulations are called by their tensor, or in a bucket by their order.
        std::map<uint32_t, std::string> names;
        for (const TorchTensor& tensor : step.tensors)
        {
            names.emplace(tensor.ready, tensor.tensor.name);
        }
        uint32_t number = 0;
        for (uint32_t p = 0; p < step.step.parts.size(); ++p)
        {
            TorchPart& part = step.step.parts[p];
            if (part.work == TorchWork::ACCUMULATE)
            {
                ++number;
                const auto name = names.find(p);
                part.name =
                    "accumulate/" +
                    (name != names.end() ? name->second : "gradient_" + std::to_string(number));
            }
        }
        SortAccumulations(step.step, step.tensors);
    }
    const TorchOpShape shape{m_device, FindEmptyParts(), m_memory};
    for (Step& step : m_steps)
    {
        m_job.steps.push_back(MakeTorchOps(step.step, step.tensors, shape));
    }
    const bool hasUpdates = std::any_of(m_steps.begin(), m_steps.end(), [](const Step& step) {
        return std::any_of(step.tensors.begin(), step.tensors.end(), [](const auto& tensor) {
            return tensor.update > 0;
        });
    });
    if (!hasUpdates)
    {
        m_notes.warnings.emplace_back("the trace has no Optimizer.step: updates take no time");
    }
    ImportResult result = MergeSteps(m_job, m_options);
    result.rules.insert(result.rules.begin(), m_notes.rules.begin(), m_notes.rules.end());
    result.warnings.insert(result.warnings.begin(),
                           m_notes.warnings.begin(),
                           m_notes.warnings.end());
    if (!m_notes.replayCaveat.empty())
    {
        result.replayCaveat = m_notes.replayCaveat;
    }
    result.bytesRead = m_notes.bytesRead;
    m_buckets.Finish(result);
    WarnOfFirstStep(result);
    TellOverlap(result);
    return result;
}

} // namespace ns3::dml
