/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FAIR_SHARE_FIXTURE_H
#define DML_FAIR_SHARE_FIXTURE_H

#include "dml-profile-builder.h"
#include "dml-run-recorder.h"
#include "dml-transfer-facts.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-fair-share-engine.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// @param expected seconds, derived by hand @param found by the engine
inline void
ExpectTime(double expected, double found)
{
    EXPECT_NEAR(found, expected, 1e-9 * std::max(1.0, expected));
}

/// A small run of the fair-share engine: links of 100 bytes/s, so that 100 bytes take a second.
struct FairShareCase
{
    static constexpr double RATE = 100;

    explicit FairShareCase(const ProfileBuilder& profileBuilder)
        : builder(profileBuilder)
    {
        run.policy.SetTypeId("ns3::dml::Http2WindowPolicy");
        run.window = 1000000;
    }

    /// Run it on a star; all workers start at the offsets, replaying samples in order.
    void Run(std::vector<double> offsets = {0}, uint32_t steps = 1)
    {
        Prepare(std::move(offsets), steps);
        network.links = MakeStarFlowNetwork({run.workers, servers}, rate, rate, oneWayDelay);
        network.links.flows.insert(network.links.flows.end(), routes.begin(), routes.end());
        FairShareEngine engine(run, network, &recorder);
        engine.Run();
        servedBytes = engine.GetServedBytes();
    }

    /// Make the run.
    void Prepare(std::vector<double> offsets, uint32_t steps)
    {
        const Profile profile = builder.Build();
        const Placement where =
            placement.empty() ? PlaceGreedy(profile.tensors, servers) : placement;
        auto plan = std::make_shared<StepPlan>(MakeStepPlan(profile, where, servers, overhead));
        if (protocol)
        {
            *plan = protocol(*plan);
        }
        facts.Apply(*plan);
        run.plan = plan;
        run.workers = offsets.size();
        run.steps = steps;
        run.startOffsets = std::move(offsets);
        run.samplers.clear();
        for (uint32_t worker = 0; worker < run.workers; ++worker)
        {
            run.samplers.emplace_back(StepSampler::Rule::IN_ORDER,
                                      profile.GetSampleCount(),
                                      1,
                                      0,
                                      worker);
        }
    }

    /// When a transfer's last byte arrived.
    double Arrival(const std::string& op, uint32_t worker = 0, uint32_t step = 0) const
    {
        for (const auto& record : recorder.transfers)
        {
            if (record.op == builder.Find(op) && GetWorker(record.channel) == worker &&
                record.step == step)
            {
                return record.lastByte;
            }
        }
        throw InputError("no transfer " + op);
    }

    /// When a compute op (or, with @p parse, the parsing of a transfer) started and ended.
    const ChunkRecord& Chunk(const std::string& op, uint32_t worker = 0, bool parse = false) const
    {
        for (const auto& record : recorder.chunks)
        {
            if (record.op == builder.Find(op) && record.worker == worker && record.parse == parse)
            {
                return record;
            }
        }
        throw InputError("no chunk " + op);
    }

    /// @param times seconds at which last bytes arrived, by transfer @param worker whose @param
    /// step
    void ExpectArrivals(const std::vector<std::pair<std::string, double>>& times,
                        uint32_t worker = 0,
                        uint32_t step = 0) const
    {
        for (const auto& [op, time] : times)
        {
            SCOPED_TRACE(op + ", worker " + std::to_string(worker) + ", step " +
                         std::to_string(step));
            ExpectTime(time, Arrival(op, worker, step));
        }
    }

    /// @param ends seconds at which all steps ended, in that order
    void ExpectStepEnds(const std::vector<double>& ends) const
    {
        ASSERT_EQ(recorder.steps.size(), ends.size());
        for (std::size_t i = 0; i < ends.size(); ++i)
        {
            SCOPED_TRACE("record " + std::to_string(i) + " of a step");
            ExpectTime(ends[i], recorder.steps[i].end);
        }
    }

    ProfileBuilder builder;
    FairShareNetwork network;        //!< but for its links
    double rate{RATE};               //!< of all links, bytes per second
    double oneWayDelay{0};           //!< seconds
    std::vector<NetworkFlow> routes; //!< of background flows
    ParseOverhead overhead;
    std::function<StepPlan(const StepPlan&)> protocol; //!< changes the plan; empty: as it is
    Placement placement;                               //!< greedy if empty
    TransferFacts facts;                               //!< for policies
    uint32_t servers{1};
    TrainingRun run;
    RunRecorder recorder;
    uint64_t servedBytes{0};
};

} // namespace ns3::dml

#endif /* DML_FAIR_SHARE_FIXTURE_H */
