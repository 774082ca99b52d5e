/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-device-speed.h"

namespace ns3
{
namespace dml
{

double
FindWorkEnd(const DeviceSpeed& speed, double start, double work)
{
    while (work > 0 && start < std::numeric_limits<double>::infinity())
    {
        const SpeedPhase phase = speed.At(start);
        // a product with infinity is no number where the device stands still
        const double possible = phase.speed > 0 ? phase.speed * (phase.end - start) : 0;
        if (work <= possible)
        {
            return start + work / phase.speed;
        }
        work -= possible;
        start = phase.end;
    }
    return start;
}

} // namespace dml
} // namespace ns3
