/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-speed-predictor.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(SpeedPredictor);

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

} // namespace ns3::dml
