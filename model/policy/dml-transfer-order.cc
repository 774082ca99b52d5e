/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-transfer-order.h"

#include "dml-tac-order.h"
#include "dml-tic-order.h"

#include "ns3/rng-stream.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace ns3::dml
{

namespace
{

/// ns-3 RNG stream of random orders.
constexpr uint64_t ORDER_STREAM = 5000000;

/// An order as indices into TransferDependencies::GetPulls().
using PullOrder = std::vector<uint32_t>;

PullOrder
MakeListingOrder(const TransferDependencies& dependencies)
{
    PullOrder order(dependencies.GetPulls().size());
    std::iota(order.begin(), order.end(), 0);
    return order;
}

PullOrder
MakeForwardOrder(const Profile& profile, const TransferDependencies& dependencies)
{
    std::vector<OpIndex> users; // first compute op that waits for the pull, by pull
    for (const OpIndex pull : dependencies.GetPulls())
    {
        const auto dependents = profile.graph.GetDependents(pull);
        const auto user = std::find_if(dependents.begin(), dependents.end(), [&](OpIndex op) {
            return RunsOnDevice(profile.graph.Get(op).kind);
        });
        users.push_back(user == dependents.end() ? NO_INDEX : *user);
    }
    PullOrder order = MakeListingOrder(dependencies);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        return users[a] < users[b];
    });
    return order;
}

PullOrder
MakeRandomOrder(const TransferDependencies& dependencies, uint32_t seed)
{
    RngStream random(seed, ORDER_STREAM, 0);
    PullOrder order = MakeListingOrder(dependencies);
    for (std::size_t left = order.size(); left > 1; --left)
    {
        // not std::shuffle, whose result each library is free to choose
        std::swap(order[left - 1], order[static_cast<std::size_t>(random.RandU01() * left)]);
    }
    return order;
}

/// Reads the list of an explicit order.
class ExplicitOrder
{
  public:
    ExplicitOrder(const Profile& profile, const TransferDependencies& dependencies)
        : m_profile(profile),
          m_dependencies(dependencies)
    {
        for (uint32_t pull = 0; pull < dependencies.GetPulls().size(); ++pull)
        {
            m_pulls.emplace(GetName(pull), pull);
        }
    }

    PullOrder Read(const std::vector<std::string>& tensors) const
    {
        PullOrder order;
        PullSet missing(m_dependencies.GetPulls().size());
        missing.set();
        for (const auto& tensor : tensors)
        {
            const auto pull = m_pulls.find(tensor);
            if (pull == m_pulls.end())
            {
                Fail("found '" + tensor + "', which no op of the profile pulls");
            }
            if (!missing.test(pull->second))
            {
                Fail("found '" + tensor + "' twice");
            }
            const PullSet awaited = m_dependencies.GetPredecessors(pull->second) & missing;
            if (awaited.any())
            {
                Fail("found '" + tensor + "' before '" + GetName(awaited.find_first()) +
                     "', for which its pull waits");
            }
            missing.reset(pull->second);
            order.push_back(pull->second);
        }
        if (missing.any())
        {
            Fail("found no '" + GetName(missing.find_first()) + "'");
        }
        return order;
    }

  private:
    const std::string& GetName(uint32_t pull) const
    {
        const OpIndex op = m_dependencies.GetPulls()[pull];
        return m_profile.tensors[m_profile.graph.Get(op).tensor].name;
    }

    [[noreturn]] void Fail(const std::string& found) const
    {
        throw InputError("order of transfers: " + found + "; accepted: each of the " +
                         std::to_string(m_pulls.size()) + " pulled tensors once, " +
                         "those after which others are pulled first");
    }

    const Profile& m_profile;                   //!< profile with the pulls
    const TransferDependencies& m_dependencies; //!< of the profile
    std::map<std::string, uint32_t> m_pulls;    //!< by name of the tensor
};

PullOrder
GetPulls(const std::vector<RankedPull>& ranked)
{
    PullOrder order;
    for (const auto& pull : ranked)
    {
        order.push_back(pull.pull);
    }
    return order;
}

PullOrder
MakePullOrder(const Profile& profile,
              const TransferDependencies& dependencies,
              const TransferOrderOptions& options)
{
    if (options.rule == "forward")
    {
        return MakeForwardOrder(profile, dependencies);
    }
    if (options.rule == "tic")
    {
        return GetPulls(MakeTicOrder(dependencies));
    }
    if (options.rule == "tac")
    {
        if (!std::isfinite(options.bytesPerSecond) || options.bytesPerSecond <= 0)
        {
            throw InputError("order of transfers: tac needs to know how fast a tensor is "
                             "transferred; accepted: a rate above 0");
        }
        return GetPulls(MakeTacOrder(profile, dependencies, options.bytesPerSecond));
    }
    if (options.rule == "reverse")
    {
        PullOrder order = GetPulls(MakeTicOrder(dependencies));
        std::reverse(order.begin(), order.end());
        return order;
    }
    if (options.rule == "random")
    {
        return MakeRandomOrder(dependencies, options.seed);
    }
    if (options.rule == "explicit")
    {
        return ExplicitOrder(profile, dependencies).Read(options.tensors);
    }
    throw InputError("unknown order of transfers '" + options.rule +
                     "'; accepted: forward, tic, tac, reverse, random, explicit");
}

} // namespace

std::vector<OpIndex>
MakeTransferOrder(const Profile& profile, const TransferOrderOptions& options)
{
    const TransferDependencies dependencies(profile);
    std::vector<OpIndex> order;
    for (const uint32_t pull :
         dependencies.RespectReadiness(MakePullOrder(profile, dependencies, options)))
    {
        order.push_back(dependencies.GetPulls()[pull]);
    }
    return order;
}

} // namespace ns3::dml
