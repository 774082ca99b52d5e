/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TF_RECEIVE_MATCHER_H
#define DML_TF_RECEIVE_MATCHER_H

#include "dml-tf-step.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/// What MatchTfReceives() did.
struct TfMatches
{
    uint32_t matched{0};   //!< receives that got their tensor
    uint32_t unique{0};    //!< of these, those that no other tensor could have come with
    uint32_t unmatched{0}; //!< receives that no recorded op reads
    uint32_t missing{0};   //!< tensors from other machines without a receive
};

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
 * @return what was done
 */
TfMatches MatchTfReceives(TfStep& step);

/**
 * @brief Estimate sizes from times: between two ends in a row on a machine, its link carried one
 * tensor.
 * @param step a step
 * @param rate of the link, bit/s
 * @return for each receive, in bytes: the time from its start, or from the end before it if that is
 * later, to its end, at that rate; a multiple of 4, at least 4
 */
std::vector<uint64_t> EstimateTfBytes(const TfStep& step, uint64_t rate);

} // namespace ns3::dml

#endif /* DML_TF_RECEIVE_MATCHER_H */
