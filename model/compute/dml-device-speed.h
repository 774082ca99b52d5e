/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_DEVICE_SPEED_H
#define DML_DEVICE_SPEED_H

#include <limits>

namespace ns3
{
namespace dml
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

    /// @param time seconds from the start of the run, from 0 @return the phase with start <= time < end
    virtual SpeedPhase At(double time) const = 0;
};

/**
 * @brief When work is done.
 * @param speed of the device
 * @param start seconds from the start of the run
 * @param work seconds at speed 1
 * @return seconds from the start of the run; infinity if the device stands still for ever
 */
double FindWorkEnd(const DeviceSpeed& speed, double start, double work);

} // namespace dml
} // namespace ns3

#endif /* DML_DEVICE_SPEED_H */
