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
DivideByAcks(const RecordedRun& run)
{
    const StepPhases phases(run);
    return DivideByNumber(CountUnderWay(ListBegins(phases.pulls), phases.pushes),
                          CountUnderWay(ListBegins(phases.pushes), phases.pulls),
                          "pulls beside pushes: ",
                          "pushes beside pulls: ");
}

} // namespace

MatchEffect
AcksEffect()
{
    return {"acks",
            "other workers that send the other way, where ACKs wait",
            DivideByAcks,
            nullptr};
}

} // namespace ns3::dml
