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
 * A cycle ends when the worker that comes to it last has told what it has; then the others know,
 * after the delays to and from the first worker, and begin the next one when a cycle's time has
 * passed since they began this one. So after the first cycle, which ends when the last worker has
 * started, each worker begins one every period at a phase of its own, and only cycles with
 * something to agree on need an event. Times are in seconds from the start of the run.
 */
class BucketNegotiation
{
  public:
    /// What is known of a worker.
    struct Worker
    {
        double start{0}; //!< when it begins its first cycle, s
        double delay{0}; //!< one way between it and the first worker, s; 0 for that itself
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
        return m_answer[worker];
    }

  private:
    /// A gradient.
    struct Gradient
    {
        std::vector<double> offers; //!< when each worker had it; below 0: it has not
        uint32_t missing{0};        //!< workers that have not
    };

    uint64_t CountCycles(double phase, double time) const;
    uint64_t FindCycle(const Gradient& gradient) const;
    void BeginAgain();

    const StepPlan& m_plan;            //!< of the workers
    BucketCoordinator m_coordinator;   //!< orders and fuses
    std::function<double()> m_now;     //!< s
    double m_period;                   //!< from cycle to cycle, s
    double m_end;                      //!< of cycle 0, s
    std::vector<double> m_answer;      //!< by worker, s
    std::vector<double> m_phase;       //!< by worker: when it begins cycle 0, s
    std::vector<Gradient> m_gradients; //!< by place in the plan
    std::vector<uint32_t> m_complete;  //!< those that all workers have, not agreed on
    double m_free{-1};                 //!< when the policy may give out more, s; below 0: never
    uint64_t m_first{1}; //!< cycle that may have gradients: workers begin cycle 0 with their steps
    uint64_t m_cycle{0}; //!< the last cycle with an agreement
    uint64_t m_open{0};  //!< buckets that workers have to reduce before the next one
    std::vector<double> m_done; //!< by worker: when it had reduced its last one, s
};

} // namespace ns3::dml

#endif /* DML_BUCKET_NEGOTIATION_H */
