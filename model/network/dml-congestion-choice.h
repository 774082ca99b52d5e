/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CONGESTION_CHOICE_H
#define DML_CONGESTION_CHOICE_H

#include "dml-network-spec.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-network
 * @brief Which congestion control each connection of a network has: that of its job (`job.tcp`) or
 * of its background flow, or else the network's (`network.tcp`).
 */
struct CongestionChoice
{
    std::vector<PluginSpec> controls; //!< all that are used, each once; the network's comes first
    std::vector<uint32_t> jobs;       //!< by job: which of them; jobs beyond have the network's
    std::vector<uint32_t> background; //!< by background flow: which of them

    /// @param control place in `controls` @return whether a connection has it
    bool IsUsed(uint32_t control) const
    {
        const auto has = [control](const std::vector<uint32_t>& places) {
            return std::find(places.begin(), places.end(), control) != places.end();
        };
        return jobs.empty() || has(jobs) || has(background);
    }

    /// @param job number of a job @return place of its congestion control in `controls`
    uint32_t OfJob(uint32_t job) const
    {
        return job < jobs.size() ? jobs[job] : 0;
    }

    /// @param flow number of a background flow @return place of its control in `controls`
    uint32_t OfBackground(uint32_t flow) const
    {
        return flow < background.size() ? background[flow] : 0;
    }
};

/**
 * @param spec the network
 * @param jobs by job: its own congestion control; none: the network's
 * @return the choice; the same name or TypeId with the same attributes is one control
 */
CongestionChoice ChooseCongestion(const NetworkSpec& spec,
                                  const std::vector<std::optional<PluginSpec>>& jobs);

} // namespace ns3::dml

#endif /* DML_CONGESTION_CHOICE_H */
