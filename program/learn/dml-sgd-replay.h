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

namespace ns3::dml
{

/// How far a model has come.
struct LossPoint
{
    double updates{0};   //!< of the model: versions made of its tensors / tensors
    uint64_t samples{0}; //!< of all gradients that were applied
    double time{0};      //!< seconds from the start of the run
    double loss{0};      //!< mean of all samples of the problem
};

/// Times the first loss: where a run diverges.
inline constexpr double DIVERGED = 1000;

/**
 * @ingroup dml-learn
 * @brief Stochastic gradient descent on a small problem, in the order of a simulated run.
 *
 * The parameters are divided among the tensors of the log in proportion to their bytes. Each
 * gradient is computed on the versions that the log says, of as many samples as its batch has,
 * drawn with replacement: the same ones for a step of a worker in all runs of a replication, so
 * that runs differ in their order only. An update moves a tensor by the learning rate times its
 * gradient, a joint one by the mean of its gradients weighted by their batches (LB-BSP,
 * section 3.4, equation 7).
 *
 * @param log of the run
 * @param problem what is learnt
 * @param rate learning rate, above 0
 * @return the loss at the start, after each of 50 updates of the model, then each time that there
 * are 2 % more, and at the end; a run that diverges ends where its loss is DIVERGED times that of
 * the start, or no number
 * @throws InputError if a gradient was computed on a version that was not there yet
 */
std::vector<LossPoint> ReplaySgd(const GradientLog& log,
                                 const LearningProblem& problem,
                                 double rate);

} // namespace ns3::dml

#endif /* DML_SGD_REPLAY_H */
