/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SMALL_STEP_H
#define DML_SMALL_STEP_H

#include "dml-profile-builder.h"

namespace ns3::dml
{

/// @return a branched step with two tensors, parse and update times, and two samples
inline ProfileBuilder
SmallStep()
{
    ProfileBuilder builder;
    builder.Pull("a", 300000)
        .Pull("b", 1000)
        .Compute("left", {0.004, 0.002}, {"pull/a"})
        .Compute("right", {0.001}, {"pull/b"})
        .Compute("join", {0.003}, {"left", "right"})
        .Push("b", 1000, {"right"})
        .Push("a", 300000, {"join"})
        .Update("a", 0.0005)
        .Update("b", 0.0001);
    return builder;
}

} // namespace ns3::dml

#endif /* DML_SMALL_STEP_H */
