/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TENSOR_PARTITION_H
#define DML_TENSOR_PARTITION_H

#include "dml-profile.h"

#include <vector>

namespace ns3::dml
{

/// A profile some of whose tensors were cut into slices.
struct PartitionedProfile
{
    Profile profile;                 //!< with a tensor for each slice, and its ops
    std::vector<TensorIndex> origin; //!< by tensor of @c profile: which tensor it is a part of
};

/**
 * @param profile a valid profile
 * @param bytes size of a slice at most, at least 1
 * @return number of tensors that PartitionTensors() makes of it
 */
uint64_t CountSlices(const Profile& profile, uint64_t bytes);

/**
 * @brief Cut every tensor larger than a size into as few slices as that takes, of equal size (to
 * the byte), as P3 and ByteScheduler do before they order transfers.
 *
 * Slices of "a" are tensors "a/0", "a/1", ... in a's place of the listing, each with a pull, push
 * and update of its own where a has one ("pull/a/0"). An update's seconds are shared in proportion
 * to the bytes. What waited for an op of "a" waits for that op of all slices; between the ops of
 * one tensor, slice waits for slice (the update of a slice needs no other slice's gradient).
 * @param profile a valid profile
 * @param bytes size of a slice at most, at least 1
 * @return the valid profile and where its tensors come from
 * @throws ProfileError if the name of a slice is taken
 */
PartitionedProfile PartitionTensors(const Profile& profile, uint64_t bytes);

} // namespace ns3::dml

#endif /* DML_TENSOR_PARTITION_H */
