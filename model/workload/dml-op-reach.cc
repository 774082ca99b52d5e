/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-op-reach.h"

namespace ns3::dml
{

std::vector<bool>
MarkWithDependents(const OpGraph& graph, std::vector<OpIndex> ops)
{
    std::vector<bool> marked(graph.GetSize(), false);
    for (const OpIndex op : ops)
    {
        marked[op] = true;
    }
    while (!ops.empty())
    {
        const OpIndex op = ops.back();
        ops.pop_back();
        for (const OpIndex dependent : graph.GetDependents(op))
        {
            if (!marked[dependent])
            {
                marked[dependent] = true;
                ops.push_back(dependent);
            }
        }
    }
    return marked;
}

} // namespace ns3::dml
