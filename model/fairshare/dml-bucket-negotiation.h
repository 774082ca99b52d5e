/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BUCKET_NEGOTIATION_H
#define DML_BUCKET_NEGOTIATION_H

#include "ns3/dml-bucket-coordinator.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-fairshare
 * @brief The cycles in which the workers of a job agree on gradients, without an event for each.
 *
 * A cycle ends when the first worker has heard from all what they have; then it answers, and a
 * worker begins the next cycle when it has the answer, and a cycle's time after it began this one.
 * Cycles therefore end a period after each other, the longest time there and back or, if that is
 * longer, a cycle's time; each worker begins its own at an instant that is known, and only cycles
 * with something to agree on need an event. Times are in seconds from the start of the run.
 */
class BucketNegotiation
{
  public:
    /// What is known of a worker.
    struct Worker
    {
        double start{0};  //!< begin of the worker's first cycle, s
        double call{0};   //!< delay of messages to the first worker, s; 0 for the first worker
        double answer{0}; //!< delay of messages from the first worker, s; 0 for the first worker
    };

    /**
     * @param plan of the workers, with negotiation; must outlive this
     * @param policy makes the policy that orders what all have
     * @param workers by index
     * @param now the current time
     */
    BucketNegotiation(const StepPlan& plan,
                      const ObjectFactory& policy,
                      const std::vector<Worker>& workers,
                      std::function<double()> now);

    /// @param worker that has a gradient now @param collective its place in the plan
    void Offer(uint32_t worker, uint32_t collective);

    /// @return when the next cycle ends in which something is agreed, not in the past; nothing: it
    /// is not known that there is one
    std::optional<double> GetNext() const;

    /// @brief It is the time that GetNext() has given. @return what all workers start
    std::vector<Bucket> Agree();

    /// @param worker that has reduced a bucket now @param bucket it
    void Reduced(uint32_t worker, const Bucket& bucket);

    /// @param worker index @return seconds from the end of a cycle until it knows what was agreed
    double GetAnswerDelay(uint32_t worker) const
    {
        return m_workers[worker].answer;
    }

    /// @return begins of cycles that were looked up so far: its work, for tests
    uint64_t GetLookups() const
    {
        return m_lookups;
    }

  private:
    static constexpr uint64_t NEVER = UINT64_MAX; //!< cycle of no gradient

    /// A gradient.
    struct Gradient
    {
        std::vector<double> offers; //!< when each worker had it; below 0: it has not
        uint32_t missing{0};        //!< workers that have not
        uint64_t cycle{0};          //!< FindCycle() once none is missing
    };

    /// @return how many whole periods it takes from 0 to be at that time or behind it, from 0
    static uint64_t CountPeriods(double period, double time);
    void FindEnd();
    double GetBegin(uint32_t worker, uint64_t cycle) const;
    /// @return the first cycle that the worker begins at that time or behind it
    uint64_t FindCycle(uint32_t worker, double time) const;
    /// @return the first cycle that all workers begin at the time of their offers or behind it
    uint64_t FindCycle(const Gradient& gradient);
    void FindEarliest();
    void BeginAgain();

    const StepPlan& m_plan;            //!< of the workers
    BucketCoordinator m_coordinator;   //!< orders and fuses
    std::function<double()> m_now;     //!< s
    double m_cycleTime;                //!< least time between the begins of two cycles, s
    double m_period;                   //!< time between the ends of two cycles, s
    double m_end{0};                   //!< end of cycle 0, s
    std::vector<Worker> m_workers;     //!< workers by index; `start` is the begin of cycle 0
    std::vector<Gradient> m_gradients; //!< by place in the plan
    std::vector<uint32_t> m_complete;  //!< those that all workers have, not agreed on
    uint64_t m_earliest{NEVER};        //!< least Gradient::cycle of these
    double m_free{-1};                 //!< when the policy may give out more, s; below 0: never
    uint64_t m_first{1}; //!< cycle that may have gradients: workers begin cycle 0 with their steps
    uint64_t m_cycle{0}; //!< the last cycle with an agreement
    uint64_t m_lookups{0};      //!< of cycles
    uint64_t m_open{0};         //!< buckets that workers have to reduce before the next one
    std::vector<double> m_done; //!< by worker: when it had reduced its last one, s
};

} // namespace ns3::dml

#endif /* DML_BUCKET_NEGOTIATION_H */
