/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BUCKET_NEGOTIATOR_H
#define DML_BUCKET_NEGOTIATOR_H

#include "ns3/dml-bucket-coordinator.h"
#include "ns3/dml-model-clock.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-apps
 * @brief A worker's cycles with StepPlan::negotiation: in each it tells which gradients it has, and
 * learns which ones all workers reduce.
 *
 * The next cycle begins when the answer is there, a cycle's time has passed, and with
 * Negotiation::waits all that was agreed on has been reduced. The last one is that in which all
 * gradients of all steps have been agreed on, which all workers see at the same time.
 */
class BucketNegotiator
{
  public:
    /// What the worker does for it.
    struct Callbacks
    {
        /// Tell the BucketService, in a @p cycle, which @p gradients have come.
        std::function<void(uint32_t cycle, const std::vector<uint32_t>& gradients)> tell;
        /// Start @p buckets.
        std::function<void(const std::vector<Bucket>& buckets)> start;
    };

    /**
     * @param plan of the worker, with negotiation; must outlive this
     * @param steps that the worker does
     * @param callbacks what the worker does for it
     */
    BucketNegotiator(const StepPlan& plan, uint32_t steps, Callbacks callbacks);
    ~BucketNegotiator();

    /// @brief The first cycle begins.
    void Begin();

    /// @param collective that the worker has
    void Offer(uint32_t collective)
    {
        m_gradients.push_back(collective);
    }

    /// @param cycle that was answered @param order gradients that all workers reduce
    void Answer(uint32_t cycle, const std::vector<uint32_t>& order);

    /// @brief The worker has reduced a bucket.
    void Reduced();

    /// @brief It takes part no more.
    void Stop();

  private:
    void BeginCycle();
    void EndCycle();

    const StepPlan& m_plan;            //!< has the collectives
    Callbacks m_callbacks;             //!< what the worker does
    uint64_t m_left;                   //!< gradients of all steps to agree on
    std::vector<uint32_t> m_gradients; //!< gradients that have come since the last cycle began
    uint32_t m_cycle{0};               //!< the next cycle, or the one under way
    uint64_t m_open{0};                //!< buckets to reduce
    bool m_answered{false};            //!< whether the answer is there
    Time m_began;                      //!< when the cycle began
    bool m_scheduled{false};           //!< whether the next cycle will begin
    ModelEvent m_next;                 //!< of the next cycle
};

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

#endif /* DML_BUCKET_NEGOTIATOR_H */
