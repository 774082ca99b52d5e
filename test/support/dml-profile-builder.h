/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PROFILE_BUILDER_H
#define DML_PROFILE_BUILDER_H

#include "ns3/dml-profile.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3::dml
{

/// Writes small profiles in tests: one line per op, dependencies by name.
class ProfileBuilder
{
  public:
    using Names = std::vector<std::string>;

    explicit ProfileBuilder(std::vector<Device> devices = {{"cpu", 1}})
    {
        m_profile.model = "test";
        m_profile.devices = std::move(devices);
    }

    /// Add a tensor and its pull "pull/NAME".
    ProfileBuilder& Pull(const std::string& tensor, uint64_t bytes, const Names& deps = {})
    {
        return Add({"pull/" + tensor, OpKind::PULL, 0, Tensor(tensor, bytes)}, {}, deps);
    }

    /// Add "push/NAME"; the tensor is new if no pull has named it.
    ProfileBuilder& Push(const std::string& tensor, uint64_t bytes, const Names& deps = {})
    {
        return Add({"push/" + tensor, OpKind::PUSH, 0, Tensor(tensor, bytes)}, {}, deps);
    }

    /// Add "update/NAME", which waits for "push/NAME".
    ProfileBuilder& Update(const std::string& tensor, double seconds)
    {
        return Add({"update/" + tensor, OpKind::UPDATE, 0, Tensor(tensor, 0)},
                   {seconds},
                   {"push/" + tensor});
    }

    /// Add a compute op.
    ProfileBuilder& Compute(const std::string& name,
                            std::vector<double> seconds,
                            const Names& deps = {},
                            uint32_t device = 0)
    {
        return Add({name, OpKind::COMPUTE, device, NO_INDEX}, std::move(seconds), deps);
    }

    /// Add an op of forward propagation.
    ProfileBuilder& Forward(const std::string& name,
                            std::vector<double> seconds,
                            const Names& deps = {})
    {
        return Add({name, OpKind::FORWARD, 0, NO_INDEX}, std::move(seconds), deps);
    }

    /// Add an op of back-propagation.
    ProfileBuilder& Backward(const std::string& name,
                             std::vector<double> seconds,
                             const Names& deps = {})
    {
        return Add({name, OpKind::BACKWARD, 0, NO_INDEX}, std::move(seconds), deps);
    }

    /// The profile, validated; one-sample rows are repeated to the longest row.
    Profile Build() const
    {
        Profile profile = m_profile;
        std::size_t steps = 1;
        for (const auto& row : profile.samples)
        {
            steps = std::max(steps, row.size());
        }
        for (auto& row : profile.samples)
        {
            if (row.size() == 1)
            {
                row.assign(steps, row.front());
            }
        }
        profile.Validate();
        return profile;
    }

    /// Index of an op by name.
    OpIndex Find(const std::string& name) const
    {
        for (OpIndex op = 0; op < m_profile.graph.GetSize(); ++op)
        {
            if (m_profile.graph.Get(op).name == name)
            {
                return op;
            }
        }
        throw InputError("no op " + name);
    }

  private:
    TensorIndex Tensor(const std::string& name, uint64_t bytes)
    {
        for (TensorIndex i = 0; i < m_profile.tensors.size(); ++i)
        {
            if (m_profile.tensors[i].name == name)
            {
                return i;
            }
        }
        m_profile.tensors.push_back({name, bytes});
        return m_profile.tensors.size() - 1;
    }

    ProfileBuilder& Add(Op op, std::vector<double> seconds, const Names& deps)
    {
        const OpIndex index = m_profile.graph.Add(std::move(op));
        m_profile.samples.push_back(std::move(seconds));
        for (const auto& dep : deps)
        {
            m_profile.graph.AddDependency(Find(dep), index);
        }
        return *this;
    }

    Profile m_profile;
};

} // namespace ns3::dml

#endif /* DML_PROFILE_BUILDER_H */
