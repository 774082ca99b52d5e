/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-host-link-count.h"

#include "ns3/dml-error.h"

#include <nlohmann/json.hpp>

namespace ns3::dml
{

std::map<std::string, HostLinkCount>
ParseLinkCounts(const std::string& json)
{
    std::map<std::string, HostLinkCount> counts;
    try
    {
        for (const auto& qdisc : nlohmann::json::parse(json))
        {
            const auto read = [&qdisc](const char* key) { return qdisc.value(key, uint64_t(0)); };
            const bool top = qdisc.at("handle") == "1:";
            const auto& kind = qdisc.at("kind");
            if (!top && kind != "bfifo")
            {
                continue;
            }
            HostLinkCount& count = counts[qdisc.at("dev").get<std::string>()];
            count.overlimits += top ? read("overlimits") : 0;
            if (kind != "htb") // which only hands on
            {
                count.bytes += read("bytes");
                count.packets += read("packets");
                count.drops += read("drops");
                count.backlog += read("backlog");
            }
        }
    }
    catch (const nlohmann::json::exception& error)
    {
        throw RunError(std::string("cannot read the output of tc: ") + error.what());
    }
    return counts;
}

} // namespace ns3::dml
