/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-trained-speed.h"

#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3::dml
{

namespace
{

constexpr double LEAST_SHARE = 0.05; // of the last speed
constexpr double LARGEST_SHARE = 1 / LEAST_SHARE;

} // namespace

NS_OBJECT_ENSURE_REGISTERED(TrainedSpeed);

TypeId
TrainedSpeed::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::TrainedSpeed")
            .SetParent<EmaSpeed>()
            .SetGroupName("Dml")
            .AddAttribute("Warmup",
                          "Speeds that it observes before it first trains; at least as many as "
                          "the model needs.",
                          UintegerValue(DEFAULT_WARMUP),
                          MakeUintegerAccessor(&TrainedSpeed::m_warmup),
                          MakeUintegerChecker<uint32_t>(0))
            .AddAttribute("History",
                          "Speeds that it keeps, and trains on.",
                          UintegerValue(DEFAULT_WARMUP),
                          MakeUintegerAccessor(&TrainedSpeed::m_history),
                          MakeUintegerChecker<uint32_t>(1, 100000))
            .AddAttribute("Interval",
                          "Speeds that it observes between two trainings.",
                          UintegerValue(50),
                          MakeUintegerAccessor(&TrainedSpeed::m_interval),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

void
TrainedSpeed::Prepare([[maybe_unused]] uint32_t worker)
{
    m_steps.set_capacity(m_history + GetLookBack());
}

void
TrainedSpeed::Observe(double speed, double cpu, double memory)
{
    m_steps.push_back({speed, cpu, memory});
    EmaSpeed::Observe(speed, cpu, memory);
    ++m_observed;
    const auto first = GetFirstTraining();
    if (first && (m_observed == *first ||
                  (m_observed > *first && (m_observed - m_warmup) % m_interval == 0)))
    {
        Train();
        m_trained = true;
    }
}

double
TrainedSpeed::Predict(double cpu, double memory) const
{
    if (!m_trained)
    {
        return EmaSpeed::Predict(cpu, memory);
    }
    const double last = m_steps.back().speed;
    const double speed = Forecast(cpu, memory);
    return std::isfinite(speed) ? std::clamp(speed, LEAST_SHARE * last, LARGEST_SHARE * last)
                                : EmaSpeed::Predict(cpu, memory);
}

std::optional<uint64_t>
TrainedSpeed::GetFirstTraining() const
{
    const uint32_t fewest = GetFewestSteps();
    return fewest > m_steps.capacity() ? std::nullopt : std::optional(std::max(m_warmup, fewest));
}

} // namespace ns3::dml
