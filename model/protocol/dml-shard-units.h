/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SHARD_UNITS_H
#define DML_SHARD_UNITS_H

#include "ns3/dml-profile.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-protocol
 * @brief Parameters that a sharded job scatters and gathers as one buffer: a tensor of the profile,
 * in which groups of tensors have been fused.
 *
 * Places are those of FindPlaces(): a topological order of the ops.
 */
struct ShardUnit
{
    TensorIndex tensor{NO_INDEX}; //!< of the profile
    OpIndex pull{NO_INDEX};       //!< its pull; NO_INDEX: it has none
    OpIndex push{NO_INDEX};       //!< its push; NO_INDEX: it is not trained
    std::vector<OpIndex>
        forward; //!< ops that need its parameters before back-propagation, by place
    std::vector<OpIndex> backward; //!< ops of back-propagation that need them, by place
    uint32_t generated{0};         //!< place of the last op that its gradient waits for
};

/// @param profile a valid profile @return its tensors as units, without the ops that use them, in
/// listing order
std::vector<ShardUnit> ListShardUnits(const Profile& profile);

/**
 * @brief Find which ops need the parameters of which unit.
 *
 * Before back-propagation these are the ops that wait for its pull. Back-propagation is cut where
 * the gradient of a unit is complete: what comes between that of the unit before and its own needs
 * it, as the hooks of PyTorch's FullyShardedDataParallel gather a module's parameters before the
 * first op of its back-propagation; and so do ops of back-propagation that wait for its pull.
 * @param profile a valid profile
 * @param units of ListShardUnits(); get their ops
 * @throws InputError that names an op if a tensor is pushed and not pulled, no op of kind backward
 *         generates a gradient, or back-propagation begins before forward propagation has ended
 */
void FindUsesOfUnits(const Profile& profile, std::vector<ShardUnit>& units);

} // namespace ns3::dml

#endif /* DML_SHARD_UNITS_H */
