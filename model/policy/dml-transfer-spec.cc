/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-transfer-spec.h"

#include <algorithm>
#include <iterator>

namespace ns3
{
namespace dml
{

namespace
{

const std::vector<std::string> ARRIVAL_POLICIES{"http2-window", "frame-by-frame", "fifo"};
const std::vector<std::string> ORDER_POLICIES{"tic",
                                              "tac",
                                              "reverse",
                                              "random",
                                              "shuffled",
                                              "explicit"};
const std::vector<std::string> SLICE_POLICIES{"p3", "bytescheduler", "prophet"};

bool
IsOneOf(const std::string& word, const std::vector<std::string>& words)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

} // namespace

std::string
WindowRuleOf(const std::string& grant)
{
    return grant == "message" ? "two-turns" : "every-window";
}

const std::vector<std::string>&
TransferPolicyNames()
{
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const auto* some : {&ARRIVAL_POLICIES, &ORDER_POLICIES, &SLICE_POLICIES})
        {
            std::copy(some->begin(), some->end(), std::back_inserter(all));
        }
        return all;
    }();
    return names;
}

bool
IsOrderPolicy(const std::string& policy)
{
    return IsOneOf(policy, ORDER_POLICIES);
}

bool
IsSlicePolicy(const std::string& policy)
{
    return IsOneOf(policy, SLICE_POLICIES);
}

void
RemoveWindows(TransferSpec& transfer)
{
    const TransferSpec preset;
    transfer.flowControl = false;
    transfer.window = MAX_STREAM_WINDOW;
    transfer.windowMax = preset.windowMax;
    transfer.connections = preset.connections;
    transfer.windowRule = preset.windowRule;
    transfer.grant = preset.grant;
}

bool
TakesWindowTurns(const TransferSpec& transfer)
{
    return transfer.flowControl &&
           (transfer.policy == "http2-window" || IsOrderPolicy(transfer.policy));
}

} // namespace dml
} // namespace ns3
