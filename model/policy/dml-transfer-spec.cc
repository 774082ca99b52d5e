/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-transfer-spec.h"

#include "dml-transfer-policies.h"

namespace ns3::dml
{

std::string
WindowRuleOf(const std::string& grant)
{
    return grant == "message" ? "two-turns" : "every-window";
}

bool
IsOrderPolicy(const std::string& policy)
{
    return GroupOf(policy) == PolicyGroup::ORDER;
}

bool
IsSlicePolicy(const std::string& policy)
{
    return GroupOf(policy) == PolicyGroup::SLICES;
}

bool
IsOwnPolicy(const std::string& policy)
{
    return GroupOf(policy) == PolicyGroup::OWN;
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
    return transfer.flowControl && (transfer.policy == "http2-window" ||
                                    IsOrderPolicy(transfer.policy) || IsOwnPolicy(transfer.policy));
}

} // namespace ns3::dml
