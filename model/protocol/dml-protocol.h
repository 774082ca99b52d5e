/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PROTOCOL_H
#define DML_PROTOCOL_H

#include "dml-step-plan.h"

#include "ns3/object.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/// What a protocol plans for, besides the profile.
struct ProtocolSetting
{
    Placement placement;             //!< server of each tensor; empty where there is no server
    uint32_t servers{1};             //!< number of parameter servers
    ParseOverhead overhead;          //!< of each received tensor
    bool joint{false};               //!< a tensor is updated once per step for all workers
    std::vector<uint32_t> racks{0};  //!< of each worker: hosts of a rack have the same number
    std::vector<uint32_t> members{}; //!< workers that take part, in order; empty: all
    std::vector<uint32_t> order{};   //!< rank of each tensor; empty: the protocol's own order
    AggregationTree tree{};          //!< switches that can add up what workers send
};

/**
 * @ingroup dml-protocol
 * @brief How tensors are synchronised: turns a profile into the plan of a worker's step.
 *
 * The plan says what the worker computes, and on which channels it and its servers send. It names
 * other workers by how far they are from the one whose step it is, so that one plan does for all
 * workers. RestrictStepPlan() gives each role's part of it. Plans are made of ops, resources and
 * PlanEdges; see RingShift in test/cross/dml-ring-shift-cases.cc for a small one.
 */
class Protocol : public Object
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    /**
     * @param profile a valid profile
     * @param setting what else the plan depends on
     * @return the plan of a whole step
     * @throws InputError that names an op that the protocol cannot run
     */
    virtual StepPlan MakePlan(const Profile& profile, const ProtocolSetting& setting) const = 0;

    /// @return whether a worker's step may begin before the previous one has ended; by default not
    virtual bool StepsOverlap() const
    {
        return false;
    }

    /// @return whether parameter servers take part; by default they do. Without them the workers
    /// must keep in step by what they send each other.
    virtual bool HasServers() const
    {
        return true;
    }
};

} // namespace ns3::dml

#endif /* DML_PROTOCOL_H */
