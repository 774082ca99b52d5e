/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-step.h"

#include "dml-tf-names.h"

#include <algorithm>

namespace ns3
{
namespace dml
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

} // namespace dml
} // namespace ns3
