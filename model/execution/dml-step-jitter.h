/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STEP_JITTER_H
#define DML_STEP_JITTER_H

#include "ns3/rng-stream.h"

#include <cmath>
#include <cstdint>

namespace ns3::dml
{

/**
 * @ingroup dml-execution
 * @brief By how much the steps of a worker begin late, exponentially distributed.
 *
 * Real processes need some ms until the first request of a step is served; without, workers that
 * happen to be in step stay there.
 */
class StepJitter
{
  public:
    static constexpr uint64_t STREAM_BASE = 2500000; //!< ns-3 stream of the first worker

    /**
     * @param mean seconds, above 0
     * @param seed seed of the scenario, at least 1
     * @param replication number of the replication, from 0
     * @param worker number of the stream
     */
    StepJitter(double mean, uint32_t seed, uint32_t replication, uint32_t worker)
        : m_mean(mean),
          m_random(seed, STREAM_BASE + worker, replication)
    {
    }

    /// @return seconds by which the next step is late
    double Next()
    {
        return -m_mean * std::log1p(-m_random.RandU01());
    }

  private:
    double m_mean;      //!< seconds
    RngStream m_random; //!< of this worker
};

} // namespace ns3::dml

#endif /* DML_STEP_JITTER_H */
