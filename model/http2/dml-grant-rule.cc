/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-grant-rule.h"

#include "dml-grpc-message-stream.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <limits>

namespace ns3::dml
{

namespace
{

/// A window smaller than the prefix: without this grant the length would never be known.
uint64_t
GetPrefixIncrement(const GrantState& state)
{
    const int64_t outstanding = state.GetOutstanding();
    const int64_t rest = GRPC_PREFIX - static_cast<int64_t>(state.received);
    return outstanding > 0 ? 0 : static_cast<uint64_t>(rest - outstanding);
}

/// Grant up to @p wanted outstanding bytes, in steps of @p step, the last one of any size.
uint64_t
GetIncrementTo(int64_t wanted, int64_t step, const GrantState& state)
{
    const int64_t rest = state.expected == 0
                             ? std::numeric_limits<int64_t>::max()
                             : static_cast<int64_t>(state.expected - state.received);
    const int64_t missing = std::min(rest, wanted) - state.GetOutstanding();
    const bool enough = missing <= 0 || (missing < step && wanted < rest);
    return enough ? 0 : static_cast<uint64_t>(missing);
}

} // namespace

uint64_t
MessageGrantRule::GetIncrement(const GrantState& state)
{
    if (state.expected == 0)
    {
        return GetPrefixIncrement(state);
    }
    const int64_t outstanding = state.GetOutstanding();
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
    return GetIncrementTo(state.window, std::clamp(state.window / 2, 1U, GRANT_STEP), state);
}

uint64_t
CappedGrantRule::GetIncrement(const GrantState& state)
{
    if (state.expected == 0)
    {
        return GetPrefixIncrement(state);
    }
    return GetIncrementTo(int64_t{state.window} + GRANT_LOOKAHEAD, GRANT_STEP, state);
}

BdpGrantRule::BdpGrantRule(uint32_t largest)
    : m_largest(largest)
{
}

uint32_t
BdpGrantRule::PingAcknowledged(uint32_t window, double now)
{
    m_estimator.PingAcknowledged(now);
    return std::max(window, std::min(m_largest, m_estimator.GetWindow()));
}

std::unique_ptr<GrantRule>
MakeGrantRule(const std::string& name, uint32_t largest)
{
    if (name == "message")
    {
        return std::make_unique<MessageGrantRule>();
    }
    if (name == "consume")
    {
        return std::make_unique<ConsumeGrantRule>();
    }
    if (name == "capped")
    {
        return std::make_unique<CappedGrantRule>();
    }
    if (name == "bdp")
    {
        return std::make_unique<BdpGrantRule>(largest);
    }
    throw InputError("grant rule '" + name + "'; accepted: " + GrantRuleNames());
}

std::string
GrantRuleNames()
{
    return "message, consume, capped, bdp";
}

} // namespace ns3::dml
