/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-ring-all-reduce.h"

#include "ns3/uinteger.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(RingAllReduce);

TypeId
RingAllReduce::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::RingAllReduce")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("Dml")
                            .AddConstructor<RingAllReduce>()
                            .AddAttribute("Segments",
                                          "Parts of a chunk that go round one behind the other.",
                                          UintegerValue(1),
                                          MakeUintegerAccessor(&RingAllReduce::m_segments),
                                          MakeUintegerChecker<uint32_t>(1, MOST_SEGMENTS));
    return tid;
}

CollectiveProgram
RingAllReduce::MakeProgram(uint32_t rank, uint32_t ranks) const
{
    return MakeOperation(CollectiveOperation::ALL_REDUCE, rank, ranks);
}

CollectiveProgram
RingAllReduce::MakeOperation(CollectiveOperation operation, uint32_t rank, uint32_t ranks) const
{
    CollectiveProgram program;
    program.parts = ranks * m_segments;
    program.lanes.resize(m_segments);
    switch (operation)
    {
    case CollectiveOperation::ALL_REDUCE:
        Circulate(rank, ranks, rank, true, program);
        Circulate(rank, ranks, rank + 1, false, program); // with the sum that it has
        break;
    case CollectiveOperation::REDUCE_SCATTER:
        Circulate(rank, ranks, rank + ranks - 1, true, program);
        break;
    case CollectiveOperation::ALL_GATHER:
        Circulate(rank, ranks, rank, false, program);
        break;
    }
    return program;
}

void
RingAllReduce::Circulate(uint32_t rank,
                         uint32_t ranks,
                         uint32_t first,
                         bool reduces,
                         CollectiveProgram& program) const
{
    const uint32_t next = (rank + 1) % ranks;
    const uint32_t previous = (rank + ranks - 1) % ranks;
    for (uint32_t lane = 0; lane < m_segments; ++lane)
    {
        for (uint32_t round = 0; round + 1 < ranks; ++round)
        {
            const uint32_t sent = (first + ranks - round) % ranks;
            const uint32_t received = (sent + ranks - 1) % ranks;
            program.lanes[lane].push_back({{{next, sent * m_segments + lane, 1}},
                                           {{previous, received * m_segments + lane, 1, reduces}}});
        }
    }
}

bool
RingAllReduce::IsSymmetric([[maybe_unused]] uint32_t ranks) const
{
    return true;
}

} // namespace ns3::dml
