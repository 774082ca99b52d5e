/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CLOCK_RUN_H
#define DML_CLOCK_RUN_H

#include "ns3/dml-wall-clock-simulator.h"
#include "ns3/simulator.h"

namespace ns3::dml
{

/// While it lives, the Simulator of this process is the machine's clock, from 0.
class ClockRun
{
  public:
    ClockRun()
    {
        Simulator::Destroy();
        Simulator::SetImplementation(CreateObject<WallClockSimulator>());
    }

    ~ClockRun()
    {
        Simulator::Destroy();
    }

    ClockRun(const ClockRun&) = delete;
    ClockRun& operator=(const ClockRun&) = delete;

    /// @return the simulator
    WallClockSimulator& Get() const
    {
        return WallClockSimulator::Get();
    }
};

} // namespace ns3::dml

#endif /* DML_CLOCK_RUN_H */
