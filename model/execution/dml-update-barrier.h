/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_UPDATE_BARRIER_H
#define DML_UPDATE_BARRIER_H

#include "dml-step-plan.h"

#include <vector>

namespace ns3
{
namespace dml
{

class StepExecutor;

/**
 * @ingroup dml-execution
 * @brief Where the workers' executors of one site meet for joint updates: the last one to be ready
 * has the update done, once, and all go on when it is done.
 *
 * It is done on the compute resource, and takes the time in the sample, of the executor that joined
 * first.
 */
class UpdateBarrier
{
  public:
    /// @param ops number of ops of the plan
    explicit UpdateBarrier(std::size_t ops);

    /// @param executor that meets the others here; it must stay as long as the barrier is used
    void Join(StepExecutor& executor);

    /// @param op a joint op that is ready for one more executor
    void Arrive(OpIndex op);

    /// @param op a joint op that has been done
    void Done(OpIndex op);

  private:
    std::vector<StepExecutor*> m_executors; //!< in the order of Join()
    std::vector<uint32_t> m_arrived;        //!< executors for which an op is ready, by op
};

} // namespace dml
} // namespace ns3

#endif /* DML_UPDATE_BARRIER_H */
