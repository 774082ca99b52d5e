/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RESOURCE_CHANGES_H
#define DML_RESOURCE_CHANGES_H

#include "dml-speed-process.h"

namespace ns3::dml
{

/**
 * @ingroup dml-compute
 * @brief Lasting changes of the share of its machine that a device has, as other tenants come and
 * go.
 *
 * A device has all of its machine but for the share of the processor, or of the memory, that it is
 * short of; its speed is that share. Each change draws how long it lasts (exponentially), the
 * share, and of which of the two it is. The shares are what a batch-size controller can see.
 *
 * Source: the deterministic stragglers of LB-BSP (Chen et al., SoCC 2020, sections 2.1 and 3.2.2);
 * that the speed is proportional to the share is ours, where its Fig. 2 has a curve.
 */
class ResourceChanges : public SpeedProcess
{
  public:
    /// First ns-3 RNG stream; worker w uses STREAM_BASE + w.
    static constexpr uint64_t STREAM_BASE = 6000000;

    /**
     * @param mean seconds between two changes, above 0
     * @param speed limits of the share, above 0 and at most 1
     * @param random of this process alone
     */
    ResourceChanges(double mean, const SpeedRange& speed, const RngStream& random);

  private:
    SpeedPhase DrawPhase(double start) const override;

    double m_mean;      //!< seconds
    SpeedRange m_speed; //!< limits
};

} // namespace ns3::dml

#endif /* DML_RESOURCE_CHANGES_H */
