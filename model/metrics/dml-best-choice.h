/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BEST_CHOICE_H
#define DML_BEST_CHOICE_H

#include "dml-confidence.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-metrics
 * @brief Which of several alternatives is the best, and which others may be.
 */
struct BestChoice
{
    std::optional<std::size_t> best;      //!< nothing if no alternative has a value
    std::optional<std::size_t> next;      //!< second best; nothing without another alternative
    std::vector<RelativeDifference> lead; //!< of the best over each alternative, for itself empty
    std::vector<bool> mayBeBest;          //!< of each: not distinguishable from the best

    /// @return whether the best one is distinguished from each other alternative, of which there
    /// are some
    bool IsCertain() const;
};

/**
 * @brief Choose the alternative with the greatest geometric mean, and compare it with all others.
 *
 * Choice and comparisons use one measure, the geometric mean over the replications in which all
 * alternatives that have any value have one, so that no alternative is ahead of the best. If there
 * is no such replication, each mean is that of its own values, and nothing is certain.
 *
 * The best of several is partly so by chance: the difference to the others is too large on average,
 * and more so the more there are. Therefore each of @p comparisons intervals has the level
 * 1 - (1 - @p level) / @p comparisons (Bonferroni's inequality for Student's t: O. J. Dunn,
 * "Multiple comparisons among means", J. Am. Stat. Assoc. 56, 1961). Of k equal alternatives, the
 * best one is then called certain with a probability of at most 1 - @p level, and the truly best
 * one may be the best with one of at least @p level, as in the comparisons with the best of
 * J. C. Hsu ("Simultaneous confidence intervals for all distances from the best", Ann. Stat. 9,
 * 1981).
 *
 * @param values of each alternative by replication, as long for all; values of a replication belong
 * together, as they have the same seed
 * @param comparisons how many are made in all, among them those of other choices; at least the
 * number of alternatives less 1 is taken
 * @param level confidence level in (0, 1)
 * @return the choice
 */
BestChoice ChooseBest(const std::vector<std::vector<std::optional<double>>>& values,
                      std::size_t comparisons = 1,
                      double level = 0.95);

} // namespace ns3::dml

#endif /* DML_BEST_CHOICE_H */
