/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_TWIN_H
#define DML_SCENARIO_TWIN_H

#include "dml-profile-builder.h"
#include "dml-run-recorder.h"

#include "ns3/dml-fair-share-engine.h"
#include "ns3/dml-packet-engine.h"
#include "ns3/dml-prepared-case.h"
#include "ns3/dml-scenario-check.h"

#include <memory>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// A scenario with profiles from tests, run by both engines as a study runs it. Unless changed, its
/// queues are fair and never drop, so that bandwidth is shared max-min in both, fair-share's links
/// have no delay, and steps begin when they can.
struct ScenarioTwin
{
    ScenarioTwin()
    {
        UseTransport("ideal", scenario.network);
        scenario.network.mtu = 9000;
        scenario.network.queue = {QueueSpec::Kind::FAIR, 0, 0, false};
        scenario.fairShare.oneWayDelay = Time(0);
    }

    /// Add a job whose workers start together and replay samples in order; the first is studied.
    void AddJob(const ProfileBuilder& builder,
                uint32_t workers,
                uint32_t servers = 1,
                uint32_t steps = 1)
    {
        JobSpec job;
        job.workers = {workers};
        job.parameterServers = servers;
        job.steps = steps;
        job.warmup = 0;
        job.sampling.rule = "in-order";
        job.start.rule = "together";
        job.stepJitter.mean = Time(0);
        if (m_profiles.empty())
        {
            scenario.job = job;
        }
        else
        {
            scenario.otherJobs.push_back(job);
        }
        m_profiles.push_back(std::make_shared<Profile>(builder.Build()));
    }

    /// What the fair-share engine sees.
    FairShareNetwork GetFairShareNetwork(uint32_t replication = 0) const
    {
        return Prepare().MakeFairShareNetwork(scenario.job.workers.front(), replication);
    }

    /// What the fair-share engine says.
    RunRecorder RunFairShare(uint32_t replication = 0) const
    {
        RunRecorder recorder;
        FairShareEngine(MakeCase(replication).runs, GetFairShareNetwork(replication), &recorder)
            .Run();
        return recorder;
    }

    /// What the packet engine says.
    RunRecorder RunPackets(uint32_t replication = 0)
    {
        RunRecorder recorder;
        const PreparedCase work = MakeCase(replication);
        PacketEngine engine(work.runs,
                            scenario.network,
                            work.network,
                            scenario.transfer,
                            &recorder);
        engine.SetRandomness(scenario.seed, replication);
        totals = engine.Run();
        return recorder;
    }

    Scenario scenario;
    PacketRunTotals totals; //!< of the last RunPackets()

  private:
    PreparedScenario Prepare() const
    {
        CheckScenario(scenario);
        PreparedScenario prepared;
        prepared.scenario = scenario;
        for (uint32_t index = 0; index < m_profiles.size(); ++index)
        {
            PreparedJob job;
            job.spec = GetJob(scenario, index);
            job.profile = m_profiles[index];
            const uint32_t servers = job.spec.parameterServers;
            const OverheadSpec& overhead = scenario.overhead;
            job.run = MakeJobRun(scenario, job.spec, 0);
            job.run.plan = std::make_shared<StepPlan>(
                MakeStepPlan(*job.profile,
                             PlaceGreedy(job.profile->tensors, servers),
                             servers,
                             {overhead.alpha,
                              overhead.beta,
                              overhead.parallel,
                              ParseCost{overhead.GetServerAlpha(), overhead.GetServerBeta()}}));
            prepared.jobs.push_back(job);
        }
        return prepared;
    }

    PreparedCase MakeCase(uint32_t replication) const
    {
        return PrepareCase(Prepare(), scenario.job.workers.front(), replication);
    }

    std::vector<std::shared_ptr<const Profile>> m_profiles; //!< by job
};

/// @return mean duration of a worker's steps, seconds
inline double
MeanStep(const RunRecorder& recorder, uint32_t worker)
{
    double sum = 0;
    uint32_t steps = 0;
    for (const auto& step : recorder.steps)
    {
        if (step.worker == worker)
        {
            sum += step.end - step.start;
            ++steps;
        }
    }
    return sum / steps;
}

} // namespace ns3::dml

#endif /* DML_SCENARIO_TWIN_H */
