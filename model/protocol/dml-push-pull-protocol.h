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
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    StepPlan MakePlan(const Profile& profile, const ProtocolSetting& setting) const override;
    bool StepsOverlap() const override;
};

} // namespace ns3::dml

#endif /* DML_PUSH_PULL_PROTOCOL_H */
