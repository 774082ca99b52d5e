/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// An algorithm of all-reduce of one's own: in a first round every rank sends part p of its buffer
// to rank p, which adds up what it receives, and in a second round it sends the sum to all others.
// Two rounds instead of a ring's 2 (N - 1), and as many bytes. Each round alone is what sharded
// jobs want: a reduce-scatter, and an all-gather. doc/extending.rst shows how a scenario chooses
// it.

#include "ns3/dml-collective-algorithm.h"

namespace example
{

using namespace ns3;
using namespace ns3::dml;

class TwoShotAllReduce : public CollectiveAlgorithm
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("example::TwoShotAllReduce")
                                .SetParent<CollectiveAlgorithm>()
                                .AddConstructor<TwoShotAllReduce>();
        return tid;
    }

    CollectiveProgram MakeProgram(uint32_t rank, uint32_t ranks) const override
    {
        return MakeOperation(CollectiveOperation::ALL_REDUCE, rank, ranks);
    }

    bool HasShards() const override
    {
        return true; // of which rank p has part p
    }

    CollectiveProgram MakeOperation(CollectiveOperation operation,
                                    uint32_t rank,
                                    uint32_t ranks) const override
    {
        CollectiveRound scatter;
        CollectiveRound gather;
        for (uint32_t distance = 1; distance < ranks; ++distance)
        {
            const uint32_t peer = (rank + distance) % ranks; // nobody is everybody's first
            scatter.sends.push_back({peer, peer});
            scatter.receives.push_back({peer, rank, 1, true});
            gather.sends.push_back({peer, rank});
            gather.receives.push_back({peer, peer});
        }
        switch (operation)
        {
        case CollectiveOperation::REDUCE_SCATTER:
            return {ranks, {{scatter}}};
        case CollectiveOperation::ALL_GATHER:
            return {ranks, {{gather}}};
        default:
            return {ranks, {{scatter, gather}}};
        }
    }

    bool IsSymmetric(uint32_t /* ranks */) const override
    {
        return true; // all do the same, as seen from their own ranks
    }
};

NS_OBJECT_ENSURE_REGISTERED(TwoShotAllReduce);

} // namespace example
