/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-auto-all-reduce.h"

#include "dml-halving-doubling-all-reduce.h"
#include "dml-hierarchical-all-reduce.h"
#include "dml-ring-all-reduce.h"

#include "ns3/boolean.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(AutoAllReduce);

TypeId
AutoAllReduce::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::AutoAllReduce")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("Dml")
                            .AddConstructor<AutoAllReduce>()
                            .AddAttribute("Small",
                                          "Buffers of fewer bytes go by recursive doubling.",
                                          UintegerValue(10000),
                                          MakeUintegerAccessor(&AutoAllReduce::m_small),
                                          MakeUintegerChecker<uint64_t>())
                            .AddAttribute("Segment",
                                          "Bytes beyond which a chunk of a ring is cut.",
                                          UintegerValue(1048576),
                                          MakeUintegerAccessor(&AutoAllReduce::m_segment),
                                          MakeUintegerChecker<uint64_t>(1))
                            .AddAttribute("SharedHosts",
                                          "Whether racks are hosts of several workers: larger "
                                          "buffers go by HierarchicalAllReduce then.",
                                          BooleanValue(false),
                                          MakeBooleanAccessor(&AutoAllReduce::m_sharedHosts),
                                          MakeBooleanChecker());
    return tid;
}

Ptr<const CollectiveAlgorithm>
AutoAllReduce::Place(const CollectivePlaces& places) const
{
    const Ptr<const CollectiveAlgorithm> groups = CreateObject<HierarchicalAllReduce>();
    const auto grouped = groups->Place(places);
    if (!m_sharedHosts || grouped == groups)
    {
        return this; // no hosts, or only one
    }
    const auto placed = CreateObject<AutoAllReduce>();
    placed->m_small = m_small;
    placed->m_segment = m_segment;
    placed->m_grouped = grouped;
    return placed;
}

Ptr<const CollectiveAlgorithm>
AutoAllReduce::Choose(CollectiveOperation operation, uint64_t bytes, uint32_t ranks) const
{
    const bool shards = operation != CollectiveOperation::ALL_REDUCE;
    if (bytes < m_small)
    {
        auto& small = shards ? m_smallShards : m_smallBuffers;
        if (!small)
        {
            small =
                shards ? Ptr<const CollectiveAlgorithm>(CreateObject<HalvingDoublingAllReduce>())
                       : Ptr<const CollectiveAlgorithm>(CreateObject<RecursiveDoublingAllReduce>());
        }
        return small;
    }
    if (m_grouped && !shards)
    {
        return m_grouped;
    }
    const uint64_t chunk = (bytes + ranks - 1) / ranks;
    const uint32_t segments =
        std::clamp<uint64_t>((chunk + m_segment - 1) / m_segment, 1, RingAllReduce::MOST_SEGMENTS);
    auto& chosen = m_rings[segments];
    if (!chosen)
    {
        const auto ring = CreateObject<RingAllReduce>();
        ring->SetAttribute("Segments", UintegerValue(segments));
        chosen = ring;
    }
    return chosen;
}

CollectiveProgram
AutoAllReduce::MakeProgram(uint32_t rank, uint32_t ranks) const
{
    return MakeOperation(CollectiveOperation::ALL_REDUCE, rank, ranks);
}

CollectiveProgram
AutoAllReduce::MakeOperation(CollectiveOperation operation, uint32_t rank, uint32_t ranks) const
{
    return Choose(operation, std::numeric_limits<uint64_t>::max() / 2, ranks)
        ->MakeOperation(operation, rank, ranks);
}

} // namespace ns3::dml
