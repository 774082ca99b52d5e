/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-step.h"

#include "dml-tf-names.h"

#include "ns3/dml-error.h"

#include <algorithm>

namespace ns3::dml
{

uint32_t
TfStep::AddDevice(std::string_view name)
{
    TfDevice device = ParseTfDevice(name);
    const auto [known, isNew] =
        deviceNumbers.emplace(device.machine + " " + device.local, devices.size());
    if (isNew)
    {
        devices.push_back(std::move(device));
    }
    return known->second;
}

void
TfStep::SetDevice(const Mark& mark, std::string_view name)
{
    const uint32_t device = AddDevice(name);
    std::for_each(ops.begin() + mark.op, ops.end(), [&](TfOp& op) { op.device = device; });
    std::for_each(receives.begin() + mark.receive, receives.end(), [&](TfReceive& receive) {
        receive.device = device;
    });
}

void
TfStep::Join(const TfStep& other)
{
    const uint32_t own = devices.size();
    for (const TfDevice& device : other.devices)
    {
        const bool known =
            std::any_of(devices.begin(), devices.begin() + own, [&](const auto& one) {
                return one.machine == device.machine && !one.machine.empty();
            });
        if (known)
        {
            throw InputError(other.file + ": has records of " + device.machine + ", as " + file +
                             " has; accepted: each machine in one of the files");
        }
        devices.push_back(device);
    }
    const auto add = [own](auto& to, const auto& from) {
        for (auto record : from)
        {
            record.device += own;
            to.push_back(std::move(record));
        }
    };
    add(ops, other.ops);
    add(receives, other.receives);
    leftOut.insert(leftOut.end(), other.leftOut.begin(), other.leftOut.end());
    bytesRead += other.bytesRead;
}

uint64_t
TfStep::GetMadeBytes(const std::string& worker) const
{
    uint64_t bytes = 0;
    for (const TfAllocation& allocation : allocations)
    {
        bytes += allocation.bytes;
    }
    for (const TfOp& op : ops)
    {
        for (const TfOutput& output : op.outputs)
        {
            bytes += GetMachine(op) == worker ? output.bytes : 0;
        }
    }
    return bytes;
}

void
TfStep::Warn(std::vector<std::string>& warnings, uint32_t count, const std::string& text) const
{
    if (count > 0)
    {
        warnings.push_back(file + ": " + std::to_string(count) + " " + text);
    }
}

} // namespace ns3::dml
