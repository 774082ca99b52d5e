/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RATE_MONITOR_H
#define DML_RATE_MONITOR_H

#include <cstdint>

namespace ns3::dml
{

/**
 * @ingroup dml-policy
 * @brief Estimates a connection's rate as its sender sees it, looking only now and then.
 *
 * At every multiple of the interval the estimate becomes the bytes that were sent since the last
 * look, divided by the time for which the connection was busy with them. What is being sent at that
 * moment counts at the next look. A look that finds nothing leaves the estimate.
 *
 * Source: the network bandwidth monitor of Zhang et al., "Prophet", ICPP 2021, section 4.2.
 *
 * In the packet engine a transfer has been sent when TCP's buffer has its last byte, so the first
 * bytes of a burst, up to the send buffer, seem to take no time: the estimate is too high by the
 * share of the buffer in a burst, and bursts within the buffer are not measured at all.
 */
class RateMonitor
{
  public:
    /**
     * @param rate estimate before the first look, in bytes/s
     * @param interval between two looks, in seconds; 0: look whenever asked
     */
    explicit RateMonitor(double rate = 0, double interval = 0);

    /**
     * @brief Bytes have been sent in a row. Times do not decrease from call to call.
     * @param bytes how many
     * @param start seconds
     * @param end seconds
     */
    void Sent(uint64_t bytes, double start, double end);

    /// @param now seconds; @return the estimate of the last look, in bytes/s
    double GetRate(double now);

  private:
    void Look();

    double m_rate;       //!< estimate, bytes/s
    double m_interval;   //!< seconds
    double m_nextLook;   //!< seconds
    uint64_t m_bytes{0}; //!< sent since the last look
    double m_busy{0};    //!< seconds that they took
};

} // namespace ns3::dml

#endif /* DML_RATE_MONITOR_H */
