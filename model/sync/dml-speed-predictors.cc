/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-speed-predictors.h"

#include "dml-ema-speed.h"
#include "dml-last-speed.h"
#include "dml-narx-speed.h"
#include "dml-speed-predictor.h"

namespace ns3
{
namespace dml
{

const PluginKind&
SpeedPredictors()
{
    static const PluginKind KIND("predictor of speeds",
                                 &SpeedPredictor::GetTypeId,
                                 {{"last", &LastSpeed::GetTypeId, {}},
                                  {"ema", &EmaSpeed::GetTypeId, {}},
                                  {"narx", &NarxSpeed::GetTypeId, {}}});
    return KIND;
}

} // namespace dml
} // namespace ns3
