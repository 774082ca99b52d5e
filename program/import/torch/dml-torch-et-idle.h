/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_ET_IDLE_H
#define DML_TORCH_ET_IDLE_H

#include "ns3/dml-measured-job.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief Add ops of no length that get idle time around updates: an update runs on another machine
 * than the worker, whose time it is.
 *
 * `compute/before-update` ends when the first update starts, `compute/after-update` at the end of
 * the step. Each is added to all steps if there is such idle time in any of them. It follows the
 * worker's op that is listed last, on the same device.
 * @param steps all steps, whose updates run one after another
 * @return one sentence, or empty if nothing was added
 */
std::string AddTorchEtIdleOps(std::vector<MeasuredStep>& steps);

} // namespace ns3::dml

#endif /* DML_TORCH_ET_IDLE_H */
