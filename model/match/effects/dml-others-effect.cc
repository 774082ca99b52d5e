/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-phase-parts.h"

namespace ns3::dml
{

namespace
{

EffectParts
DivideByOthers(const RecordedRun& run)
{
    const StepPhases phases(run);
    return DivideByNumber(CountOthers(phases.pulls),
                          CountOthers(phases.pushes),
                          "pulls beside pulls: ",
                          "pushes beside pushes: ");
}

} // namespace

MatchEffect
OthersEffect()
{
    return {"others", "other workers that send the same way", DivideByOthers, nullptr};
}

} // namespace ns3::dml
