/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-arima-speed.h"

#include "dml-arima-model.h"

#include "ns3/uinteger.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(ArimaSpeed);

ArimaSpeed::ArimaSpeed() = default;

ArimaSpeed::~ArimaSpeed() = default;

TypeId
ArimaSpeed::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::ArimaSpeed")
                            .SetParent<TrainedSpeed>()
                            .SetGroupName("Dml")
                            .AddConstructor<ArimaSpeed>()
                            .AddAttribute("P",
                                          "Terms of the autoregression.",
                                          UintegerValue(2),
                                          MakeUintegerAccessor(&ArimaSpeed::m_p),
                                          MakeUintegerChecker<uint32_t>(0, 10))
                            .AddAttribute("D",
                                          "How often speeds are replaced by their differences.",
                                          UintegerValue(2),
                                          MakeUintegerAccessor(&ArimaSpeed::m_d),
                                          MakeUintegerChecker<uint32_t>(0, 2))
                            .AddAttribute("Q",
                                          "Terms of the moving average.",
                                          UintegerValue(1),
                                          MakeUintegerAccessor(&ArimaSpeed::m_q),
                                          MakeUintegerChecker<uint32_t>(0, 10));
    return tid;
}

void
ArimaSpeed::Prepare(uint32_t worker)
{
    TrainedSpeed::Prepare(worker);
    m_model = std::make_unique<ArimaModel>(m_p, m_d, m_q);
}

uint32_t
ArimaSpeed::GetFewestSteps() const
{
    return m_model->GetFewestValues();
}

void
ArimaSpeed::Train()
{
    m_model->Fit(GetSpeeds());
}

double
ArimaSpeed::Forecast([[maybe_unused]] double cpu, [[maybe_unused]] double memory) const
{
    return m_model->Predict(GetSpeeds());
}

std::vector<double>
ArimaSpeed::GetSpeeds() const
{
    std::vector<double> speeds;
    for (const SpeedStep& step : GetSteps())
    {
        speeds.push_back(step.speed);
    }
    return speeds;
}

} // namespace ns3::dml
