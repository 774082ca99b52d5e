/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PACKET_FIXTURE_H
#define DML_PACKET_FIXTURE_H

#include "dml-plain-network.h"
#include "dml-profile-builder.h"
#include "dml-run-recorder.h"
#include "dml-transfer-facts.h"

#include "ns3/dml-elasticity.h"
#include "ns3/dml-fair-share-engine.h"
#include "ns3/dml-goodput.h"
#include "ns3/dml-packet-engine.h"
#include "ns3/dml-protocol.h"

#include <functional>
#include <memory>
#include <vector>

namespace ns3::dml
{

/// One small run for both engines, on a star of 1 Gbit/s links that never drops.
struct TwinRun
{
    explicit TwinRun(const ProfileBuilder& profileBuilder, uint32_t serverCount = 1)
        : builder(profileBuilder),
          servers(serverCount)
    {
        network.queue.bytes = 0;
        run.policy.SetTypeId("ns3::dml::Http2WindowPolicy");
    }

    /// Prepare for workers that start at these offsets and replay samples in order.
    void Prepare(std::vector<double> offsets, uint32_t steps)
    {
        const Profile profile = builder.Build();
        run.workers = offsets.size();
        auto plan = std::make_shared<StepPlan>(MakePlan(profile));
        facts.Apply(*plan);
        run.plan = plan;
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

    /// The plan of the run's protocol.
    StepPlan MakePlan(const Profile& profile) const
    {
        if (withoutServers)
        {
            return withoutServers->MakePlan(
                profile,
                {{}, 0, overhead, false, std::vector<uint32_t>(run.workers, 0)});
        }
        const Placement where =
            placement.empty() ? PlaceGreedy(profile.tensors, servers) : placement;
        StepPlan whole = MakeStepPlan(profile, where, servers, overhead);
        return protocol ? protocol(whole) : whole;
    }

    /// Payload rate of a link.
    double GetRate() const
    {
        return GetGoodput(
            network.rate,
            GetWireFormat(network.mtu, network.tcp.timestamps, GetMessageFraming(transfer)));
    }

    /// What the fair-share engine says, at the goodput of the links.
    RunRecorder RunFairShare() const
    {
        RunRecorder recorder;
        FairShareNetwork model;
        const JobShape shape = MakeJobShape(ListPlans(run), run.workers);
        model.links = MakeStarFlowNetwork(shape, GetRate(), GetRate(), oneWayDelay);
        model.rule = servers == 1 ? SharingRule::EQUAL : SharingRule::MAX_MIN;
        FairShareEngine(run, model, &recorder).Run();
        return recorder;
    }

    /// What the packet engine says.
    RunRecorder RunPackets()
    {
        RunRecorder recorder;
        PacketEngine engine(run, network, transfer, &recorder);
        if (fast)
        {
            engine.EnableFastForward(fastCheck);
        }
        totals = engine.Run();
        return recorder;
    }

    ProfileBuilder builder;
    uint32_t servers;
    Placement placement; //!< greedy if empty
    ParseOverhead overhead;
    TransferFacts facts;                               //!< for policies
    double oneWayDelay{0};                             //!< seconds, of the fair-share engine
    std::function<StepPlan(const StepPlan&)> protocol; //!< changes the plan; empty: as it is
    Ptr<Protocol> withoutServers;                      //!< makes the plan where there are none
    NetworkSpec network{PlainNetwork()};
    TransferSpec transfer;
    TrainingRun run;
    bool fast{false};    //!< packets skip what is steady
    double fastCheck{0}; //!< part of it that is simulated instead
    PacketRunTotals totals;
};

} // namespace ns3::dml

#endif /* DML_PACKET_FIXTURE_H */
