/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-compute-seconds.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3::dml
{

double
GetComputeSeconds(const Profile& profile)
{
    double sum = 0;
    for (uint32_t sample = 0; sample < profile.GetSampleCount(); ++sample)
    {
        std::vector<double> devices(profile.devices.size(), 0);
        for (OpIndex i = 0; i < profile.graph.GetSize(); ++i)
        {
            const Op& op = profile.graph.Get(i);
            if (RunsOnDevice(op.kind))
            {
                devices[op.device] += profile.samples[i][sample] / profile.devices[op.device].slots;
            }
        }
        sum += *std::max_element(devices.begin(), devices.end());
    }
    return sum / profile.GetSampleCount();
}

} // namespace ns3::dml
