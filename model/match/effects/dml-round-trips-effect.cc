/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-link-edits.h"
#include "dml-match-effects.h"

#include <fmt/core.h>

namespace ns3::dml
{

MatchEffect
RoundTripsEffect()
{
    return {"round-trips", "round trips that are not equal", nullptr, [](const Scenario& scenario) {
                const std::string delay =
                    fmt::format("{}ns", scenario.network.delay.GetNanoSeconds());
                return EditLinks(scenario, EditedLinks::HOSTS, [&](auto& link) {
                    if (link.contains("delay"))
                    {
                        link["delay"] = delay;
                    }
                });
            }};
}

} // namespace ns3::dml
