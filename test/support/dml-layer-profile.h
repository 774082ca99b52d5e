/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LAYER_PROFILE_H
#define DML_LAYER_PROFILE_H

#include "ns3/dml-memory-model.h"
#include "ns3/dml-one-worker-run.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// A profile of layers, written one op after another.
class LayerProfile
{
  public:
    using Names = std::vector<std::string>;

    LayerProfile()
    {
        profile.model = "test";
        profile.batchSize = 2;
        profile.devices = {{"cpu", 1}};
    }

    void Add(Op op, const Names& deps)
    {
        const std::string name = op.name;
        profile.samples.push_back(IsTransfer(op.kind) ? std::vector<double>{}
                                                      : std::vector<double>{1});
        m_index[name] = profile.graph.Add(std::move(op));
        for (const auto& dep : deps)
        {
            profile.graph.AddDependency(m_index.at(dep), m_index.at(name));
        }
    }

    /// A parameter and its pull.
    void Parameter(const std::string& name, uint64_t bytes)
    {
        profile.tensors.push_back({name, bytes});
        Add({"pull/" + name, OpKind::PULL, 0, Last()}, {});
    }

    void Forward(const std::string& name, OpMemory memory, const Names& deps)
    {
        Add({"forward/" + name, OpKind::FORWARD, 0, NO_INDEX, memory}, deps);
    }

    void Backward(const std::string& name, uint64_t workspace, const Names& deps)
    {
        Add({"backward/" + name, OpKind::BACKWARD, 0, NO_INDEX, {0, 0, workspace}}, deps);
    }

    /// The gradient of a parameter goes.
    void Push(const std::string& name, TensorIndex tensor, const Names& deps)
    {
        Add({"push/" + name, OpKind::PUSH, 0, tensor}, deps);
    }

    OpIndex Find(const std::string& name) const
    {
        return m_index.at(name);
    }

    MemoryForecast Forecast(const MemoryOptions& options) const
    {
        profile.Validate();
        return ForecastMemory(profile, FindComputeOrder(profile), options);
    }

    /// Total of every phase.
    std::vector<uint64_t> ListTotals(const MemoryOptions& options) const
    {
        const MemoryForecast forecast = Forecast(options);
        std::vector<uint64_t> totals;
        for (const auto& phase : forecast.timeline.phases)
        {
            totals.push_back(phase.GetTotal());
        }
        EXPECT_EQ(forecast.timeline.GetPeakBytes(),
                  *std::max_element(totals.begin(), totals.end()));
        return totals;
    }

    Profile profile; //!< so far

  private:
    TensorIndex Last() const
    {
        return profile.tensors.size() - 1;
    }

    std::map<std::string, OpIndex> m_index; //!< ops by name
};

/**
 * Layers a, b, c, one after another, and input of 10 bytes. Parameters 100, 200, 300 bytes.
 *
 *           keeps  output  workspace forward, backward
 *   a       1000   500     30                 7
 *   b       2000   600     20                 8
 *   c       4000     0     10                 9
 */
inline LayerProfile
MakeChain()
{
    LayerProfile chain;
    chain.profile.inputBytes = 10;
    chain.Parameter("a", 100);
    chain.Parameter("b", 200);
    chain.Parameter("c", 300);
    chain.Forward("a", {1000, 500, 30}, {"pull/a"});
    chain.Forward("b", {2000, 600, 20}, {"pull/b", "forward/a"});
    chain.Forward("c", {4000, 0, 10}, {"pull/c", "forward/b"});
    chain.Backward("c", 9, {"forward/c"});
    chain.Backward("b", 8, {"backward/c", "forward/b"});
    chain.Backward("a", 7, {"backward/b", "forward/a"});
    chain.Push("a", 0, {"backward/a"});
    chain.Push("b", 1, {"backward/b"});
    chain.Push("c", 2, {"backward/c"});
    return chain;
}

} // namespace ns3::dml

#endif /* DML_LAYER_PROFILE_H */
