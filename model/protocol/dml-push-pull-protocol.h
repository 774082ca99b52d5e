/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PUSH_PULL_PROTOCOL_H
#define DML_PUSH_PULL_PROTOCOL_H

#include "dml-protocol.h"

namespace ns3::dml
{

/**
 * @ingroup dml-protocol
 * @brief Push and pull of each tensor on its own, with a barrier for each; steps overlap.
 *
 * Source: as MakePushPullPlan().
 */
class PushPullProtocol : public Protocol
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();
    StepPlan MakePlan(const Profile& profile, const ProtocolSetting& setting) const override;

    bool StepsOverlap() const override
    {
        return true;
    }
};

/**
 * @brief The step protocol of parameter servers with push and pull: synchronous, with a barrier for
 * each tensor, steps overlapping.
 *
 * The same ops as in the plan of TensorFlow's protocol, with other dependencies. A tensor is
 * updated once per step for all workers, when the gradients of all have arrived. Its pull of the
 * next step waits for nothing but that update, so it runs beside the rest of the step. A worker's
 * compute ops of the next step begin when those of the step, and its pulls, are done; each waits
 * for its own tensors only.
 *
 * Source: the protocol that P3 (Jayarajan et al., MLSys 2019), ByteScheduler (Peng et al., SOSP
 * 2019) and Prophet (Zhang et al., ICPP 2021, sections 2.1 and 3.1) assume.
 *
 * @param whole plan of a whole step, as MakeStepPlan() gives it
 * @return the plan, with the same op numbers
 * @throws InputError that names an op that the protocol cannot run: a pushed tensor must be pulled
 *         and have one update behind its push, and its push must depend on its pull and on compute
 */
StepPlan MakePushPullPlan(const StepPlan& whole);

} // namespace ns3::dml

#endif /* DML_PUSH_PULL_PROTOCOL_H */
