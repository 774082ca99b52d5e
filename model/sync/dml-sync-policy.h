/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SYNC_POLICY_H
#define DML_SYNC_POLICY_H

#include "ns3/object.h"

#include <cstdint>

namespace ns3::dml
{

/// What a parameter server knows of the workers when it asks its SyncPolicy.
struct SyncView
{
    uint32_t workers{1}; //!< of the job, those that are gone included
    /// Workers that are there, and for GetQuorum(), of these, those that may still send a gradient
    /// of the step.
    uint32_t members{1};
    /// Least number of steps that a worker which is there has completed; not for GetQuorum().
    uint32_t slowest{0};
};

/**
 * @ingroup dml-sync
 * @brief When a parameter server updates a tensor, and when it lets a worker begin its next step.
 *
 * A policy decides, and keeps no books: SyncServer counts gradients and steps. It must let the last
 * worker go on whatever the others do, or a run stalls.
 */
class SyncPolicy : public Object
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    /// @return whether a tensor is updated once per step, with the gradients of several workers
    virtual bool Aggregates() const
    {
        return false;
    }

    /**
     * @brief Only if it aggregates.
     * @param view of the workers
     * @return number of gradients of which an update of a step is made; those that come later are
     *         dropped; more than view.members is as good as view.members
     */
    virtual uint32_t GetQuorum(const SyncView& view) const;

    /**
     * @return whether the workers go in rounds: each waits in every step until the others'
     * gradients of the same number are in; then what is measured is counted in whole rounds. By
     * default, if it aggregates
     */
    virtual bool HasRounds() const;

    /**
     * @param step that a worker would begin, which has completed all before it
     * @param view of the workers
     * @return whether it may begin now
     */
    virtual bool MayBegin(uint32_t step, const SyncView& view) const;

    /**
     * @param view of the workers
     * @return least step with which a worker that comes back goes on; it never repeats a step that
     * has ended for it, nor does it one that has been updated jointly
     */
    virtual uint32_t GetJoiningStep(const SyncView& view) const;
};

} // namespace ns3::dml

#endif /* DML_SYNC_POLICY_H */
