/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLACED_PROFILE_H
#define DML_PLACED_PROFILE_H

#include "dml-profile-cache.h"

#include "ns3/dml-placement.h"
#include "ns3/dml-profile.h"
#include "ns3/dml-scenario.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/// The profile of a job as the job trains it.
struct PlacedProfile
{
    Profile profile;             //!< scaled, with its gradients grouped and its tensors cut
    Placement placement;         //!< server of each tensor of @c profile
    std::vector<OpIndex> pulls;  //!< in the order of `transfer.policy`, if it needs one
    std::vector<uint32_t> order; //!< rank of each tensor's collective; empty: as it is generated
};

/**
 * @brief Read a job's profile and change it as the scenario says: scale, gradient groups, slices.
 *
 * Slices are placed like tensors of their own; with an explicit placement they stay on their
 * tensor's server, and with an explicit order they keep its place.
 * @param scenario the scenario
 * @param index of the job, 0 for the one that is studied
 * @param goodput payload rate of a link in bytes/s, for orders that need times
 * @param profiles those that have been read, or null
 * @return the profile, placed and ordered
 * @throws InputError that says where and what
 */
PlacedProfile MakePlacedProfile(const Scenario& scenario,
                                uint32_t index,
                                double goodput,
                                ProfileCache* profiles = nullptr);

} // namespace ns3::dml

#endif /* DML_PLACED_PROFILE_H */
