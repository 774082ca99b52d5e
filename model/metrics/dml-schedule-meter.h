/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCHEDULE_METER_H
#define DML_SCHEDULE_METER_H

#include "dml-distribution.h"
#include "dml-step-window.h"
#include "dml-step-work.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-metrics
 * @brief How long a step can take at most and at least, by its load alone.
 *
 * Neither bound looks at dependencies, so the lower one may be out of reach. Source: TicTac (S. H.
 * Hashemi et al., MLSys 2019), section 3.2.
 */
struct MakespanBounds
{
    double upper{0}; //!< U: one op at a time, whatever its resource, s (equation 1)
    double lower{0}; //!< L: the most loaded resource never waits, s (equation 2)
};

/**
 * @brief Bounds of a step's makespan.
 * @param busy seconds of work in the step, one entry per resource that serves one op at a time: a
 *        link in one direction, a slot of a device (with its share of the device's work); not
 *        negative
 * @return the bounds; both are 0 without resources
 */
MakespanBounds ComputeMakespanBounds(const std::vector<double>& busy);

/**
 * @brief Scheduling efficiency E = (U - m) / (U - L) (equation 3): 1 is a perfect order, 0 the
 * worst.
 * @param bounds U and L of the step
 * @param makespan m, duration of the step, s
 * @return E, below 0 where the step took longer than U (latency, links shared with other workers);
 *         nothing if U = L: one resource has all the work, and no order is better than another
 */
std::optional<double> ComputeSchedulingEfficiency(const MakespanBounds& bounds, double makespan);

/**
 * @brief Largest speed-up that an order can bring, S = (U - L) / L (equation 4): with 1, the best
 * order at most doubles the throughput of the worst.
 * @param bounds U and L of the step
 * @return S, 0 or more; 0 also for a step without work (L = 0, hence U = 0): nothing can be gained
 */
double ComputeSchedulingSpeedup(const MakespanBounds& bounds);

/**
 * @ingroup dml-metrics
 * @brief How much of the time the workers' devices of one number computed.
 */
struct DeviceUse
{
    double busy{0};      //!< s, of all slots, workers and steps that count
    double available{0}; //!< s that they could have been busy: elapsed time of each worker, by slot
    uint64_t steps{0};   //!< steps that count

    /// @return part of the time in which it computed; NaN without time
    double GetUtilisation() const;
    /// @return mean time per step in which a slot was idle, s, all slots added up; NaN without
    /// steps
    double GetIdle() const;
};

/**
 * @ingroup dml-metrics
 * @brief What steps tell about the order of their transfers: scheduling efficiency, speed-up, use
 * of the devices, and when forward propagation starts.
 *
 * Steps from each worker's first on count. Of each:
 * - efficiency E and speed-up S (TicTac, section 3.2) with the times that the step's ops took: a
 * link shared with other workers takes longer, so it counts for more. Its resources are the
 * worker's links with each server, devices, parsers, and the servers; with n slots, a device counts
 * as 1/n of its busy time. The makespan is StepWork::time. E is below 0 where nothing of the step
 * ran for a while (delay, a server busy for others), and can be above 1 where steps overlap;
 * - start of forward propagation (Prophet, section 5): the first forward op's start since the last
 *   backward op's end of the step before, of the same worker.
 */
class ScheduleMeter : public StepWorkListener
{
  public:
    /**
     * @param slots of each device
     * @param workers number of workers
     * @param first steps that count
     */
    ScheduleMeter(std::vector<uint32_t> slots, uint32_t workers, const FirstSteps& first);

    void StepWorked(const StepRecord& step, const StepWork& work) override;

    /// @return E of each step; undefined where U = L
    const Distribution& GetEfficiency() const
    {
        return m_efficiency;
    }

    /// @return S of each step
    const Distribution& GetSpeedup() const
    {
        return m_speedup;
    }

    /// @return start of forward propagation in each step, s; undefined without such ops, and in a
    /// first step
    const Distribution& GetForwardStart() const
    {
        return m_forwardStart;
    }

    /// @return StepWork::time of each step, s
    const Distribution& GetTime() const
    {
        return m_time;
    }

    /// @return use of each device; a worker's time is that from its first counted step's start to
    /// its last one's end, so that steps may overlap
    std::vector<DeviceUse> GetDeviceUse() const;

  private:
    /// Of one worker.
    struct Worker
    {
        double lastBackward;      //!< of the step before, s; infinite: none
        double start{0};          //!< of the first step that counts, s
        double end{0};            //!< of the last one, s
        uint64_t steps{0};        //!< steps that count
        std::vector<double> busy; //!< by device, s
    };

    std::vector<uint32_t> m_slots; //!< by device
    FirstSteps m_first;            //!< steps that count
    std::vector<Worker> m_workers; //!< by index
    Distribution m_efficiency;     //!< E
    Distribution m_speedup;        //!< S
    Distribution m_forwardStart;   //!< s
    Distribution m_time;           //!< s
};

} // namespace ns3::dml

#endif /* DML_SCHEDULE_METER_H */
