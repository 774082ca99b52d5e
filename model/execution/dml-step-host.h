/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STEP_HOST_H
#define DML_STEP_HOST_H

#include "ns3/dml-device-queue.h"
#include "ns3/dml-step-plan.h"
#include "ns3/dml-transfer-policy.h"

#include <cstdint>

namespace ns3::dml
{

class StepExecutor;

/**
 * @ingroup dml-execution
 * @brief What an engine does for its executors: it supplies time and moves bytes.
 */
class StepHost
{
  public:
    virtual ~StepHost() = default;

    /// @return the current time in seconds
    virtual double GetNow() const = 0;

    /// @return the instant in which the current time lies
    virtual int64_t GetInstant() const = 0;

    /**
     * @brief A compute task starts: call StepExecutor::TaskEnded of its owner when it is over.
     * @param queue the device on which it runs
     * @param task the task
     */
    virtual void StartTask(DeviceQueue& queue, const ComputeTask& task) = 0;

    /**
     * @brief A collective starts: do the worker's part of it, and call
     * StepExecutor::CollectiveEnded(), not from within.
     * @param executor whose collective it is
     * @param collective its place in the plan
     * @return whether that is done here; by default not, and the executor does it move by move
     */
    virtual bool RunCollective([[maybe_unused]] StepExecutor& executor,
                               [[maybe_unused]] uint32_t collective)
    {
        return false;
    }

    /**
     * @brief With StepPlan::negotiation: the worker has a gradient. When all have it, call
     * StepExecutor::StartBuckets(), of all workers' executors in the same order.
     * @param executor whose it is
     * @param collective its place in the plan
     */
    virtual void OfferCollective([[maybe_unused]] StepExecutor& executor,
                                 [[maybe_unused]] uint32_t collective)
    {
    }

    /// @brief Likewise: the worker has reduced a bucket. @param executor whose it is @param bucket
    /// that was started
    virtual void BucketReduced([[maybe_unused]] StepExecutor& executor,
                               [[maybe_unused]] const Bucket& bucket)
    {
    }

    /**
     * @brief A transfer whose both ends are the same op could be sent now.
     * @param executor who sends
     * @param op the transfer
     * @return whether its sender knows that it is wanted; if not, call
     * StepExecutor::SendRequested() when it does
     */
    virtual bool IsRequested([[maybe_unused]] StepExecutor& executor, [[maybe_unused]] OpIndex op)
    {
        return true;
    }

    /// @param bytes of a tensor @return bytes of the message that carries it, which flow control
    /// counts; by default the same
    virtual uint64_t GetMessageSize(uint64_t bytes) const
    {
        return bytes;
    }

    /**
     * @brief A turn starts on a connection: call StepExecutor::TurnEnded when it has been served.
     * @param executor who sends
     * @param resource index of the channel in the executor's plan
     * @param turn the transfer and the number of bytes
     */
    virtual void StartTurn(StepExecutor& executor, uint32_t resource, const Turn& turn) = 0;

    /**
     * @brief Call StepExecutor::TryNextTurn after a while.
     * @param executor who sends
     * @param resource index of the channel in the executor's plan
     * @param delay in seconds
     */
    virtual void WakeUp(StepExecutor& executor, uint32_t resource, double delay) = 0;

    /**
     * @brief A transfer from another executor is wanted: call StepExecutor::TransferArrived when
     * all of it is there. Never called where all transfers' both ends are the same op.
     * @param executor who receives
     * @param op the transfer
     */
    virtual void RequestTransfer(StepExecutor& executor, OpIndex op) = 0;

    /**
     * @brief All local ops of a step are done, and the worker's loop has been told. The next
     * BeginStep() may come from within.
     * @param executor whose step it was
     * @param step number of the step
     */
    virtual void StepCompleted([[maybe_unused]] StepExecutor& executor,
                               [[maybe_unused]] uint32_t step)
    {
    }
};

} // namespace ns3::dml

#endif /* DML_STEP_HOST_H */
