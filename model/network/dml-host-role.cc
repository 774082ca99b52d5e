/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-host-role.h"

namespace ns3::dml
{

std::optional<HostRole>
FindHostRole(const std::string& name, const std::vector<JobSize>& jobs)
{
    for (uint32_t job = 0; job < jobs.size(); ++job)
    {
        for (uint32_t worker = 0; worker < jobs[job].workers; ++worker)
        {
            if (WorkerName(job, worker) == name)
            {
                return HostRole{true, job, worker};
            }
        }
        for (uint32_t server = 0; server < jobs[job].servers; ++server)
        {
            if (ServerName(job, server) == name)
            {
                return HostRole{false, job, server};
            }
        }
    }
    return std::nullopt;
}

} // namespace ns3::dml
