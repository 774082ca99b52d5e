/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-network-speed.h"

#include "dml-speed-model.h"
#include "dml-speed-network.h"

#include "ns3/rng-stream.h"
#include "ns3/uinteger.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(NetworkSpeed);

NetworkSpeed::NetworkSpeed() = default;

NetworkSpeed::~NetworkSpeed() = default;

TypeId
NetworkSpeed::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::NetworkSpeed")
                            .SetParent<TrainedSpeed>()
                            .SetGroupName("Dml")
                            .AddAttribute("Passes",
                                          "Passes over the history in a training, at most.",
                                          UintegerValue(10),
                                          MakeUintegerAccessor(&NetworkSpeed::m_passes),
                                          MakeUintegerChecker<uint32_t>(1))
                            .AddAttribute("Seed",
                                          "Seed of the first weights.",
                                          UintegerValue(1),
                                          MakeUintegerAccessor(&NetworkSpeed::m_seed),
                                          MakeUintegerChecker<uint32_t>(1))
                            .AddAttribute("Replication",
                                          "Number of the replication.",
                                          UintegerValue(0),
                                          MakeUintegerAccessor(&NetworkSpeed::m_replication),
                                          MakeUintegerChecker<uint32_t>());
    return tid;
}

void
NetworkSpeed::Prepare(uint32_t worker)
{
    TrainedSpeed::Prepare(worker);
    RngStream random(m_seed, GetStreamBase() + worker, m_replication);
    m_network = std::make_unique<SpeedNetwork>(MakeModel(), random);
}

uint32_t
NetworkSpeed::GetFewestSteps() const
{
    return GetLookBack() + m_network->GetFewestExamples();
}

void
NetworkSpeed::Train()
{
    const Steps& steps = GetSteps();
    std::vector<SpeedExample> examples;
    for (std::size_t next = GetLookBack(); next < steps.size(); ++next)
    {
        const SpeedStep& step = steps[next];
        examples.push_back({MakeInputs(next, step.cpu, step.memory), step.speed});
    }
    m_network->Train(examples, m_passes);
}

double
NetworkSpeed::Forecast(double cpu, double memory) const
{
    return m_network->Predict(MakeInputs(GetSteps().size(), cpu, memory));
}

} // namespace ns3::dml
