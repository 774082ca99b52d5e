/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-match-effects.h"

namespace ns3::dml
{

MatchEffect
BuffersEffect()
{
    return {"buffers", "small send buffers of TCP", nullptr, [](const Scenario&) {
                return std::vector<std::string>{"network.tcp.send_buffer=4MiB",
                                                "network.tcp.receive_buffer=8MiB"};
            }};
}

} // namespace ns3::dml
