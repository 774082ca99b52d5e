/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-job-plugins.h"

#include "ns3/boolean.h"
#include "ns3/dml-all-reduce-protocol.h"
#include "ns3/dml-auto-all-reduce.h"
#include "ns3/dml-collective-algorithms.h"
#include "ns3/dml-protocols.h"
#include "ns3/dml-sharded-protocol.h"
#include "ns3/dml-sync-policies.h"
#include "ns3/double.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cmath>

namespace ns3::dml
{

ObjectFactory
MakeSyncFactory(const SyncSpec& sync)
{
    ObjectFactory factory = SyncPolicies().MakeFactory({sync.rule, sync.attributes});
    if (sync.rule == "ssp")
    {
        factory.Set("Bound", UintegerValue(sync.bound));
    }
    if (sync.rule == "backup")
    {
        factory.Set("Backups", UintegerValue(sync.backups));
    }
    return factory;
}

namespace
{

/// What only a sharded job has.
void
SetShards(const JobSpec& job, ObjectFactory& factory)
{
    const PluginAttributes& given = job.protocolAttributes;
    const ShardedSpec& spec = job.sharded;
    SetUnlessGiven(factory, given, "Stage", UintegerValue(spec.stage));
    SetUnlessGiven(factory, given, "ReshardAfterForward", BooleanValue(spec.reshardAfterForward));
    SetUnlessGiven(factory, given, "BackwardPrefetch", StringValue(spec.backwardPrefetch));
    SetUnlessGiven(factory, given, "Limit", UintegerValue(spec.limitAllGathers));
    SetUnlessGiven(factory, given, "Hybrid", BooleanValue(spec.hybrid));
}

} // namespace

bool
UsesAggregators(const JobSpec& job)
{
    const auto protocol = DynamicCast<AllReduceProtocol>(MakeProtocol(job));
    const auto algorithm = protocol ? protocol->GetAlgorithm() : nullptr;
    return algorithm && algorithm->CountAggregators(2) > 0;
}

bool
IsSharded(const JobSpec& job)
{
    return job.protocol == "sharded" || job.protocol == ShardedProtocol::GetTypeId().GetName();
}

Ptr<Protocol>
MakeProtocol(const JobSpec& job)
{
    const PluginAttributes& given = job.protocolAttributes;
    ObjectFactory factory = Protocols().MakeFactory({job.protocol, given});
    const AllReduceSpec& spec = job.allReduce;
    ObjectFactory collective =
        CollectiveAlgorithms().MakeFactory({spec.algorithm, spec.algorithmAttributes});
    if (collective.GetTypeId() == AutoAllReduce::GetTypeId())
    {
        SetUnlessGiven(collective,
                       spec.algorithmAttributes,
                       "SharedHosts",
                       BooleanValue(job.workersPerHost.AreShared()));
    }
    if (spec.algorithm == "in-network")
    {
        collective.Set("Slots", UintegerValue(spec.slots));
        collective.Set("Chunk", UintegerValue(spec.chunk));
        collective.Set("Root", StringValue(spec.root));
    }
    SetUnlessGiven(factory,
                   given,
                   "Algorithm",
                   PointerValue(collective.Create<CollectiveAlgorithm>()));
    SetUnlessGiven(factory, given, "ReductionTime", DoubleValue(spec.reduction));
    SetUnlessGiven(factory, given, "Concurrent", UintegerValue(spec.concurrent));
    SetUnlessGiven(factory, given, "SortByRack", BooleanValue(spec.ranks == "racks"));
    SetUnlessGiven(factory, given, "Barrier", BooleanValue(spec.barrier));
    if (factory.GetTypeId() == ShardedProtocol::GetTypeId())
    {
        SetShards(job, factory);
    }
    if (job.gradientGroups.rule == "horovod")
    {
        const HorovodSpec& horovod = job.gradientGroups.horovod;
        // a smaller job of the same shape has as many buckets
        const Time cycle = Max(Seconds(job.scale * horovod.cycle.GetSeconds()), NanoSeconds(1));
        const double threshold = std::round(job.scale * static_cast<double>(horovod.threshold));
        SetUnlessGiven(factory, given, "Cycle", TimeValue(cycle));
        SetUnlessGiven(factory,
                       given,
                       "Threshold",
                       UintegerValue(static_cast<uint64_t>(threshold)));
        SetUnlessGiven(factory, given, "Cached", BooleanValue(horovod.cache));
        SetUnlessGiven(factory, given, "Waits", BooleanValue(horovod.waits));
    }
    return factory.Create<Protocol>();
}

} // namespace ns3::dml
