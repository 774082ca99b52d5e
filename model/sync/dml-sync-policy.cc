/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-sync-policy.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(SyncPolicy);

TypeId
SyncPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::SyncPolicy").SetParent<Object>().SetGroupName("Dml");
    return tid;
}

SyncPolicy::SyncPolicy() = default;

SyncPolicy::~SyncPolicy() = default;

bool
SyncPolicy::Aggregates() const
{
    return false;
}

bool
SyncPolicy::HasRounds() const
{
    return Aggregates();
}

uint32_t
SyncPolicy::GetQuorum(const SyncView& view) const
{
    return view.members;
}

bool
SyncPolicy::MayBegin([[maybe_unused]] uint32_t step, [[maybe_unused]] const SyncView& view) const
{
    return true;
}

uint32_t
SyncPolicy::GetJoiningStep([[maybe_unused]] const SyncView& view) const
{
    return 0;
}

} // namespace ns3::dml
