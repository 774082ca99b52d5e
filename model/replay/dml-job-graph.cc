/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-job-graph.h"

#include <string_view>

namespace ns3
{
namespace dml
{

std::string
ToString(JobOpKind kind)
{
    switch (kind)
    {
    case JobOpKind::JOIN:
        return "join";
    case JobOpKind::FORWARD:
        return "forward";
    case JobOpKind::BACKWARD:
        return "backward";
    case JobOpKind::COMPUTE:
        return "compute";
    case JobOpKind::PULL:
        return "pull";
    case JobOpKind::PUSH:
        return "push";
    case JobOpKind::COLLECTIVE:
        return "collective";
    case JobOpKind::PARSE:
        return "parse";
    case JobOpKind::UPDATE:
        return "update";
    }
    return "";
}

bool
IsWire(const std::string& device)
{
    const std::string_view end(WIRE_DEVICE);
    return device.size() >= end.size() &&
           device.compare(device.size() - end.size(), end.size(), end) == 0;
}

std::string
GetDeviceRole(const std::string& device)
{
    const std::string whole = IsWire(device) ? device.substr(0, device.rfind(WIRE_DEVICE)) : device;
    const std::size_t comma = whole.find(", ");
    const std::string role = comma == std::string::npos ? whole : whole.substr(comma + 2);
    return role.substr(0, role.find(" #"));
}

} // namespace dml
} // namespace ns3
