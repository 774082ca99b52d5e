/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CLOCK_OBJECTIVE_H
#define DML_CLOCK_OBJECTIVE_H

#include "dml-clock-bounds.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/// One receive time of a family.
struct FamilyMember
{
    uint32_t sender{0};   //!< number of the machine
    uint32_t receiver{0}; //!< number of the machine
    double start{0};      //!< recorded start, seconds on the receiver's clock
    double end{0};        //!< recorded end, seconds on the receiver's clock
    double ready{0}; //!< complete at the sender, seconds on the sender's clock; may be -infinity
};

/**
 * @ingroup dml-import
 * @brief What AlignClocks() minimises.
 */
class ClockObjective
{
  public:
    /// @param families members of each, at least two
    explicit ClockObjective(std::vector<std::vector<FamilyMember>> families);

    /// @param offsets of the machines in seconds, by number; @return sum of variances, s^2
    double operator()(const std::vector<double>& offsets) const;

    /**
     * @brief Tell how much more likely some offsets are than others by what touches one machine.
     *
     * Of each family of n members the deviance, (n - 1) ln(variance before / variance after): the
     * log-likelihood ratio, twice, of normal receive times whose variance is unknown. So a family
     * whose receive times vary for another reason takes nothing from one that tells the offset.
     * @param machine its number
     * @param before offsets in seconds, by number
     * @param after as above
     * @return sum of deviances, positive if @p after is more likely
     */
    double GetDeviance(uint32_t machine,
                       const std::vector<double>& before,
                       const std::vector<double>& after) const;

  private:
    /// @return variance of the receive times of @p family, s^2
    static double GetVariance(const std::vector<FamilyMember>& family,
                              const std::vector<double>& offsets);

    std::vector<std::vector<FamilyMember>> m_families; //!< receive times
};

/**
 * @brief Search for the offsets that make an objective least and let all messages arrive after they
 * were sent.
 *
 * The objective is neither smooth nor convex, so first each offset in turn is tried on a grid over
 * its interval until nothing gets better, then NLopt's COBYLA refines all of them.
 * @param objective to be made least
 * @param messages the constraints
 * @param bounds of the offsets; an offset that is bounded on one side only is searched for as far
 * from there as the longest transfer may have waited
 * @param start offsets to start from, by number of the machine, the first one fixed
 * @return the best offsets found; @p start if there are none better
 */
std::vector<double> MinimiseClocks(const ClockObjective& objective,
                                   const std::vector<ClockMessage>& messages,
                                   const ClockBounds& bounds,
                                   const std::vector<double>& start);

} // namespace ns3::dml

#endif /* DML_CLOCK_OBJECTIVE_H */
