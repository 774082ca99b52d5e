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
#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

/// How far a model has come.
struct LossPoint
{
    double updates{0}; //!< of the model: versions made of its tensors / tensors
    uint64_t samples{
        0};         //!< of gradients that were applied: of each the part of its tensors that was
    double time{0}; //!< seconds from the start of the run
    double loss{0}; //!< mean of all samples of the problem
};

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
 * are 2 % more, and at the end; a run that diverges ends where its loss is 1000 times that of
 * the start, or no number
 * @throws InputError if a gradient was computed on a version that was not there yet
 */
std::vector<LossPoint> ReplaySgd(const GradientLog& log,
                                 const LearningProblem& problem,
                                 double rate);

/// What a run has learnt.
struct LearnedRun
{
    uint32_t replication{0};         //!< number
    std::vector<LossPoint> curve;    //!< losses as parts of the first one
    std::optional<LossPoint> target; //!< where the target was reached; nothing: it was not
    bool diverges{false};            //!< the rate is too high for it
};

/**
 * @ingroup dml-learn
 * @brief A way to train, and how well it learns: the runs of one configuration and one engine.
 */
struct LearnedScheme
{
    std::string name;             //!< values of the swept keys, or of its folder
    uint32_t workers{1};          //!< number of workers
    std::string engine;           //!< name
    double rate{0};               //!< learning rate with which it learnt
    double staleness{0};          //!< GradientLog::GetMeanStaleness(), mean of its runs
    std::vector<LearnedRun> runs; //!< by replication
};

/// What is learnt, and how.
struct LearnOptions
{
    double target{0.5};           //!< loss to reach, as part of that of the start; above 0, below 1
    std::optional<double> rate{}; //!< learning rate of all; nothing: each scheme's best
};

/**
 * @brief Learn a problem in the order of the runs of some results.
 *
 * Without a rate each scheme gets that power of two with which its first run reaches the target
 * soonest in simulated time, and is still there at its end; or, with none, comes to the least loss.
 * @param logs of the runs
 * @param names of the schemes, by log
 * @param problem to learn
 * @param options how
 * @return the schemes, in the order of their first log
 * @throws InputError for a log that cannot be
 */
std::vector<LearnedScheme> LearnSchemes(const std::vector<GradientLog>& logs,
                                        const std::vector<std::string>& names,
                                        const LearningProblem& problem,
                                        const LearnOptions& options);

} // namespace ns3::dml

#endif /* DML_SGD_REPLAY_H */
