/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-match-effects.h"

namespace ns3::dml
{

MatchEffect
DelaysEffect()
{
    return {"delays", "delays of links", nullptr, [](const Scenario&) {
                return std::vector<std::string>{"network.delay=0ns"};
            }};
}

} // namespace ns3::dml
