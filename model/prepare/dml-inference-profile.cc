/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-inference-profile.h"

#include "ns3/dml-op-reach.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

/// @return for each op whether it is of back-propagation, moves or applies a gradient, or waits for
/// one that does
std::vector<bool>
FindTraining(const OpGraph& graph)
{
    std::vector<OpIndex> found;
    for (OpIndex op = 0; op < graph.GetSize(); ++op)
    {
        const OpKind kind = graph.Get(op).kind;
        if (kind == OpKind::BACKWARD || kind == OpKind::PUSH || kind == OpKind::UPDATE)
        {
            found.push_back(op);
        }
    }
    return MarkWithDependents(graph, std::move(found));
}

/// Add a push that waits for all that nothing else waits for, and its update, which takes no time.
void
AddReport(Profile& profile)
{
    const uint32_t samples = profile.GetSampleCount();
    const uint32_t size = profile.graph.GetSize();
    const TensorIndex tensor = profile.tensors.size();
    profile.tensors.push_back({INFERENCE_REPORT, 1});
    const std::string name = INFERENCE_REPORT;
    const OpIndex push = profile.graph.Add({"push/" + name, OpKind::PUSH, 0, tensor});
    for (OpIndex op = 0; op < size; ++op)
    {
        if (profile.graph.GetDependents(op).empty())
        {
            profile.graph.AddDependency(op, push);
        }
    }
    const OpIndex update = profile.graph.Add({"update/" + name, OpKind::UPDATE, 0, tensor});
    profile.graph.AddDependency(push, update);
    profile.samples.emplace_back();
    profile.samples.emplace_back(samples, 0.0);
}

} // namespace

Profile
MakeInferenceProfile(const Profile& training, InferenceReport report)
{
    Profile profile = training;
    profile.graph = OpGraph();
    profile.samples.clear();
    profile.buckets.clear();
    const auto left = FindTraining(training.graph);
    std::vector<OpIndex> places(left.size(), NO_INDEX); // of the ops that stay
    for (OpIndex op = 0; op < left.size(); ++op)
    {
        if (!left[op])
        {
            places[op] = profile.graph.Add(training.graph.Get(op));
            profile.samples.push_back(training.samples[op]);
        }
    }
    if (profile.graph.GetSize() == 0)
    {
        throw ProfileError("has no op that inference would need", NO_INDEX);
    }
    profile.graph.AddDependencies(training.graph, places);
    if (report == InferenceReport::SENT)
    {
        AddReport(profile);
    }
    profile.Validate();
    return profile;
}

} // namespace ns3::dml
