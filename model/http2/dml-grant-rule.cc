/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-grant-rule.h"

#include "dml-grpc-message-writer.h"

#include "ns3/dml-error.h"

#include <algorithm>

namespace ns3
{
namespace dml
{

uint64_t
MessageGrantRule::GetIncrement(const GrantState& state)
{
    const int64_t outstanding = state.GetOutstanding();
    if (state.expected == 0)
    {
        // A window smaller than the prefix: without this the length would never be known.
        const int64_t rest = GRPC_PREFIX - static_cast<int64_t>(state.received);
        return outstanding > 0 ? 0 : static_cast<uint64_t>(rest - outstanding);
    }
    const auto rest = static_cast<int64_t>(state.expected - state.received);
    if (rest <= outstanding || (!state.prefixCompleted && outstanding > HTTP2_MAX_WINDOW / 2))
    {
        return 0;
    }
    return static_cast<uint64_t>(std::min<int64_t>(rest, HTTP2_MAX_WINDOW) - outstanding);
}

uint64_t
ConsumeGrantRule::GetIncrement(const GrantState& state)
{
    const int64_t outstanding = state.GetOutstanding();
    const bool enough =
        state.expected != 0 && static_cast<int64_t>(state.expected - state.received) <= outstanding;
    if (enough || outstanding > state.window / 2)
    {
        return 0;
    }
    return static_cast<uint64_t>(state.window - outstanding);
}

std::unique_ptr<GrantRule>
MakeGrantRule(const std::string& name)
{
    if (name == "message")
    {
        return std::make_unique<MessageGrantRule>();
    }
    if (name == "consume")
    {
        return std::make_unique<ConsumeGrantRule>();
    }
    throw InputError("grant rule '" + name + "'; accepted: " + GrantRuleNames());
}

std::string
GrantRuleNames()
{
    return "message, consume";
}

} // namespace dml
} // namespace ns3
