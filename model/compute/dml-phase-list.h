/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PHASE_LIST_H
#define DML_PHASE_LIST_H

#include "dml-device-speed.h"

#include <cstddef>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-compute
 * @brief Phases that follow each other from time 0, found by time.
 */
class PhaseList
{
  public:
    /// @param phase to follow the last one; it ends when that does, or later
    void Append(const SpeedPhase& phase);

    /// @return seconds: when the last phase ends; 0 if there is none
    double GetEnd() const;

    /// @param time seconds, from 0, before GetEnd() @return the phase with start <= time < end
    const SpeedPhase& Find(double time) const;

  private:
    /// @param index of a phase @param time seconds @return whether that is the phase to find
    bool Covers(std::size_t index, double time) const;

    std::vector<SpeedPhase> m_phases; //!< by end
    mutable std::size_t m_place{0};   //!< what was found last: an engine's clock only moves forward
};

} // namespace ns3::dml

#endif /* DML_PHASE_LIST_H */
