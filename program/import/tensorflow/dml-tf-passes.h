/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TF_PASSES_H
#define DML_TF_PASSES_H

#include "dml-tf-step.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief Tell which tensor each unlabelled RecvTensor brought.
 *
 * A timeline does not say. On each machine the tensors that its ops read from elsewhere are known
 * from the ops' inputs, and a tensor arrives before its first reader starts. Tensors are taken from
 * the last one read to the first, each with the latest receive that ends before its first reader
 * starts: the first tensor to be read gets the first receive to end. Among tensors first read by
 * one op, or at the same time, the partitioner's numbers give the order. Where a receive could also
 * have brought another tensor the match is not unique (TfReceive::guessed).
 *
 * Sets also the senders that are not told: the machine that recorded the tensor's node, or the only
 * parameter server (for a receive on one: the only other machine).
 * @param step a step; its receives are changed
 * @param[in,out] warnings gets receives and tensors that are left over
 * @return what was done, a sentence for ImportResult::rules; empty if there was nothing to do
 */
std::string MatchTfReceives(TfStep& step, std::vector<std::string>& warnings);

/**
 * @brief Estimate sizes from times: between two ends in a row on a machine, its link carried one
 * tensor.
 * @param step a step
 * @param rate of the link, bit/s
 * @return for each receive, in bytes: the time from its start, or from the end before it if that is
 * later, to its end, at that rate; a multiple of 4, at least 4
 */
std::vector<uint64_t> EstimateTfBytes(const TfStep& step, uint64_t rate);

/**
 * @ingroup dml-import
 * @brief Make a step of each session.run of a file.
 *
 * Variables and updates are in no loop, so that a node of these which ran n times tells of n runs,
 * as where timelines were appended to one another. A run starts with the first of all nodes that
 * ran n times.
 * @param step what one file recorded
 * @return one step, or several in the order in which they ran
 * @throws InputError if runs overlap
 */
std::vector<TfStep> SplitTfRuns(TfStep step);

/**
 * @ingroup dml-import
 * @brief Take a training step of one process apart into a worker and a parameter server.
 *
 * As replica_device_setter would place them, the server gets the variables to which an op applies a
 * gradient (Apply..., as ApplyAdam), their reads, these ops, and variables that only they use, as
 * momenta. A pull stands for each read that the worker uses, a push for each gradient that is
 * applied; both take no time, and have the size of the recorded tensor, if the trace tells. What
 * else assigns a value, as moving averages and counters, stays with the worker.
 * @param step with kernels applied; is changed, unless it is of several machines, or nothing in it
 *        applies a gradient
 * @param[in,out] warnings gets variables of which rows are read
 * @return what was done, a sentence for ImportResult::rules; empty if there was nothing to do
 */
std::string SplitTfLocalStep(TfStep& step, std::vector<std::string>& warnings);

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

#endif /* DML_TF_PASSES_H */
