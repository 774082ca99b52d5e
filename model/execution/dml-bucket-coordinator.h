/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BUCKET_COORDINATOR_H
#define DML_BUCKET_COORDINATOR_H

#include "ns3/dml-step-plan.h"
#include "ns3/dml-transfer-policy.h"
#include "ns3/object-factory.h"

#include <functional>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-execution
 * @brief Decides for all workers which collectives start next: with StepPlan::negotiation.
 *
 * There is one for a job. The transfer policy has the gradients that all workers have, in the order
 * of the plan where several come at the same time. What it gives out is reduced, see
 * MakeBuckets().
 */
class BucketCoordinator : private PolicyClock
{
  public:
    /**
     * @param plan of the workers, with negotiation; must outlive this
     * @param policy makes the policy that has the gradients that all workers have
     * @param now the current time in seconds
     */
    BucketCoordinator(const StepPlan& plan,
                      const ObjectFactory& policy,
                      std::function<double()> now);

    /// @param collectives that all workers have, and that were not agreed on in this step
    void Add(std::vector<uint32_t> collectives);

    /// @return the gradients that all workers reduce now, in this order
    std::vector<uint32_t> Agree();

    /// @param bucket that has been reduced, which Agree() takes into account
    void Reduced(const Bucket& bucket);

    /// @return when the policy wants to be asked again by Agree(), seconds; below 0: it does not
    double GetWakeUp() const
    {
        return m_wakeUp;
    }

    /// @return whether the policy keeps back gradients that all workers have
    bool KeepsBack() const
    {
        return m_policy->GetSize() > 0;
    }

  private:
    double GetNow() const override
    {
        return m_now();
    }

    void WakeUp(double delay) override
    {
        m_wakeUp = m_now() + delay;
    }

    const StepPlan& m_plan;        //!< has the collectives
    Ptr<TransferPolicy> m_policy;  //!< has what all have
    std::function<double()> m_now; //!< seconds
    Bucket m_reduced;              //!< gradients that the policy has not been told of
    double m_wakeUp{-1};           //!< seconds; below 0: it need not be asked
};

/// @param plan that has it @param op a transfer, or a collective @return what a policy is told of
/// it
TransferInfo GetTransferInfo(const StepPlan& plan, OpIndex op);

/**
 * @brief What workers do with what they have agreed on: successive gradients are reduced as one
 * buffer while they fit into the threshold, as Horovod does it with gradients of one type
 * (horovod/common/controller.cc, Controller::FuseResponses()).
 * @param plan with negotiation
 * @param order gradients, as places in StepPlan::collectives
 * @return the buckets, in that order
 */
std::vector<Bucket> MakeBuckets(const StepPlan& plan, const std::vector<uint32_t>& order);

} // namespace ns3::dml

#endif /* DML_BUCKET_COORDINATOR_H */
