/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-collective-algorithm.h"

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
CollectiveAlgorithm::Choose([[maybe_unused]] uint64_t bytes, [[maybe_unused]] uint32_t ranks) const
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
CollectiveAlgorithm::IsSymmetric([[maybe_unused]] uint32_t ranks) const
{
    return false;
}

} // namespace ns3::dml
