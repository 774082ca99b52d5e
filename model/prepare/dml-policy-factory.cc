/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-policy-factory.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/dml-asynchronous-sync.h"
#include "ns3/dml-backup-workers-sync.h"
#include "ns3/dml-bulk-synchronous-sync.h"
#include "ns3/dml-stale-synchronous-sync.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <string>

namespace ns3
{
namespace dml
{

namespace
{

ObjectFactory
MakeWindowTurns(const TransferSpec& transfer)
{
    ObjectFactory factory("ns3::dml::Http2WindowPolicy");
    factory.Set("RejoinAtStart", BooleanValue(transfer.rejoin == "start"));
    return factory;
}

ObjectFactory
MakeOrdered(const TransferSpec& transfer, uint32_t seed)
{
    ObjectFactory factory("ns3::dml::OrderedPolicy");
    if (TakesWindowTurns(transfer))
    {
        factory.Set("Inner", ObjectFactoryValue(MakeWindowTurns(transfer)));
    }
    factory.Set("Shuffle", BooleanValue(transfer.policy == "shuffled"));
    factory.Set("Seed", UintegerValue(seed));
    return factory;
}

ObjectFactory
MakeSlicePolicy(const TransferSpec& transfer, double goodput)
{
    ObjectFactory factory;
    if (transfer.policy == "prophet")
    {
        constexpr double BITS_PER_BYTE = 8;
        const auto rate = static_cast<uint64_t>(std::llround(BITS_PER_BYTE * goodput));
        factory.SetTypeId("ns3::dml::ProphetPolicy");
        factory.Set("Interval", TimeValue(transfer.monitor));
        factory.Set("Rate", DataRateValue(DataRate(rate)));
    }
    else
    {
        factory.SetTypeId("ns3::dml::CreditPolicy");
        // P3: one slice at a time
        factory.Set("Credit", UintegerValue(transfer.policy == "p3" ? 0 : transfer.credit));
    }
    factory.Set("Overhead", TimeValue(transfer.sliceOverhead));
    return factory;
}

} // namespace

ObjectFactory
MakePolicyFactory(const TransferSpec& transfer, uint32_t seed, double goodput)
{
    if (IsOrderPolicy(transfer.policy))
    {
        return MakeOrdered(transfer, seed);
    }
    if (IsSlicePolicy(transfer.policy))
    {
        return MakeSlicePolicy(transfer, goodput);
    }
    if (transfer.policy == "http2-window")
    {
        return MakeWindowTurns(transfer);
    }
    return ObjectFactory(transfer.policy == "fifo" ? "ns3::dml::FifoPolicy"
                                                   : "ns3::dml::RoundRobinPolicy");
}

ObjectFactory
MakeSyncFactory(const SyncSpec& sync)
{
    ObjectFactory factory;
    if (sync.rule == "ssp")
    {
        factory.SetTypeId(StaleSynchronousSync::GetTypeId());
        factory.Set("Bound", UintegerValue(sync.bound));
    }
    else if (sync.rule == "backup")
    {
        factory.SetTypeId(BackupWorkersSync::GetTypeId());
        factory.Set("Backups", UintegerValue(sync.backups));
    }
    else
    {
        factory.SetTypeId(sync.rule == "bsp" ? BulkSynchronousSync::GetTypeId()
                                             : AsynchronousSync::GetTypeId());
    }
    return factory;
}

Ptr<Protocol>
MakeProtocol(const JobSpec& job)
{
    return ObjectFactory(job.protocol == "push-pull" ? "ns3::dml::PushPullProtocol"
                                                     : "ns3::dml::RunGraphProtocol")
        .Create<Protocol>();
}

} // namespace dml
} // namespace ns3
