/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-device-order.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

/// Part of a device's busy time during which more ops than it has slots may run.
constexpr double OVERLAP = 0.01;

} // namespace

std::map<std::string, uint32_t>
FindTfDeviceSlots(const MeasuredStep& step)
{
    std::map<std::string, uint32_t> result;
    std::map<std::string, std::vector<std::pair<int64_t, int>>> changes; // time, +1 or -1
    for (const MeasuredOp& op : step.ops)
    {
        if (RunsOnDevice(op.kind))
        {
            changes[op.device].emplace_back(op.start, 1);
            changes[op.device].emplace_back(op.start + op.duration, -1);
        }
    }
    for (auto& [device, list] : changes)
    {
        std::sort(list.begin(), list.end());
        std::map<uint32_t, double> times; // ops at the same time -> ns
        double busy = 0;
        uint32_t running = 0;
        for (std::size_t i = 0; i < list.size(); ++i)
        {
            const double length = i > 0 ? list[i].first - list[i - 1].first : 0;
            if (running > 0)
            {
                times[running] += length;
                busy += length;
            }
            running += list[i].second;
        }
        uint32_t slots = 1;
        double above = 0;
        for (auto time = times.rbegin(); time != times.rend(); ++time)
        {
            above += time->second;
            if (above > OVERLAP * busy)
            {
                slots = time->first;
                break;
            }
        }
        result[device] = slots;
    }
    return result;
}

} // namespace ns3::dml
