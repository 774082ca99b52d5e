/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-link-edits.h"
#include "dml-match-effects.h"

namespace ns3::dml
{

MatchEffect
DelaysEffect()
{
    return {"delays", "delays of links", nullptr, [](const Scenario& scenario) {
                auto settings = EditLinks(scenario, EditedLinks::ALL, [](auto& link) {
                    if (link.contains("delay"))
                    {
                        link["delay"] = "0ns";
                    }
                });
                settings.insert(settings.begin(), "network.delay=0ns");
                return settings;
            }};
}

} // namespace ns3::dml
