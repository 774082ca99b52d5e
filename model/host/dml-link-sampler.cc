/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-link-sampler.h"

#include "ns3/dml-host-names.h"

namespace ns3::dml
{

LinkSampler::LinkSampler(const std::vector<TrainingRun>& jobs,
                         const ClusterNetwork& network,
                         HostPlaces& places)
    : m_places(places)
{
    for (uint32_t job = 0; job < jobs.size(); ++job)
    {
        for (uint32_t server = 0; server < jobs[job].plan->servers; ++server)
        {
            const DirectedLink out =
                network.GetHostUplink(network.FindHost(ServerName(job, server)));
            const Endpoint endpoint{Role::SERVER, server};
            m_links.push_back({job, {endpoint, AccessLink::Way::OUT}, out, 0});
            m_links.push_back({job, {endpoint, AccessLink::Way::IN}, out ^ 1, 0});
        }
    }
    for (auto& link : m_links)
    {
        link.bytes = m_places.CountBytes(link.link);
    }
}

std::vector<StampedRecord>
LinkSampler::Sample(double time)
{
    std::vector<StampedRecord> records;
    for (auto& link : m_links)
    {
        const uint64_t bytes = m_places.CountBytes(link.link);
        if (bytes > link.bytes && m_last >= 0)
        {
            const double rate = static_cast<double>(bytes - link.bytes) / (time - m_last);
            records.push_back({time, {link.job, LinkRecord{link.access, m_last, time, rate}}});
        }
        link.bytes = bytes;
    }
    m_last = time;
    return records;
}

} // namespace ns3::dml
