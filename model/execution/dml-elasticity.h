/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ELASTICITY_H
#define DML_ELASTICITY_H

#include "dml-training-run.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::dml
{

/// Workers that train together.
struct Membership
{
    std::vector<uint32_t> workers;        //!< their indices, in order
    std::shared_ptr<const StepPlan> plan; //!< of their steps, with the channels of all its workers
};

/**
 * @ingroup dml-execution
 * @brief How a job without servers goes on with fewer workers when one crashes, and with all of
 * them when it is back: see ElasticLauncher.
 */
struct Elasticity
{
    double rebuild{1}; //!< seconds, above 0: from a change until all who are left are up again
    std::vector<Membership> memberships; //!< all that there can be; the first has all workers

    /// @param workers indices, in order @return their place in memberships
    /// @throws std::out_of_range if no crash leaves just these
    std::size_t Find(const std::vector<uint32_t>& workers) const;
};

/**
 * @param crashes of a job's workers, in any order
 * @param workers number of workers
 * @return whom crashes and returns leave, one after the other: all first, then each set once
 */
std::vector<std::vector<uint32_t>> ListMemberSets(const std::vector<WorkerCrash>& crashes,
                                                  uint32_t workers);

/// @param membership workers that train together @param worker index @param workers number of
/// workers of the job @return with whom it talks, in order; nobody if it takes no part: those with
/// which it has channels, and the first one
std::vector<Endpoint> ListMemberPeers(const Membership& membership,
                                      uint32_t worker,
                                      uint32_t workers);

/// @param run a run @return the plans that its workers may have, the first one first
std::vector<std::shared_ptr<const StepPlan>> ListPlans(const TrainingRun& run);

} // namespace ns3::dml

#endif /* DML_ELASTICITY_H */
