/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TF_BUILT_STEP_H
#define DML_TF_BUILT_STEP_H

#include "ns3/dml-measured-job.h"
#include "ns3/dml-recorded-transfer.h"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace ns3::dml
{

/// A step in the terms of a profile.
struct TfBuiltStep
{
    MeasuredStep measured;                   //!< ops as recorded; no start and end yet
    std::vector<Tensor> tensors;             //!< in order of their pulls, then pushes
    std::map<std::string, uint32_t> slots;   //!< ops at the same time, by device
    std::vector<RecordedTransfer> transfers; //!< of the worker, as recorded
    std::vector<std::string> rules;          //!< what was inferred
    std::vector<std::string> warnings;       //!< what looks wrong
    int64_t workerStart{std::numeric_limits<int64_t>::max()}; //!< of the worker's first op, ns
    int64_t workerEnd{std::numeric_limits<int64_t>::min()};   //!< of the worker's last op, ns
    std::map<std::string, std::string>
        servers; //!< machines that recorded pushes and updates, by op
};

/**
 * @brief Bring a step's pushes and updates, which parameter servers recorded, to the worker's
 * clock.
 *
 * Sets also start and end of the step, and the order of its ops.
 * @param step a step, changed
 * @param offsets what a machine's clock shows minus what the worker's shows, ns; 0 if not listed
 * @throws InputError if the step is longer than TfStep::MAX_LENGTH then
 */
void AlignTfStep(TfBuiltStep& step, const std::map<std::string, int64_t>& offsets);

} // namespace ns3::dml

#endif /* DML_TF_BUILT_STEP_H */
