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
    void Offer(uint32_t collective);

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

} // namespace ns3::dml

#endif /* DML_BUCKET_NEGOTIATOR_H */
