/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCHEDULING_EFFICIENCY_H
#define DML_SCHEDULING_EFFICIENCY_H

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

} // namespace ns3::dml

#endif /* DML_SCHEDULING_EFFICIENCY_H */
