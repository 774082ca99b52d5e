/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ELASTIC_TWIN_H
#define DML_ELASTIC_TWIN_H

#include "dml-packet-fixture.h"

#include "ns3/dml-all-reduce-protocol.h"
#include "ns3/dml-collective-algorithms.h"
#include "ns3/pointer.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

// Small jobs without servers whose workers crash, for both engines.

namespace ns3::dml
{

constexpr double COMPUTE = 0.1;
constexpr double UPDATE = 0.05;
constexpr double LATENCY = 0.001;
constexpr double REBUILD = 0.5;
constexpr uint64_t SMALL = 2 * 3 * 4 * 5 * 7 * 10000; // whole parts for 2 to 8

/// One tensor of @p bytes: computed, reduced, applied.
inline TwinRun
MakeElasticTwin(const std::string& algorithm, uint32_t workers, uint32_t steps, uint64_t bytes)
{
    ProfileBuilder builder;
    builder.Pull("t", bytes).Compute("compute", {COMPUTE}, {"pull/t"});
    builder.Push("t", bytes, {"compute"}).Update("t", UPDATE);
    TwinRun twin(builder, 0);
    twin.withoutServers = CreateObject<AllReduceProtocol>();
    twin.withoutServers->SetAttribute(
        "Algorithm",
        PointerValue(CollectiveAlgorithms().Create<CollectiveAlgorithm>({algorithm, {}})));
    twin.oneWayDelay = LATENCY;
    twin.Prepare(std::vector<double>(workers, 0), steps);
    return twin;
}

/// Let workers crash, and the others go on.
inline void
SetCrashes(TwinRun& twin, const std::vector<WorkerCrash>& crashes)
{
    auto elasticity = std::make_shared<Elasticity>();
    elasticity->rebuild = REBUILD;
    const Profile profile = twin.builder.Build();
    for (const auto& members : ListMemberSets(crashes, twin.run.workers))
    {
        ProtocolSetting setting;
        setting.racks.assign(twin.run.workers, 0);
        setting.members = members;
        elasticity->memberships.push_back(
            {members, std::make_shared<StepPlan>(twin.withoutServers->MakePlan(profile, setting))});
    }
    twin.run.crashes = crashes;
    twin.run.elastic = elasticity;
}

/// Length of a step in which all begin together.
struct StepLength
{
    double rounds; //!< on the longest path
    double sent;   //!< bytes over S that are sent one after the other

    double Get(const TwinRun& twin, double bytes) const
    {
        return COMPUTE + UPDATE + rounds * twin.oneWayDelay + sent * bytes / twin.GetRate();
    }
};

/// @return of a ring of so many workers
inline StepLength
RingOf(double workers)
{
    return {2 * (workers - 1), 2 * (workers - 1) / workers};
}

/// When a step ended at the last of the workers that did it, and how many did.
struct Round
{
    double end{0};
    uint32_t workers{0};
};

inline std::map<uint32_t, Round>
ListRounds(const RunRecorder& recorder)
{
    std::map<uint32_t, Round> rounds;
    for (const auto& step : recorder.steps)
    {
        Round& round = rounds[step.step];
        round.end = std::max(round.end, step.end);
        ++round.workers;
    }
    return rounds;
}

} // namespace ns3::dml

#endif /* DML_ELASTIC_TWIN_H */
