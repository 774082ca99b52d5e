/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-job-graph.h"

#include <algorithm>
#include <boost/algorithm/string/predicate.hpp>

namespace ns3::dml
{

const std::vector<std::string>&
ListJobOpKinds()
{
    static const std::vector<std::string> NAMES{"join",
                                                "forward",
                                                "backward",
                                                "compute",
                                                "pull",
                                                "push",
                                                "collective",
                                                "move",
                                                "parse",
                                                "update"};
    return NAMES;
}

std::string
ToString(JobOpKind kind)
{
    return ListJobOpKinds()[static_cast<std::size_t>(kind)];
}

JobOpKind
JobOpKindFromString(const std::string& name)
{
    const auto& names = ListJobOpKinds();
    return static_cast<JobOpKind>(std::find(names.begin(), names.end(), name) - names.begin());
}

JobOpKind
GetJobOpKind(OpKind kind)
{
    switch (kind)
    {
    case OpKind::PULL:
        return JobOpKind::PULL;
    case OpKind::FORWARD:
        return JobOpKind::FORWARD;
    case OpKind::BACKWARD:
        return JobOpKind::BACKWARD;
    case OpKind::PUSH:
        return JobOpKind::PUSH;
    case OpKind::UPDATE:
        return JobOpKind::UPDATE;
    case OpKind::COMPUTE:
        break;
    }
    return JobOpKind::COMPUTE;
}

bool
IsWire(const std::string& device)
{
    return boost::algorithm::ends_with(device, WIRE_DEVICE);
}

std::string
GetDeviceRole(const std::string& device)
{
    const std::string whole = IsWire(device) ? device.substr(0, device.rfind(WIRE_DEVICE)) : device;
    const std::size_t comma = whole.find(", ");
    const std::string role = comma == std::string::npos ? whole : whole.substr(comma + 2);
    return role.substr(0, role.find(" #"));
}

} // namespace ns3::dml
