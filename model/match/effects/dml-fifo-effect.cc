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
FifoEffect()
{
    return {"fifo", "one FIFO queue for all in a port", nullptr, [](const Scenario& scenario) {
                auto settings = EditLinks(scenario, EditedLinks::ALL, [](auto& link) {
                    if (link.contains("queue"))
                    {
                        link["queue"] = {{"fair", 0}};
                    }
                });
                settings.insert(settings.begin(), "network.queue={fair: 0B}");
                return settings;
            }};
}

} // namespace ns3::dml
