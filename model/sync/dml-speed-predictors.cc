/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-speed-predictors.h"

#include "dml-arima-speed.h"
#include "dml-ema-speed.h"
#include "dml-last-speed.h"
#include "dml-lstm-speed.h"
#include "dml-narx-speed.h"
#include "dml-rnn-speed.h"
#include "dml-speed-predictor.h"

#include "ns3/double.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(SpeedPredictor);
NS_OBJECT_ENSURE_REGISTERED(EmaSpeed);

TypeId
SpeedPredictor::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::SpeedPredictor").SetParent<Object>().SetGroupName("Dml");
    return tid;
}

void
SpeedPredictor::Prepare([[maybe_unused]] uint32_t worker)
{
}

TypeId
EmaSpeed::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::EmaSpeed")
                            .SetParent<SpeedPredictor>()
                            .SetGroupName("Dml")
                            .AddConstructor<EmaSpeed>()
                            .AddAttribute("Alpha",
                                          "Weight of the last speed; 1: nothing else counts.",
                                          DoubleValue(DEFAULT_ALPHA),
                                          MakeDoubleAccessor(&EmaSpeed::m_alpha),
                                          MakeDoubleChecker<double>(0, 1));
    return tid;
}

void
EmaSpeed::Observe(double speed, [[maybe_unused]] double cpu, [[maybe_unused]] double memory)
{
    m_average = m_average > 0 ? m_alpha * speed + (1 - m_alpha) * m_average : speed;
}

double
EmaSpeed::Predict([[maybe_unused]] double cpu, [[maybe_unused]] double memory) const
{
    return m_average;
}

const PluginKind&
SpeedPredictors()
{
    static const PluginKind KIND("predictor of speeds",
                                 &SpeedPredictor::GetTypeId,
                                 {{"last", &LastSpeed::GetTypeId, {}},
                                  {"ema", &EmaSpeed::GetTypeId, {}},
                                  {"arima", &ArimaSpeed::GetTypeId, {}},
                                  {"rnn", &RnnSpeed::GetTypeId, {}},
                                  {"lstm", &LstmSpeed::GetTypeId, {}},
                                  {"narx", &NarxSpeed::GetTypeId, {}}});
    return KIND;
}

} // namespace ns3::dml
