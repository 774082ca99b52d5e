/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-transfer-order.h"

#include "dml-transfer-properties.h"

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
PullOrder
ReadExplicitOrder(const Profile& profile,
                  const TransferDependencies& dependencies,
                  const std::vector<std::string>& tensors)
{
    const auto nameOf = [&](uint32_t pull) -> const std::string& {
        return profile.tensors[profile.graph.Get(dependencies.GetPulls()[pull]).tensor].name;
    };
    std::map<std::string, uint32_t> pulls; // by name of the tensor
    for (uint32_t pull = 0; pull < dependencies.GetPulls().size(); ++pull)
    {
        pulls.emplace(nameOf(pull), pull);
    }
    const auto fail = [&pulls](const std::string& found) {
        throw InputError("order of transfers: found " + found + "; accepted: each of the " +
                         std::to_string(pulls.size()) + " pulled tensors once, " +
                         "those after which others are pulled first");
    };
    PullOrder order;
    PullSet missing(dependencies.GetPulls().size());
    missing.set();
    for (const auto& tensor : tensors)
    {
        const auto pull = pulls.find(tensor);
        if (pull == pulls.end())
        {
            fail("'" + tensor + "', which no op of the profile pulls");
        }
        if (!missing.test(pull->second))
        {
            fail("'" + tensor + "' twice");
        }
        const PullSet awaited = dependencies.GetPredecessors(pull->second) & missing;
        if (awaited.any())
        {
            fail("'" + tensor + "' before '" + nameOf(awaited.find_first()) +
                 "', for which its pull waits");
        }
        missing.reset(pull->second);
        order.push_back(pull->second);
    }
    if (missing.any())
    {
        fail("no '" + nameOf(missing.find_first()) + "'");
    }
    return order;
}

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
        return ReadExplicitOrder(profile, dependencies, options.tensors);
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
