/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-match-effects.h"

namespace ns3::dml
{

MatchEffect
IdleEffect()
{
    return {"idle", "windows that shrink in pauses", nullptr, [](const Scenario&) {
                return std::vector<std::string>{"network.tcp.idle_restart=false"};
            }};
}

} // namespace ns3::dml
