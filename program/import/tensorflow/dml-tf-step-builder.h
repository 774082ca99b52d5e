/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TF_STEP_BUILDER_H
#define DML_TF_STEP_BUILDER_H

#include "dml-tf-step.h"

#include "ns3/dml-import-options.h"
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
        servers;       //!< machines that recorded pushes and updates, by op
    bool local{false}; //!< of one process, which has no server
};

/**
 * @ingroup dml-import
 * @brief Make a step of one worker from what TensorFlow recorded on all machines.
 *
 * Received parameters become pulls, received gradients pushes, and ops of the parameter servers
 * that apply a gradient updates. Ops of the worker's devices become forward, backward (those in a
 * scope "gradients") or other compute (what waits for a backward op), waiting for what their inputs
 * name. All other ops of parameter servers, ops without work and other workers' records are left
 * out.
 * @param step all records, with known tensors and senders
 * @param worker machine to build the step of
 * @param options order, sizes and rate
 * @param number of the step in the import, from 0
 * @return the step, for AlignTfSteps()
 * @throws InputError if a tensor's size is unknown, or nothing was computed
 */
TfBuiltStep BuildTfStep(const TfStep& step,
                        const std::string& worker,
                        const ImportOptions& options,
                        uint32_t number);

/**
 * @ingroup dml-import
 * @brief Bring transfers, and what parameter servers recorded in steps, to the worker's clock.
 *
 * A clock is left as it is (offset 0) if it may be right and receive times do not tell by how much
 * it would be wrong; else AlignClocks() tells its offset. Sets also start and end of each step, and
 * the order of its ops.
 * @param[in,out] steps of BuildTfStep()
 * @param[in,out] transfers of all steps
 * @param worker machine whose clock is right
 * @param align if not, all clocks are left as they are
 * @param[in,out] rules gets the offset of each machine, and how well it is known
 * @param[in,out] warnings gets transfers that contradict each other
 * @throws InputError if times are centuries apart, or a step is longer than TfStep::MAX_LENGTH then
 */
void AlignTfSteps(std::vector<TfBuiltStep>& steps,
                  std::vector<RecordedTransfer>& transfers,
                  const std::string& worker,
                  bool align,
                  std::vector<std::string>& rules,
                  std::vector<std::string>& warnings);

/**
 * @ingroup dml-import
 * @brief Give time in which a step of one process computed nothing to its ops.
 *
 * As nothing is transferred, variables are read at the start of the step. What is before the first
 * op or read is the time of an op of its own, `compute/session`, for which all others wait.
 * @param[in,out] steps of AlignTfSteps(), of which those of one process change
 * @param[in,out] rules gets a sentence if there is such time
 */
void PlaceTfLocalIdle(std::vector<TfBuiltStep>& steps, std::vector<std::string>& rules);

} // namespace ns3::dml

#endif /* DML_TF_STEP_BUILDER_H */
