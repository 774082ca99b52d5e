/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BDP_ESTIMATOR_H
#define DML_BDP_ESTIMATOR_H

#include <cstdint>

namespace ns3::dml
{

/**
 * @ingroup dml-http2
 * @brief Estimates a connection's bandwidth-delay product as a receiver, by PINGs.
 *
 * A PING leaves some time after data arrived, at most one at a time. Its acknowledgement queues
 * behind what the peer is sending. If more than 2/3 of the estimate arrived meanwhile and the
 * bandwidth has not fallen, the estimate grows to that many bytes, at least to its double. WIN
 * follows twice the estimate through a proportional-integral controller, so that it mostly doubles
 * from PING to PING.
 *
 * Source: gRPC core 1.51, bdp_estimator.cc, pid_controller.cc and chttp2's flow_control.cc.
 * Differences: gRPC asks for a bandwidth above the highest so far, which on a link of constant rate
 * only noise decides; here BANDWIDTH_TOLERANCE less counts as the same. gRPC draws its slower pace
 * from 100 to 200 ms at random; here it is the mean. gRPC's first PING goes with the first data of
 * the connection, which are those of a small call; here they are a tensor's, and the PING leaves as
 * much later as the others. Memory pressure is not modelled.
 */
class BdpEstimator
{
  public:
    static constexpr uint32_t MIN_WINDOW = 4 << 20;  //!< WIN of a new connection, bytes
    static constexpr uint32_t MAX_WINDOW = 32 << 20; //!< WIN at most, bytes
    /// A bandwidth that is lower by this fraction has not fallen.
    static constexpr double BANDWIDTH_TOLERANCE = 0.05;

    /**
     * @param bytes DATA bytes that arrived
     * @param now seconds
     * @return true if a PING is to be sent now
     */
    bool DataArrived(uint64_t bytes, double now);

    /**
     * @brief The acknowledgement of the PING arrived.
     * @param now seconds
     * @return true if the estimate grew
     */
    bool PingAcknowledged(double now);

    /// @return estimate in bytes
    uint64_t GetEstimate() const
    {
        return m_estimate;
    }

    /// @return WIN: what the controller says, rounded up to a power of two, MIN_WINDOW to
    /// MAX_WINDOW
    uint32_t GetWindow() const;

  private:
    void AdjustWindow(double now);

    uint64_t m_estimate{65536}; //!< bytes
    uint64_t m_accumulated{0};  //!< bytes since the PING
    double m_bandwidth{0};      //!< highest so far, bytes/s
    double m_delay{0.1};        //!< from an acknowledgement to the next PING, seconds
    double m_due{-1};           //!< when the next PING may leave, seconds; -1: no data came yet
    double m_pingSent{0};       //!< seconds
    uint32_t m_stable{0};       //!< PINGs without growth since the pace changed
    bool m_pinging{false};      //!< a PING is on its way
    double m_log{22};           //!< log2 of WIN before rounding
    double m_error{0};          //!< of m_log when it was adjusted last
    double m_integral{0};       //!< of the error over time
    double m_slope{0};          //!< of m_log, per second
    double m_adjusted{-1};      //!< when m_log was adjusted last, seconds; -1: long ago
};

} // namespace ns3::dml

#endif /* DML_BDP_ESTIMATOR_H */
