/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LAYER_PROFILE_H
#define DML_LAYER_PROFILE_H

#include "dml-layer-times.h"

#include "ns3/dml-import-options.h"
#include "ns3/dml-profile.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/// A training step made of the layers of one worker.
struct LayerProfile
{
    Profile profile;           //!< tensors, op graph and samples, without model, batch size, source
    uint32_t agreeingSteps{0}; //!< steps whose backward ran in exactly the order of the profile
};

/**
 * @ingroup dml-import
 * @brief Make the op graph of a training step from layers measured on one worker.
 *
 * Ops, in listing order: `pull/TENSOR` for every parameter; `forward/LAYER`, after the forward of
 * its inputs and the pulls of its parameters; `backward/LAYER`, after the backward of all layers
 * that read its output (of the last layer: after its own forward), and `accumulate/TENSOR`, after
 * the part of the backward that precedes it, both in the order in which they ran; `push/TENSOR`
 * after the accumulation; `update/TENSOR` after the push. A backward that accumulations
 * cut becomes `backward/LAYER#1`, `backward/LAYER#2` and so on. The second layer of a name is
 * called `NAME(2)`.
 *
 * With ComputeOrder::MEASURED a worker alone on an infinitely fast network computes exactly as
 * measured: forward takes the sum of the layers, and every gradient is complete when it was. With
 * ComputeOrder::DATAFLOW this holds for models without branches; where several branches are ready
 * the device takes them in turn, while PyTorch finishes one before it starts the next.
 * @param layers layers in forward order, all lists of the same length >= 1
 * @param order what decides the order of compute ops
 * @param device name of the device that ran all of it
 * @return the profile
 * @throws InputError if a layer's backward ended after that of a layer it depends on and the order
 * is MEASURED
 */
LayerProfile MakeLayerProfile(const std::vector<LayerTimes>& layers,
                              ComputeOrder order,
                              const std::string& device);

} // namespace ns3::dml

#endif /* DML_LAYER_PROFILE_H */
