/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-match-effects.h"

#include <fmt/core.h>

namespace ns3::dml
{

MatchEffect
RoundTripsEffect()
{
    return {"round-trips", "round trips that are not equal", nullptr, [](const Scenario& scenario) {
                std::vector<std::string> settings;
                for (const auto& [host, link] : scenario.network.hosts)
                {
                    if (link.delay)
                    {
                        settings.push_back(fmt::format("network.hosts.{}.delay={}ns",
                                                       host,
                                                       scenario.network.delay.GetNanoSeconds()));
                    }
                }
                return settings;
            }};
}

} // namespace ns3::dml
