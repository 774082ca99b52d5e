/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-sync-policies.h"

#include "ns3/uinteger.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(SyncPolicy);
NS_OBJECT_ENSURE_REGISTERED(AsynchronousSync);
NS_OBJECT_ENSURE_REGISTERED(BulkSynchronousSync);
NS_OBJECT_ENSURE_REGISTERED(StaleSynchronousSync);
NS_OBJECT_ENSURE_REGISTERED(BackupWorkersSync);

TypeId
SyncPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::SyncPolicy").SetParent<Object>().SetGroupName("Dml");
    return tid;
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

TypeId
AsynchronousSync::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::AsynchronousSync")
                            .SetParent<SyncPolicy>()
                            .SetGroupName("Dml")
                            .AddConstructor<AsynchronousSync>();
    return tid;
}

TypeId
BulkSynchronousSync::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::BulkSynchronousSync")
                            .SetParent<SyncPolicy>()
                            .SetGroupName("Dml")
                            .AddConstructor<BulkSynchronousSync>();
    return tid;
}

TypeId
StaleSynchronousSync::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::StaleSynchronousSync")
                            .SetParent<SyncPolicy>()
                            .SetGroupName("Dml")
                            .AddConstructor<StaleSynchronousSync>()
                            .AddAttribute("Bound",
                                          "Steps that a worker may be ahead of the slowest one.",
                                          UintegerValue(3),
                                          MakeUintegerAccessor(&StaleSynchronousSync::m_bound),
                                          MakeUintegerChecker<uint32_t>());
    return tid;
}

bool
StaleSynchronousSync::HasRounds() const
{
    return m_bound == 0;
}

bool
StaleSynchronousSync::MayBegin(uint32_t step, const SyncView& view) const
{
    return step <= m_bound || step - m_bound <= view.slowest;
}

uint32_t
StaleSynchronousSync::GetJoiningStep(const SyncView& view) const
{
    return view.slowest;
}

TypeId
BackupWorkersSync::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::BackupWorkersSync")
                            .SetParent<SyncPolicy>()
                            .SetGroupName("Dml")
                            .AddConstructor<BackupWorkersSync>()
                            .AddAttribute("Backups",
                                          "Workers whose gradients an update does not wait for.",
                                          UintegerValue(1),
                                          MakeUintegerAccessor(&BackupWorkersSync::m_backups),
                                          MakeUintegerChecker<uint32_t>());
    return tid;
}

uint32_t
BackupWorkersSync::GetQuorum(const SyncView& view) const
{
    return view.workers > m_backups ? view.workers - m_backups : 1;
}

const PluginKind&
SyncPolicies()
{
    static const PluginKind KIND("synchronisation",
                                 &SyncPolicy::GetTypeId,
                                 {{"async", &AsynchronousSync::GetTypeId, {}},
                                  {"bsp", &BulkSynchronousSync::GetTypeId, {}},
                                  {"ssp", &StaleSynchronousSync::GetTypeId, {}},
                                  {"backup", &BackupWorkersSync::GetTypeId, {}}});
    return KIND;
}

bool
MakesWorkersWait(const SyncPolicy& policy)
{
    constexpr uint32_t FAR_AHEAD = UINT32_MAX - 1; // steps
    return policy.Aggregates() || policy.HasRounds() || !policy.MayBegin(FAR_AHEAD, {2, 2, 0});
}

bool
WaitsForAll(const SyncPolicy& policy)
{
    constexpr uint32_t MANY = 1000000000; // workers
    return policy.Aggregates() && policy.GetQuorum({MANY, MANY, 0}) >= MANY;
}

} // namespace ns3::dml
