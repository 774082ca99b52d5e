/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-linux-rtt-estimator.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(LinuxRttEstimator);

TypeId
LinuxRttEstimator::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::LinuxRttEstimator")
                            .SetParent<RttMeanDeviation>()
                            .SetGroupName("Dml")
                            .AddConstructor<LinuxRttEstimator>()
                            .AddAttribute("LeastVariation",
                                          "A fourth of the least timeout (TCP_RTO_MIN).",
                                          TimeValue(MilliSeconds(50)),
                                          MakeTimeAccessor(&LinuxRttEstimator::m_leastVariation),
                                          MakeTimeChecker(Time(0)));
    return tid;
}

void
LinuxRttEstimator::Measurement(Time measure)
{
    if (m_nSamples > 0)
    {
        m_estimatedVariation = m_variation;
    }
    RttMeanDeviation::Measurement(measure);
    m_variation = m_estimatedVariation;
    m_estimatedVariation = Max(m_variation, m_leastVariation);
}

Ptr<RttEstimator>
LinuxRttEstimator::Copy() const
{
    return CopyObject<LinuxRttEstimator>(this);
}

void
LinuxRttEstimator::Reset()
{
    RttMeanDeviation::Reset();
    m_variation = m_estimatedVariation;
}

} // namespace ns3::dml
