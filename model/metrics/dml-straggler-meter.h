/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STRAGGLER_METER_H
#define DML_STRAGGLER_METER_H

#include "dml-distribution.h"
#include "dml-step-window.h"
#include "dml-step-work.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-metrics
 * @brief How long the slowest worker makes others wait: straggler time.
 *
 * TicTac (section 6.3) takes the longest wait of a worker in an iteration as a part of the
 * iteration's time. The k-th steps of all workers are an iteration here, without a barrier counted
 * from each worker's first one that counts.
 * - With a barrier, the wait of a worker is the time from its last own work (its last op computed
 * and its last gradient at the server) to that of the last worker, before which no barrier opens.
 * - Without one nobody waits; what a barrier after each step would cost is the spread of the steps:
 *   (longest - shortest) / longest.
 *
 * The time of a step is StepWork::time. Only iterations in which all workers took part count: one
 * that skips a number (backup workers), or is gone for good, has none. Memory: the iterations that
 * some workers have ended, and others may still end.
 */
class StragglerMeter : public StepWorkListener
{
  public:
    /**
     * @param workers number of workers
     * @param first steps that count
     * @param barrier whether workers wait for each other in each step
     */
    StragglerMeter(uint32_t workers, const FirstSteps& first, bool barrier);

    void StepWorked(const StepRecord& step, const StepWork& work) override;

    /// @return longest wait / longest step of each iteration that all workers have ended, 0 to 1
    const Distribution& GetTime() const
    {
        return m_time;
    }

    /**
     * @brief Who the straggler was: whose own work was over last, or, without a barrier, whose step
     * took longest.
     * @return iterations in which each worker alone was, by worker
     */
    const std::vector<uint64_t>& GetLast() const
    {
        return m_last;
    }

    /// @return iterations in which all workers took part
    uint64_t GetIterations() const
    {
        return m_iterations;
    }

  private:
    /// The k-th steps so far.
    struct Iteration
    {
        uint32_t workers{0};   //!< workers that have ended theirs
        double longest{0};     //!< step, s
        double first{0};       //!< least of what is compared, s
        double last{0};        //!< largest of it, s
        uint32_t straggler{0}; //!< worker that it is of; the number of workers: of several
    };

    uint32_t m_workers;                   //!< number of workers
    FirstSteps m_first;                   //!< steps that count
    bool m_barrier;                       //!< compare ends of work, not durations
    std::map<uint32_t, Iteration> m_open; //!< by number
    Distribution m_time;                  //!< of the complete ones
    std::vector<uint64_t> m_last;         //!< by worker: in how many of these it was the straggler
    uint64_t m_iterations{0};             //!< complete ones
    std::vector<uint32_t> m_next;         //!< by worker: least number that it may still end
};

} // namespace ns3::dml

#endif /* DML_STRAGGLER_METER_H */
