/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PROFILE_WORDS_H
#define DML_PROFILE_WORDS_H

#include "ns3/dml-profile.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// @param profile that was made @param unitsPerSecond of the times shown; 0: none are
/// @return lines "name <- dependency dependency : time in the first step", in listing order
inline std::vector<std::string>
Describe(const Profile& profile, double unitsPerSecond = 0)
{
    std::vector<std::string> lines;
    for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
    {
        lines.push_back(profile.graph.Get(op).name + " <-");
        for (const OpIndex dependency : profile.graph.GetDependencies(op))
        {
            lines.back() += " " + profile.graph.Get(dependency).name;
        }
        if (unitsPerSecond > 0 && !profile.samples[op].empty())
        {
            std::ostringstream time;
            time << profile.samples[op][0] * unitsPerSecond;
            lines.back() += " : " + time.str();
        }
    }
    return lines;
}

/// @param profile that was made @param name of an op @param unitsPerSecond of what is returned
/// @return what the op took in each step
inline std::vector<double>
SamplesOf(const Profile& profile, const std::string& name, double unitsPerSecond = 1)
{
    for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
    {
        if (profile.graph.Get(op).name == name)
        {
            std::vector<double> samples = profile.samples[op];
            for (double& sample : samples)
            {
                sample *= unitsPerSecond;
            }
            return samples;
        }
    }
    ADD_FAILURE() << "no op " << name;
    return {};
}

/// @param profile that was made @param step of it
/// @return microseconds of each op that has any, by name
inline std::map<std::string, double>
GetTimes(const Profile& profile, std::size_t step = 0)
{
    std::map<std::string, double> times;
    for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
    {
        if (!profile.samples[op].empty())
        {
            times[profile.graph.Get(op).name] = profile.samples[op][step] * 1e6;
        }
    }
    return times;
}

/// @param profile that was made @param step of it
/// @param expected microseconds of each op that has any, by name
inline void
ExpectTimes(const Profile& profile, std::size_t step, const std::map<std::string, double>& expected)
{
    const auto actual = GetTimes(profile, step);
    ASSERT_EQ(actual.size(), expected.size());
    for (const auto& [name, time] : expected)
    {
        ASSERT_EQ(actual.count(name), 1U) << name;
        EXPECT_NEAR(actual.at(name), time, 1e-6) << name;
    }
}

/// Names and bytes of tensors.
using TensorSizes = std::vector<std::pair<std::string, uint64_t>>;

/// @param profile that was made @return its tensors, in its order
inline TensorSizes
SizesOf(const Profile& profile)
{
    TensorSizes sizes;
    for (const auto& tensor : profile.tensors)
    {
        sizes.emplace_back(tensor.name, tensor.bytes);
    }
    return sizes;
}

/// @param profile that was made @param name of an op
/// @return names of the ops that it waits for, by name
inline std::vector<std::string>
GetDependencies(const Profile& profile, const std::string& name)
{
    std::vector<std::string> dependencies;
    for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
    {
        if (profile.graph.Get(op).name == name)
        {
            for (const OpIndex dependency : profile.graph.GetDependencies(op))
            {
                dependencies.push_back(profile.graph.Get(dependency).name);
            }
        }
    }
    std::sort(dependencies.begin(), dependencies.end());
    return dependencies;
}

} // namespace ns3::dml

#endif /* DML_PROFILE_WORDS_H */
