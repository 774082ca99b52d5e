/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-device-speed.h"

#include "ns3/dml-instant.h"

namespace ns3::dml
{

double
FindWorkSeconds(const DeviceSpeed& speed, double start, double work)
{
    double seconds = 0;
    for (uint32_t phases = 0; phases < MOST_PHASES; ++phases)
    {
        if (work <= 0)
        {
            return seconds;
        }
        const SpeedPhase phase = speed.At(start);
        // a product with infinity is no number where the device stands still
        const double possible = phase.speed > 0 ? phase.speed * (phase.end - start) : 0;
        if (work <= possible)
        {
            return seconds + work / phase.speed;
        }
        work -= possible;
        seconds += phase.end - start;
        start = phase.end;
        if (start > LAST_INSTANT_SECONDS)
        {
            break;
        }
    }
    return std::numeric_limits<double>::infinity();
}

} // namespace ns3::dml
