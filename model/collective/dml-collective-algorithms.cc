/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-collective-algorithms.h"

#include "dml-auto-all-reduce.h"
#include "dml-halving-doubling-all-reduce.h"
#include "dml-hierarchical-all-reduce.h"
#include "dml-in-network-all-reduce.h"
#include "dml-ring-all-reduce.h"
#include "dml-tree-all-reduce.h"

namespace ns3::dml
{

const PluginKind&
CollectiveAlgorithms()
{
    static const PluginKind KIND(
        "collective algorithm",
        &CollectiveAlgorithm::GetTypeId,
        {{"auto", &AutoAllReduce::GetTypeId, {}},
         {"ring", &RingAllReduce::GetTypeId, {}},
         {"halving-doubling", &HalvingDoublingAllReduce::GetTypeId, {}},
         {"recursive-doubling", &RecursiveDoublingAllReduce::GetTypeId, {}},
         {"tree", &TreeAllReduce::GetTypeId, {}},
         {"hierarchical", &HierarchicalAllReduce::GetTypeId, {}},
         {"in-network", &InNetworkAllReduce::GetTypeId, {}}});
    return KIND;
}

} // namespace ns3::dml
