/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SPEED_TRACE_H
#define DML_SPEED_TRACE_H

#include "dml-phase-list.h"

#include <optional>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-compute
 * @brief A moment from which a device has another speed.
 */
struct SpeedChange
{
    double start{0};  //!< seconds from the start of the run
    double speed{1};  //!< from then on, see SpeedPhase
    double cpu{1};    //!< likewise
    double memory{1}; //!< likewise
};

/**
 * @ingroup dml-compute
 * @brief A speed that was measured, or chosen: constant from each moment to the next.
 */
class SpeedTrace : public DeviceSpeed
{
  public:
    /**
     * @param changes by increasing start; the first at 0
     * @param period seconds after which it begins again, above the last start; none: the last
     *        change stays. Then, or if it is repeated, some speed must be above 0 for work to end.
     */
    explicit SpeedTrace(const std::vector<SpeedChange>& changes,
                        std::optional<double> period = std::nullopt);

    SpeedPhase At(double time) const override;

  private:
    PhaseList m_phases;             //!< of one period
    std::optional<double> m_period; //!< seconds; none: it is not repeated
};

} // namespace ns3::dml

#endif /* DML_SPEED_TRACE_H */
