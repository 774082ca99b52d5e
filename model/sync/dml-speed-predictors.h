/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SPEED_PREDICTORS_H
#define DML_SPEED_PREDICTORS_H

#include "ns3/dml-plugin-kind.h"

namespace ns3::dml
{

/// @return the predictors that `job.batch_control.cpu.predictor` may choose
const PluginKind& SpeedPredictors();

} // namespace ns3::dml

#endif /* DML_SPEED_PREDICTORS_H */
