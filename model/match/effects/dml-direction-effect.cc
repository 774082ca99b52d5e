/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-match-effects.h"

namespace ns3::dml
{

MatchEffect
DirectionEffect()
{
    return {"direction",
            "parameters being pulled, or gradients being pushed",
            [](const RecordedRun&) {
                EffectParts parts;
                parts.names = {"pulls", "pushes"};
                parts.find = [](std::size_t, const StepTransfer& transfer) {
                    return std::optional<std::size_t>(transfer.pull ? 0 : 1);
                };
                return parts;
            },
            nullptr};
}

} // namespace ns3::dml
