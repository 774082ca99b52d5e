/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-collective-algorithm.h"

#include "ns3/dml-error.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(CollectiveAlgorithm);

TypeId
CollectiveAlgorithm::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::CollectiveAlgorithm").SetParent<Object>().SetGroupName("Dml");
    return tid;
}

Ptr<const CollectiveAlgorithm>
CollectiveAlgorithm::Choose([[maybe_unused]] CollectiveOperation operation,
                            [[maybe_unused]] uint64_t bytes,
                            [[maybe_unused]] uint32_t ranks) const
{
    return this;
}

bool
CollectiveAlgorithm::ChoosesBySize() const
{
    return false;
}

Ptr<const CollectiveAlgorithm>
CollectiveAlgorithm::Place([[maybe_unused]] const CollectivePlaces& places) const
{
    return this;
}

std::string
CollectiveAlgorithm::GetRoot() const
{
    return "";
}

uint32_t
CollectiveAlgorithm::CountAggregators([[maybe_unused]] uint32_t ranks) const
{
    return 0;
}

bool
CollectiveAlgorithm::HasShards() const
{
    return false;
}

CollectiveProgram
CollectiveAlgorithm::MakeOperation(CollectiveOperation operation,
                                   uint32_t rank,
                                   uint32_t ranks) const
{
    if (operation != CollectiveOperation::ALL_REDUCE)
    {
        throw InputError("collective algorithm: found " + GetInstanceTypeId().GetName() +
                         ", which has no reduce-scatter and no all-gather; accepted: one that has");
    }
    return MakeProgram(rank, ranks);
}

bool
CollectiveAlgorithm::IsSymmetric([[maybe_unused]] uint32_t ranks) const
{
    return false;
}

} // namespace ns3::dml
