/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SPEED_PROCESS_H
#define DML_SPEED_PROCESS_H

#include "dml-phase-list.h"

#include "ns3/rng-stream.h"

namespace ns3::dml
{

/**
 * @ingroup dml-compute
 * @brief Speeds between two limits, all equally likely.
 */
struct SpeedRange
{
    double min{1}; //!< lowest, from 0
    double max{1}; //!< highest, from min
};

/**
 * @ingroup dml-compute
 * @brief A speed that changes at random.
 *
 * Phases are drawn in order of time, when one of them is first asked for, and kept: what At() says
 * does not depend on the order of questions. Memory: 32 bytes per phase up to the latest question.
 */
class SpeedProcess : public DeviceSpeed
{
  public:
    SpeedPhase At(double time) const final;

  protected:
    /// @param random of this process alone
    explicit SpeedProcess(const RngStream& random);

    /// @param mean seconds, above 0 @return seconds, from an exponential distribution
    double DrawDuration(double mean) const;
    /// @param range limits @return a speed from there
    double DrawSpeed(const SpeedRange& range) const;
    /// @return true or false, equally likely
    bool DrawSide() const;

  private:
    /// @param start seconds: end of the phase before @return the phase that begins then
    virtual SpeedPhase DrawPhase(double start) const = 0;

    mutable RngStream m_random; //!< mutable as it only decides what has always been so
    mutable PhaseList m_phases; //!< all that were drawn
};

} // namespace ns3::dml

#endif /* DML_SPEED_PROCESS_H */
