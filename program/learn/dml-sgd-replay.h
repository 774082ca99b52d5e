/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SGD_REPLAY_H
#define DML_SGD_REPLAY_H

#include "dml-gradient-log.h"
#include "dml-learning-problem.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace dml
{

/// How far a model has come.
struct LossPoint
{
    double updates{0};   //!< of the model: versions made of its tensors / tensors
    uint64_t samples{0}; //!< of all gradients that have been computed
    double time{0};      //!< seconds from the start of the run
    double loss{0};      //!< mean of all samples of the problem
};

/// How a replay learns.
struct SgdOptions
{
    double rate{0.1};     //!< learning rate, above 0
    uint32_t points{200}; //!< points of the curve, at most
    double enough{0};     //!< part of the first loss at which it ends; 0: it goes on
};

/**
 * @ingroup dml-learn
 * @brief Stochastic gradient descent on a small problem, in the order of a simulated run.
 *
 * The parameters are divided among the tensors of the log in proportion to their bytes. Each
 * gradient is computed on the versions that the log says, of as many samples as its batch has,
 * drawn with replacement; worker w draws from ns-3 stream STREAM_BASE + w of the substream of the
 * replication, so that runs that differ in their order only learn from the same samples. An update
 * moves a tensor by the learning rate times its gradient, a joint one by the mean of its gradients
 * weighted by their batches (LB-BSP, section 3.4, equation 7).
 *
 * @param log of the run
 * @param problem what is learnt
 * @param options how
 * @return the loss at the start, on the way and at the end; a run that diverges ends where its loss
 * is 1000 times that of the start, or no number
 * @throws InputError if a gradient was computed on a version that was not there yet
 */
std::vector<LossPoint> ReplaySgd(const GradientLog& log,
                                 const LearningProblem& problem,
                                 const SgdOptions& options);

} // namespace dml
} // namespace ns3

#endif /* DML_SGD_REPLAY_H */
