/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-job-builder.h"
#include "dml-torch-step-ops.h"

#include <algorithm>
#include <numeric>
#include <sstream>

namespace ns3::dml
{

namespace
{

/// A first step this much longer than the median of the others is pointed out.
constexpr double SLOW_FIRST_STEP = 1.25;

/// Above this share of a step, updates that overlap with it make a replay visibly shorter.
constexpr double MUCH_UPDATING = 0.04;

/// @return "part of whole"
std::string
Of(uint64_t part, uint64_t whole)
{
    return std::to_string(part) + " of " + std::to_string(whole);
}

} // namespace

void
TorchJobBuilder::SetMemory(const TorchTrace& trace, std::vector<TorchStep>& steps)
{
    bool known = false;
    for (TorchStep& step : steps)
    {
        const auto memory =
            step.passes > 1 ? std::vector<OpMemory>() : FindTorchMemory(trace, step);
        known |= !memory.empty();
        for (std::size_t i = 0; i < memory.size(); ++i)
        {
            step.parts[i].memory = memory[i];
        }
    }
    m_memory |= known;
    if (known)
    {
        m_notes.rules.emplace_back(
            "activations: blocks of a forward op that go when a node of the backward pass has run, "
            "each of the op whose node that is; other blocks but gradients are workspace");
    }
}

void
TorchJobBuilder::AddGpuRules(const TorchStepTimer& timer)
{
    m_notes.rules.push_back("length of an op: its kernels, copies and fills on the GPU, by "
                            "correlation, else External id (" +
                            Of(timer.GetKernels(), timer.GetKernels() + timer.GetStrayKernels()) +
                            "); the host shows as idle time");
    if (timer.GetStrayKernels() > 0)
    {
        m_notes.warnings.push_back(std::to_string(timer.GetStrayKernels()) +
                                   " kernels, copies and fills are left out: they ran on another "
                                   "GPU, or no op of a step launched them");
    }
}

void
TorchJobBuilder::AddRules(const TorchTrace& trace,
                          const TorchStepAnatomy& anatomy,
                          const TorchTensorFinder& finder)
{
    auto& rules = m_notes.rules;
    const TorchAnatomyCounts& nodes = anatomy.GetCounts();
    const TorchTensorCounts& tensors = finder.GetCounts();
    const TorchSizeCounts& sizes = finder.GetSizeCounts();
    rules.push_back(
        "order: as measured, each op after the one before it, as the profiler records no "
        "flow of data");
    rules.push_back(
        nodes.sequences
            ? "forward op of a backward node: the op that started last with its sequence number (" +
                  Of(nodes.matched, nodes.nodes) + " nodes)"
            : "forward op of a backward node: by name, from the last op backwards (" +
                  Of(nodes.matched, nodes.nodes) + " nodes; the trace has no sequence numbers)");
    rules.push_back(
        "gradient ready: end of AccumulateGrad (" + Of(sizes.parameters, sizes.parameters) +
        "); its op: that of the node before it (" + Of(sizes.owned, sizes.parameters) + ")");
    rules.push_back(
        "names of tensors: the n-th op of its kind in the step, weight or bias by shape, "
        "of two alike the first complete is the weight");
    rules.push_back("shape of a tensor: input of AccumulateGrad (" +
                    Of(sizes.accumulate, sizes.parameters) + "), else of the forward op (" +
                    Of(sizes.forward, sizes.parameters) + "), size given by hand (" +
                    Of(tensors.byHand, sizes.parameters) + ")");
    if (sizes.untyped > 0)
    {
        rules.push_back("element type: 4 bytes where the trace tells none (" +
                        Of(sizes.untyped, sizes.parameters) + ")");
    }
    if (tensors.buckets > 0)
    {
        rules.push_back("tensors: the " + std::to_string(tensors.buckets) +
                        " all-reduced buckets, of " + std::to_string(tensors.bucketGrads) +
                        " gradients of unknown size; a bucket is complete with the last of them");
    }
    if (tensors.messages > 0)
    {
        rules.push_back("all-reduce: a push and a pull of each tensor stand for it in the ops, and "
                        "a scenario with all-reduce makes it of them again (" +
                        std::to_string(tensors.messages) + " messages, " +
                        std::to_string(tensors.messageBytes) + " bytes" +
                        (tensors.buckets > 0
                             ? ""
                             : ", gradients " + std::to_string(tensors.gradientBytes) + " bytes") +
                        ")");
        if (tensors.buckets == 0 && tensors.messageBytes > 0 &&
            tensors.messageBytes != tensors.gradientBytes)
        {
            m_notes.warnings.push_back(
                trace.file + ": gradients have " + std::to_string(tensors.gradientBytes) +
                " bytes, the all-reduced messages " + std::to_string(tensors.messageBytes));
        }
        m_notes.replayCaveat =
            "the trace has all-reduces, for which a push and a pull of each tensor stand here";
    }
    rules.push_back("update of a tensor: its ops in Optimizer.step by shape (" +
                    Of(tensors.updatesByOp, tensors.tensors) + "), else by bytes");
    rules.push_back("ops outside autograd between others: count to the op after them (" +
                    std::to_string(nodes.absorbed) + ")");
}

void
TorchJobBuilder::WarnOfFirstStep(ImportResult& result) const
{
    std::vector<double> others(result.stepSeconds);
    if (others.size() < 3)
    {
        return;
    }
    others.erase(others.begin());
    std::nth_element(others.begin(), others.begin() + others.size() / 2, others.end());
    const double median = others[others.size() / 2];
    if (result.stepSeconds.front() > SLOW_FIRST_STEP * median)
    {
        std::ostringstream text;
        text.precision(3);
        text << "the first step lasts " << result.stepSeconds.front() / median
             << " times the median of the others; --skip 1 leaves it out";
        result.warnings.push_back(text.str());
    }
}

void
TorchJobBuilder::TellOverlap(ImportResult& result) const
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

} // namespace ns3::dml
