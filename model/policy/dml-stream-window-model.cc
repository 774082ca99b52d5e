/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-stream-window-model.h"

#include "ns3/dml-error.h"

#include <limits>

namespace ns3::dml
{

StreamWindowModel::StreamWindowModel(Rule rule, uint64_t window, uint64_t lookahead)
    : m_rule(rule),
      m_window(window),
      m_lookahead(lookahead)
{
}

StreamWindowModel::Rule
StreamWindowModel::RuleFromString(const std::string& name)
{
    if (name == "two-turns")
    {
        return Rule::TWO_TURNS;
    }
    if (name == "every-window")
    {
        return Rule::EVERY_WINDOW;
    }
    if (name == "unlimited")
    {
        return Rule::UNLIMITED;
    }
    throw InputError("unknown window rule '" + name +
                     "'; accepted: two-turns, every-window, unlimited");
}

uint64_t
StreamWindowModel::GetWindow([[maybe_unused]] OpIndex transfer, uint32_t turns) const
{
    if (m_rule == Rule::UNLIMITED || (m_rule == Rule::TWO_TURNS && turns > 0))
    {
        return std::numeric_limits<uint64_t>::max();
    }
    return turns == 0 ? m_window : m_window + m_lookahead;
}

} // namespace ns3::dml
