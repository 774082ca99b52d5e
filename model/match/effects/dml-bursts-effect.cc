/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-match-effects.h"

namespace ns3::dml
{

MatchEffect
BurstsEffect()
{
    return {"bursts", "bursts of segments", nullptr, [](const Scenario&) {
                return std::vector<std::string>{"network.tcp.gso=0B"};
            }};
}

} // namespace ns3::dml
