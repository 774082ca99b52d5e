/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-placement.h"

#include <algorithm>

namespace ns3::dml
{

Placement
PlaceGreedy(const std::vector<Tensor>& tensors, uint32_t servers)
{
    std::vector<uint64_t> load(servers, 0);
    Placement placement;
    for (const auto& tensor : tensors)
    {
        const auto least = std::min_element(load.begin(), load.end());
        placement.push_back(least - load.begin());
        *least += tensor.bytes;
    }
    return placement;
}

Placement
PlaceRoundRobin(const std::vector<Tensor>& tensors, uint32_t servers)
{
    Placement placement;
    for (uint32_t i = 0; i < tensors.size(); ++i)
    {
        placement.push_back(i % servers);
    }
    return placement;
}

Placement
PlaceExplicit(const std::vector<Tensor>& tensors,
              uint32_t servers,
              const std::map<std::string, uint32_t>& table)
{
    Placement placement;
    for (const auto& tensor : tensors)
    {
        const auto entry = table.find(tensor.name);
        if (entry == table.end())
        {
            throw InputError("tensor '" + tensor.name + "' has no place; every tensor needs one");
        }
        if (entry->second >= servers)
        {
            throw InputError("tensor '" + tensor.name + "' is placed on server " +
                             std::to_string(entry->second) + "; accepted: 0 to " +
                             std::to_string(servers - 1));
        }
        placement.push_back(entry->second);
    }
    for (const auto& [name, server] : table)
    {
        const bool known = std::any_of(tensors.begin(), tensors.end(), [&n = name](const auto& t) {
            return t.name == n;
        });
        if (!known)
        {
            throw InputError("'" + name + "' is placed on server " + std::to_string(server) +
                             " but the profile has no such tensor");
        }
    }
    return placement;
}

} // namespace ns3::dml
