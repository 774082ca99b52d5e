/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ALL_REDUCE_PROTOCOL_H
#define DML_ALL_REDUCE_PROTOCOL_H

#include "dml-collective-protocol.h"

#include "ns3/nstime.h"

namespace ns3::dml
{

/**
 * @ingroup dml-protocol
 * @brief All-reduce: workers sum up gradients among themselves, and each updates its own copy of
 * the model.
 *
 * The push of a tensor becomes one collective of all workers; its update runs on the worker's first
 * device, when all gradients have been reduced, as the optimizers of PyTorch and Horovod do. Pulls
 * take no part: parameters are there. Collectives start in the order in which a step generates the
 * gradients, on all workers alike; one that is ready earlier waits for those before it, as in
 * PyTorch's DistributedDataParallel (Li et al., VLDB 2020, section 3.2.3). With Cycle, workers
 * agree in cycles which ones start, as in Horovod: see Negotiation.
 */
class AllReduceProtocol : public CollectiveProtocol
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    StepPlan MakePlan(const Profile& profile, const ProtocolSetting& setting) const override;

    bool StepsOverlap() const override
    {
        return !m_barrier;
    }

    /// @return whether workers agree in cycles which gradients are reduced
    bool Negotiates() const
    {
        return m_cycle > Time(0);
    }

  private:
    bool m_barrier{true};    //!< attribute
    Time m_cycle;            //!< attribute
    uint64_t m_threshold{0}; //!< attribute
    bool m_cached{true};     //!< attribute
    bool m_waits{false};     //!< attribute
};

} // namespace ns3::dml

#endif /* DML_ALL_REDUCE_PROTOCOL_H */
