/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-transfer-spec.h"

#include "dml-transfer-policies.h"

namespace ns3
{
namespace dml
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

bool
TakesWindowTurns(const TransferSpec& transfer)
{
    return transfer.flowControl && (transfer.policy == "http2-window" ||
                                    IsOrderPolicy(transfer.policy) || IsOwnPolicy(transfer.policy));
}

} // namespace dml
} // namespace ns3
