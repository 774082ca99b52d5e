/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-checks.h"

#include <algorithm>
#include <fmt/core.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

/// Largest window that `bdp` grows to, in bytes (BdpEstimator::MAX_WINDOW).
constexpr uint64_t MAX_BDP_WINDOW = 33554432;

void
CheckConnections(const Scenario& scenario)
{
    const auto& workers = scenario.job.workers;
    const uint32_t most = *std::max_element(workers.begin(), workers.end());
    const std::string path = "transfer.window.connections";
    const auto& connections = scenario.transfer.connections;
    if (!connections.empty() && scenario.transfer.grant == "bdp")
    {
        throw ScenarioError(scenario,
                            path,
                            "beside transfer.grant bdp",
                            "another grant, as bdp makes its own windows");
    }
    std::set<std::pair<uint32_t, uint32_t>> seen;
    for (std::size_t i = 0; i < connections.size(); ++i)
    {
        const std::string item = path + "[" + std::to_string(i) + "]";
        const auto& [worker, server, downlink, uplink] = connections[i];
        if (worker >= most)
        {
            throw ScenarioError(scenario,
                                item + ".worker",
                                QuoteNumber(worker),
                                "an integer from 0 to " + std::to_string(most - 1));
        }
        if (server >= scenario.job.parameterServers)
        {
            throw ScenarioError(
                scenario,
                item + ".server",
                QuoteNumber(server),
                fmt::format("an integer from 0 to {}", scenario.job.parameterServers - 1));
        }
        if (!seen.insert({worker, server}).second)
        {
            throw ScenarioError(
                scenario,
                item,
                fmt::format("worker {} and server {} a second time", worker, server),
                "each connection once");
        }
    }
}

void
CheckWindow(const Scenario& scenario)
{
    const TransferSpec& transfer = scenario.transfer;
    const uint64_t largest = std::max(transfer.window, transfer.windowMax);
    if (transfer.grant == "bdp" && !transfer.flowControl)
    {
        throw ScenarioError(scenario,
                            "transfer.grant",
                            "'bdp' with flow control off",
                            "another grant, or a transfer.window for bdp to start with");
    }
    if (transfer.grant == "bdp" && largest > MAX_BDP_WINDOW)
    {
        throw ScenarioError(
            scenario,
            "transfer.window",
            QuoteNumber(largest),
            "at most " + std::to_string(MAX_BDP_WINDOW) +
                " with transfer.grant bdp, where it is what connections start with");
    }
    if (transfer.flowControl && IsSlicePolicy(transfer.policy))
    {
        throw ScenarioError(scenario,
                            "transfer.window",
                            "a window with transfer.policy " + transfer.policy,
                            "off, or none: slices are its flow control");
    }
}

/// A key that only some values of another one use.
struct UsedKey
{
    std::string key;   //!< under `transfer`
    std::string users; //!< values with the key, for the error
    bool used;         //!< whether the scenario's value does
};

/// @param chooser the other key, under `transfer`; its keys are fine where it has several values
/// @param value of it
void
CheckUse(const Scenario& scenario,
         const std::string& chooser,
         const std::string& value,
         const std::vector<UsedKey>& keys)
{
    for (const auto& [key, users, used] : keys)
    {
        if (!used && IsMisplaced(scenario, "transfer." + key, "transfer." + chooser))
        {
            throw ScenarioError(scenario,
                                "transfer." + key,
                                "the key with transfer." + chooser + " " + value,
                                "it with " + users);
        }
    }
}

void
CheckTransportKeys(const Scenario& scenario)
{
    const std::string& transport = scenario.transfer.transport;
    const bool tcp = transport == "tcp";
    const std::string grpc = "grpc: TCP alone holds back senders";
    CheckUse(scenario,
             "transport",
             transport,
             {{"sockets", "tcp", tcp},
              {"window", grpc, !tcp},
              {"window_rule", grpc, !tcp},
              {"grant", grpc, !tcp}});
}

void
CheckPolicyKeys(const Scenario& scenario)
{
    const TransferSpec& transfer = scenario.transfer;
    const std::string& policy = transfer.policy;
    if (policy == "explicit" && transfer.order.empty())
    {
        throw ScenarioError(scenario,
                            "transfer.order",
                            "nothing with transfer.policy explicit",
                            "a list of names of tensors, first one first");
    }
    const bool rejoins = TakesWindowTurns(transfer) && !IsOwnPolicy(policy);
    if (transfer.rejoin != "end" && !rejoins &&
        IsMisplaced(scenario, "transfer.rejoin", "transfer.policy"))
    {
        throw ScenarioError(scenario,
                            "transfer.rejoin",
                            "'" + transfer.rejoin + "'",
                            "end, unless transfer.policy is http2-window, or sets an order before "
                            "a transfer.window");
    }
    CheckUse(scenario,
             "policy",
             policy,
             {{"order", "explicit", policy == "explicit"},
              {"credit", "bytescheduler", policy == "bytescheduler"},
              {"slice_overhead", "p3, bytescheduler or prophet", IsSlicePolicy(policy)},
              {"monitor", "prophet", policy == "prophet"}});
}

} // namespace

void
CheckTransfer(const Scenario& scenario)
{
    CheckTransportKeys(scenario);
    CheckConnections(scenario);
    CheckWindow(scenario);
    CheckPolicyKeys(scenario);
}

} // namespace ns3::dml
