/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-last-speed.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(LastSpeed);

TypeId
LastSpeed::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::LastSpeed")
                            .SetParent<SpeedPredictor>()
                            .SetGroupName("Dml")
                            .AddConstructor<LastSpeed>();
    return tid;
}

void
LastSpeed::Observe(double speed, [[maybe_unused]] double cpu, [[maybe_unused]] double memory)
{
    m_speed = speed;
}

double
LastSpeed::Predict([[maybe_unused]] double cpu, [[maybe_unused]] double memory) const
{
    return m_speed;
}

} // namespace ns3::dml
