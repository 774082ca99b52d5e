/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-aggregation-tree.h"

namespace ns3::dml
{

CollectivePlaces
CollectivePlaces::OfRanks(const std::vector<uint32_t>& workers) const
{
    CollectivePlaces places{{}, {tree.switches, tree.parents, {}}};
    for (const uint32_t worker : workers)
    {
        places.racks.push_back(racks[worker]);
        if (!tree.IsEmpty())
        {
            places.tree.leaves.push_back(tree.leaves[worker]);
        }
    }
    return places;
}

} // namespace ns3::dml
