/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-match-effects.h"

namespace ns3::dml
{

MatchEffect
FifoEffect()
{
    return {"fifo", "one FIFO queue for all in a port", nullptr, [](const Scenario&) {
                return std::vector<std::string>{"network.queue={fair: 0B}"};
            }};
}

} // namespace ns3::dml
