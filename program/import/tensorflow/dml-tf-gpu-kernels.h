/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TF_GPU_KERNELS_H
#define DML_TF_GPU_KERNELS_H

#include "dml-tf-step.h"

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief Replace the times at which GPU ops were launched by those at which their kernels ran.
 *
 * TensorFlow's GPU tracer records kernels on pseudo-devices ("/device:GPU:0/stream:all", each
 * kernel again on "stream:<n>", copies again on "memcpy"), under the name of the node that launched
 * them. An op on a GPU gets the start of its first kernel and the time during which at least one of
 * its kernels ran. An op on a GPU without kernels keeps its length, and starts at its launch or, if
 * that is later, when all that it reads has ended. TfOp::launch stays as it is. Pseudo-devices are
 * removed from the step, so that no time counts twice: "stream:all" is read where it exists, else
 * all "stream:<n>".
 *
 * @param step a step; is changed
 * @return what was done, a sentence for ImportResult::rules; empty if there was nothing to do
 */
std::string ApplyTfGpuKernels(TfStep& step);

} // namespace ns3::dml

#endif /* DML_TF_GPU_KERNELS_H */
