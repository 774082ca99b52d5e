/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_OP_FUSION_H
#define DML_OP_FUSION_H

#include "dml-profile.h"

#include <vector>

namespace ns3::dml
{

/// Ops that a device runs as one.
struct OpFusion
{
    std::vector<OpIndex> ops; //!< at least two, on the same device and of the same kind
    double saving{0};         //!< s, that the fused op is shorter than all of them
};

/**
 * @ingroup dml-workload
 * @brief A profile in which some ops are fused.
 *
 * The fused op is where the last one of its ops was, and waits for all that these waited for; what
 * waited for one of them waits for it. So a gradient of an early one is ready later.
 *
 * @param profile a valid one
 * @param fusions of ops, each op in one of them at most
 * @return a valid one
 * @throws ProfileError if ops would wait for each other in a circle
 */
Profile FuseOps(const Profile& profile, const std::vector<OpFusion>& fusions);

} // namespace ns3::dml

#endif /* DML_OP_FUSION_H */
