/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LINUX_RTT_ESTIMATOR_H
#define DML_LINUX_RTT_ESTIMATOR_H

#include "ns3/dml-ns3-compat.h"
#include "ns3/nstime.h"
#include "ns3/rtt-estimator.h"

namespace ns3::dml
{

/**
 * @ingroup dml-packet
 * @brief Round-trip times whose retransmission timeout is as Linux has it.
 *
 * A timeout is the smoothed round trip and four times the variation. Linux keeps the latter from
 * being less than the least timeout (tcp_rtt_estimator(), tcp_set_rto()), RFC 6298 and ns-3 the
 * sum. So with a round trip of 320 ms through a full queue a timeout is at least 520 ms, not 320:
 * else each ACK that is a little late looks like a loss.
 */
class LinuxRttEstimator : public Ns3Parent<LinuxRttEstimator, RttMeanDeviation>
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    void Measurement(Time measure) override;
    Ptr<RttEstimator> Copy() const override;
    void Reset() override;

  private:
    Time m_leastVariation; //!< attribute
    Time m_variation;      //!< without that bound
};

} // namespace ns3::dml

#endif /* DML_LINUX_RTT_ESTIMATOR_H */
