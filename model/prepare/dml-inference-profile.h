/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_INFERENCE_PROFILE_H
#define DML_INFERENCE_PROFILE_H

#include "ns3/dml-profile.h"

namespace ns3::dml
{

/// Name of the tensor of one byte by which a worker tells the first server that a step is done.
inline constexpr const char* INFERENCE_REPORT = "end of the step";

/// Whether workers tell a server when they are done with a step.
enum class InferenceReport
{
    NONE, //!< nobody waits for others
    SENT, //!< a synchronisation needs to know
};

/**
 * @ingroup dml-prepare
 * @brief What inference has of a training step: pulls, forward propagation, and work that waits for
 * neither back-propagation nor gradients (Hashemi et al., MLSys 2019, section 6).
 *
 * @param training profile of a training step
 * @param report whether a push of INFERENCE_REPORT follows when all is done
 * @return profile of an inference step
 * @throws ProfileError if nothing of the step is left, or a tensor has that name already
 */
Profile MakeInferenceProfile(const Profile& training, InferenceReport report);

} // namespace ns3::dml

#endif /* DML_INFERENCE_PROFILE_H */
