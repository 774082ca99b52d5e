/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-match-effects.h"

namespace ns3::dml
{

MatchEffect
LateAcksEffect()
{
    return {"late-acks", "ACKs after a random time", nullptr, [](const Scenario&) {
                return std::vector<std::string>{"network.tcp.ack_jitter=0s"};
            }};
}

} // namespace ns3::dml
