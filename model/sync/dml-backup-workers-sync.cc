/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-backup-workers-sync.h"

#include "ns3/uinteger.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(BackupWorkersSync);

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

bool
BackupWorkersSync::Aggregates() const
{
    return true;
}

uint32_t
BackupWorkersSync::GetQuorum(const SyncView& view) const
{
    return view.workers > m_backups ? view.workers - m_backups : 1;
}

} // namespace ns3::dml
