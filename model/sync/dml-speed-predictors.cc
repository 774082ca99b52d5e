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

namespace ns3::dml
{

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
