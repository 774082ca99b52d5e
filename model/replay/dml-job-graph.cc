/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-job-graph.h"

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

} // namespace dml
} // namespace ns3
