/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-match-effects.h"

namespace ns3::dml
{

const std::vector<MatchEffect>&
GetMatchEffects()
{
    static const std::vector<MatchEffect> effects{
        DirectionEffect(),
        OthersEffect(),
        AcksEffect(),
        PortEffect(),
        SizeEffect(),
        LossEffect(),
        FifoEffect(),
        SlowStartEffect(),
        BuffersEffect(),
        DelaysEffect(),
        RoundTripsEffect(),
        IdleEffect(),
        Http2Effect(),
        BurstsEffect(),
        LateAcksEffect(),
    };
    return effects;
}

} // namespace ns3::dml
