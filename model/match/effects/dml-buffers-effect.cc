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
    return {"buffers", "small send buffers of TCP", nullptr, [](const Scenario& scenario) {
                constexpr uint64_t LARGE = 4 * 1024 * 1024; // bytes
                std::vector<std::string> settings;
                if (scenario.network.tcp.sendBuffer < LARGE)
                {
                    settings.emplace_back("network.tcp.send_buffer=4MiB");
                    if (scenario.network.tcp.receiveBuffer < 2 * LARGE)
                    {
                        settings.emplace_back("network.tcp.receive_buffer=8MiB");
                    }
                }
                return settings;
            }};
}

} // namespace ns3::dml
