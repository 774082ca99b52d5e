/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-collective-protocol.h"

#include "ns3/boolean.h"
#include "ns3/dml-ring-all-reduce.h"
#include "ns3/double.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <numeric>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(CollectiveProtocol);

TypeId
CollectiveProtocol::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::CollectiveProtocol")
            .SetParent<Protocol>()
            .SetGroupName("Dml")
            .AddAttribute("Algorithm",
                          "How a buffer is reduced, scattered and gathered; none: on a ring.",
                          PointerValue(),
                          MakePointerAccessor(&CollectiveProtocol::m_algorithm),
                          MakePointerChecker<CollectiveAlgorithm>())
            .AddAttribute("ReductionTime",
                          "Seconds per byte that adding up what was received takes.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&CollectiveProtocol::m_reduction),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("Concurrent",
                          "Collectives of a worker that may be under way at the same time.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&CollectiveProtocol::m_concurrent),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("SortByRack",
                          "Whether ranks are given rack by rack, else in the order of workers.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&CollectiveProtocol::m_sortByRack),
                          MakeBooleanChecker());
    return tid;
}

bool
CollectiveProtocol::ChoosesBySize() const
{
    return m_algorithm && m_algorithm->ChoosesBySize();
}

StepPlan
CollectiveProtocol::StartPlan(const Profile& profile) const
{
    StepPlan plan;
    plan.servers = 0;
    plan.devices = profile.devices.size();
    plan.reducer = WorkerResources::REDUCER;
    plan.reduction = m_reduction;
    plan.concurrent = m_concurrent;
    plan.resources = {{ResourceKind::COLLECTIVE, SELF, {}, 0, 1},
                      {ResourceKind::REDUCER, SELF, {}, 0, 1}};
    for (uint32_t device = 0; device < plan.devices; ++device)
    {
        plan.resources.push_back(
            {ResourceKind::DEVICE, SELF, {}, device, profile.devices[device].slots});
    }
    return plan;
}

std::vector<uint32_t>
CollectiveProtocol::ListRanks(const ProtocolSetting& setting) const
{
    const std::vector<uint32_t>& racks = setting.racks;
    std::vector<uint32_t> workers = setting.members;
    if (workers.empty())
    {
        workers.resize(racks.size());
        std::iota(workers.begin(), workers.end(), 0);
    }
    if (m_sortByRack)
    {
        std::stable_sort(workers.begin(), workers.end(), [&racks](uint32_t a, uint32_t b) {
            return racks[a] < racks[b];
        });
    }
    return workers;
}

Ptr<const CollectiveAlgorithm>
CollectiveProtocol::ChooseAlgorithm() const
{
    return m_algorithm ? m_algorithm : Ptr<CollectiveAlgorithm>(CreateObject<RingAllReduce>());
}

} // namespace ns3::dml
