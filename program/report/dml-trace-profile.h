/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRACE_PROFILE_H
#define DML_TRACE_PROFILE_H

#include "ns3/dml-profile.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @brief Describe a job at the start of a trace in Chrome's format, so that it can be imported.
 * @param profile the job; its durations are left out, as a trace has events for them
 * @param pid process that the events name; viewers show nothing of them
 * @return metadata events as JSON text, see TRACE_SCHEMA
 */
std::vector<std::string> DescribeJobInTrace(const Profile& profile, uint32_t pid);

} // namespace ns3::dml

#endif /* DML_TRACE_PROFILE_H */
