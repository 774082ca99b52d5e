/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRANSIENT_SPIKES_H
#define DML_TRANSIENT_SPIKES_H

#include "dml-speed-process.h"

namespace ns3::dml
{

/**
 * @ingroup dml-compute
 * @brief Short disturbances, such as the garbage collection of another program.
 *
 * Between them the device has its full speed, for exponential times. They leave no trace in the
 * shares of processor and memory, so that nobody can foresee them.
 *
 * Source: the non-deterministic stragglers of LB-BSP (Chen et al., SoCC 2020, section 2.1).
 */
class TransientSpikes : public SpeedProcess
{
  public:
    /// First ns-3 RNG stream; worker w uses STREAM_BASE + w.
    static constexpr uint64_t STREAM_BASE = 7000000;

    /**
     * @param gap seconds from the end of a spike to the next one, in the mean, above 0
     * @param length seconds that a spike lasts, above 0
     * @param speed limits of the speed during a spike
     * @param random of this process alone
     */
    TransientSpikes(double gap, double length, const SpeedRange& speed, const RngStream& random);

  private:
    SpeedPhase DrawPhase(double start) const override;

    double m_gap;                  //!< seconds
    double m_length;               //!< seconds
    SpeedRange m_speed;            //!< limits
    mutable bool m_isSpike{false}; //!< what is drawn next
};

} // namespace ns3::dml

#endif /* DML_TRANSIENT_SPIKES_H */
