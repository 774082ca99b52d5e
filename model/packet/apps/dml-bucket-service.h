/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BUCKET_SERVICE_H
#define DML_BUCKET_SERVICE_H

#include "ns3/dml-bucket-coordinator.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-apps
 * @brief A BucketCoordinator on the first worker, which all workers call in each cycle: a cycle
 * ends, and all calls are answered, when the last worker has told what it has.
 */
class BucketService
{
  public:
    /// Tells @p worker, in answer to its @p call, what all reduce in cycle @p cycle, in this @p
    /// order.
    using Answer = std::function<
        void(uint32_t worker, int32_t call, uint32_t cycle, const std::vector<uint32_t>& order)>;

    /**
     * @param plan of the workers, with negotiation; must outlive this
     * @param policy makes the policy that orders gradients
     * @param workers number of workers
     * @param now the current time in seconds
     * @param answer called for each worker when a cycle ends
     */
    BucketService(const StepPlan& plan,
                  const ObjectFactory& policy,
                  uint32_t workers,
                  std::function<double()> now,
                  Answer answer);

    /**
     * @param worker that tells
     * @param call its number
     * @param cycle that the worker is in
     * @param gradients that the worker has, and has not told of since they were reduced last
     * @return whether that is possible: it is in the cycle under way, and knows the gradients
     */
    bool Tell(uint32_t worker,
              int32_t call,
              uint32_t cycle,
              const std::vector<uint32_t>& gradients);

    /// @param bucket that the first worker has reduced
    void Reduced(const Bucket& bucket)
    {
        m_coordinator.Reduced(bucket);
    }

  private:
    void EndCycle();

    BucketCoordinator m_coordinator;             //!< orders what all have
    Answer m_answer;                             //!< tells workers
    uint32_t m_cycle{0};                         //!< under way
    uint32_t m_told{0};                          //!< workers that have told in it
    std::vector<std::optional<int32_t>> m_calls; //!< by worker; nothing: it has not told
    std::vector<std::vector<bool>> m_has;        //!< by worker, then by gradient
    std::vector<uint32_t> m_holders;             //!< by gradient: workers that have it
};

} // namespace ns3::dml

#endif /* DML_BUCKET_SERVICE_H */
