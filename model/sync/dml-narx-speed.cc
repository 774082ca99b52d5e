/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-narx-speed.h"

#include "ns3/rng-stream.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace dml
{

namespace
{

constexpr double LEAST_SHARE = 0.05; // of the last speed
constexpr double LARGEST_SHARE = 1 / LEAST_SHARE;

} // namespace

NS_OBJECT_ENSURE_REGISTERED(NarxSpeed);

TypeId
NarxSpeed::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::NarxSpeed")
                            .SetParent<EmaSpeed>()
                            .SetGroupName("Dml")
                            .AddConstructor<NarxSpeed>()
                            .AddAttribute("Warmup",
                                          "Speeds that it observes before it first trains.",
                                          UintegerValue(DEFAULT_WARMUP),
                                          MakeUintegerAccessor(&NarxSpeed::m_warmup),
                                          MakeUintegerChecker<uint32_t>(0))
                            .AddAttribute("History",
                                          "Speeds that it keeps, and trains on.",
                                          UintegerValue(DEFAULT_WARMUP),
                                          MakeUintegerAccessor(&NarxSpeed::m_history),
                                          MakeUintegerChecker<uint32_t>(1, 100000))
                            .AddAttribute("Interval",
                                          "Speeds that it observes between two trainings.",
                                          UintegerValue(50),
                                          MakeUintegerAccessor(&NarxSpeed::m_interval),
                                          MakeUintegerChecker<uint32_t>(1))
                            .AddAttribute("Hidden",
                                          "Units of the hidden layer.",
                                          UintegerValue(5),
                                          MakeUintegerAccessor(&NarxSpeed::m_hidden),
                                          MakeUintegerChecker<uint32_t>(1, 100))
                            .AddAttribute("Passes",
                                          "Passes over the history in a training, at most.",
                                          UintegerValue(10),
                                          MakeUintegerAccessor(&NarxSpeed::m_passes),
                                          MakeUintegerChecker<uint32_t>(1))
                            .AddAttribute("Seed",
                                          "Seed of the first weights.",
                                          UintegerValue(1),
                                          MakeUintegerAccessor(&NarxSpeed::m_seed),
                                          MakeUintegerChecker<uint32_t>(1))
                            .AddAttribute("Replication",
                                          "Number of the replication.",
                                          UintegerValue(0),
                                          MakeUintegerAccessor(&NarxSpeed::m_replication),
                                          MakeUintegerChecker<uint32_t>());
    return tid;
}

void
NarxSpeed::Prepare(uint32_t worker)
{
    RngStream random(m_seed, STREAM_BASE + worker, m_replication);
    m_network = std::make_unique<SpeedNetwork>(m_hidden, random);
    m_examples.set_capacity(m_history);
}

SpeedInputs
NarxSpeed::MakeInputs(double cpu, double memory) const
{
    const Step& last = m_steps[1];
    const Step& before = m_steps[0];
    return {last.speed,
            before.speed,
            cpu,
            last.cpu,
            before.cpu,
            memory,
            last.memory,
            before.memory};
}

void
NarxSpeed::Observe(double speed, double cpu, double memory)
{
    if (m_steps.full())
    {
        m_examples.push_back({MakeInputs(cpu, memory), speed});
    }
    m_steps.push_back({speed, cpu, memory});
    EmaSpeed::Observe(speed, cpu, memory);
    ++m_observed;
    if (m_observed >= m_warmup && (m_observed - m_warmup) % m_interval == 0)
    {
        Train();
    }
}

void
NarxSpeed::Train()
{
    if (m_examples.size() < m_network->GetFewestExamples())
    {
        return;
    }
    m_network->Train({m_examples.begin(), m_examples.end()}, m_passes);
    m_trained = true;
}

double
NarxSpeed::Predict(double cpu, double memory) const
{
    if (!m_trained)
    {
        return EmaSpeed::Predict(cpu, memory);
    }
    const double last = m_steps[1].speed;
    const double speed = m_network->Predict(MakeInputs(cpu, memory));
    return std::isfinite(speed) ? std::clamp(speed, LEAST_SHARE * last, LARGEST_SHARE * last)
                                : EmaSpeed::Predict(cpu, memory);
}

bool
NarxSpeed::IsTrained() const
{
    return m_trained;
}

} // namespace dml
} // namespace ns3
