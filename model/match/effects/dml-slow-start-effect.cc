/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-match-effects.h"

namespace ns3::dml
{

MatchEffect
SlowStartEffect()
{
    return {"slow-start", "slow start", nullptr, [](const Scenario&) {
                return std::vector<std::string>{"network.tcp.initial_window=10000"};
            }};
}

} // namespace ns3::dml
