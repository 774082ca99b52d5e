/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GRAPH_DRAFT_H
#define DML_GRAPH_DRAFT_H

#include "ns3/dml-global-graph.h"

#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-search
 * @brief A global data-flow graph to which ops are added one by one.
 */
struct GraphDraft
{
    /// The device of joins: they take no time, so that none waits for another one there.
    static constexpr uint32_t JOINS = 0;

    std::vector<uint32_t> devices;          //!< by op
    std::vector<double> seconds;            //!< by op
    GlobalGraph::Dependencies dependencies; //!< between them

    /// @param device of an op @param time that it takes, s @return the op
    GlobalOp Add(uint32_t device, double time)
    {
        devices.push_back(device);
        seconds.push_back(time);
        return devices.size() - 1;
    }

    /// @return a new op that takes no time
    GlobalOp AddJoin()
    {
        return Add(JOINS, 0);
    }

    /// @param before op that must end @param after op that waits for it
    void AddDependency(GlobalOp before, GlobalOp after)
    {
        dependencies.emplace_back(before, after);
    }

    /// @return its graph; the draft has no dependencies any more
    GlobalGraph MakeGraph()
    {
        return {devices, std::move(dependencies)};
    }
};

} // namespace ns3::dml

#endif /* DML_GRAPH_DRAFT_H */
