/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LEARNED_SCHEME_H
#define DML_LEARNED_SCHEME_H

#include "dml-sgd-replay.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

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

#endif /* DML_LEARNED_SCHEME_H */
