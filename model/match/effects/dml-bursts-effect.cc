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
    return {"bursts", "bursts of segments", nullptr, [](const Scenario& scenario) {
                std::vector<std::string> settings{"network.tcp.gso=0B"};
                if (scenario.network.tcp.trains) // which are bursts, too
                {
                    settings.emplace_back("network.tcp.trains=false");
                }
                return settings;
            }};
}

} // namespace ns3::dml
