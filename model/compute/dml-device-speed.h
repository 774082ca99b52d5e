/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_DEVICE_SPEED_H
#define DML_DEVICE_SPEED_H

#include <cstdint>
#include <limits>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-compute
 * @brief A stretch of time in which a device keeps its speed.
 */
struct SpeedPhase
{
    double end{std::numeric_limits<double>::infinity()}; //!< seconds: when it is over
    double speed{1};  //!< work done per second, 1 as measured in the profile; 0: it stands still
    double cpu{1};    //!< share of the processor that the device has, 0 to 1
    double memory{1}; //!< share of the memory that it has, 0 to 1
};

/**
 * @ingroup dml-compute
 * @brief How fast a device is at any time.
 *
 * A function of time alone, so that it is the same in both engines.
 */
class DeviceSpeed
{
  public:
    virtual ~DeviceSpeed() = default;

    /// @param time seconds from the start of the run, from 0 @return the phase with start <= time <
    /// end
    virtual SpeedPhase At(double time) const = 0;

    /// @param time likewise @return the key of the scenario that makes the device slowest then, for
    /// messages; empty: none
    virtual std::string GetKey([[maybe_unused]] double time) const
    {
        return m_key;
    }

    /// @param key of the scenario that this comes from
    void SetKey(const std::string& key)
    {
        m_key = key;
    }

  private:
    std::string m_key; //!< may be empty
};

/// Phases that one piece of work may go through: more are taken to have no end.
constexpr uint32_t MOST_PHASES = 1000000;

/**
 * @brief How long work takes.
 * @param speed of the device
 * @param start seconds from the start of the run
 * @param work seconds at speed 1
 * @return seconds; infinity if it never ends, or not within MOST_PHASES phases
 */
double FindWorkSeconds(const DeviceSpeed& speed, double start, double work);

} // namespace ns3::dml

#endif /* DML_DEVICE_SPEED_H */
