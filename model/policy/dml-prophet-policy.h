/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PROPHET_POLICY_H
#define DML_PROPHET_POLICY_H

#include "dml-gradient-forecast.h"
#include "dml-ranked-queue.h"
#include "dml-rate-monitor.h"
#include "dml-transfer-policy.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <boost/circular_buffer.hpp>

namespace ns3::dml
{

/**
 * @ingroup dml-policy
 * @brief Priority in blocks that are to be sent before the next gradient of higher priority comes.
 *
 * When the connection is free, what is ready (with all that becomes ready in the same instant) goes
 * into a block in the order of the ranks, as long as the time that it is estimated to take ends
 * before the next gradient of a lower rank than its own is expected. A block is sent without
 * interruption; its first byte leaves Overhead after it was formed. If not even the first transfer
 * fits, the connection waits for the expected gradient, or, if that does not come in time, sends
 * the first transfer alone. A transfer for which no gradient of a lower rank is to come goes alone
 * too, without Overhead if it follows another without a gap: that is strict priority, in the
 * forward propagation and on connections without gradients (pulls).
 *
 * Times come from the profile (GradientForecast), sizes divided by an estimated rate (RateMonitor).
 *
 * Source: Zhang et al., "Prophet", ICPP 2021, Algorithm 1. Line 1 takes the distance in time to the
 * nearest gradient of higher priority, generated or not; read literally that gives blocks of one
 * gradient, because those generated together are at no distance. Here it is the distance to the
 * next one that is not generated yet, as the text says.
 */
class ProphetPolicy : public TransferPolicy
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void Add(OpIndex transfer, uint64_t bytes) override;
    Turn Next(const WindowView& windows) override;
    bool TurnEnded() override;
    uint32_t GetSize() const override;
    /// @throws InputError if the attribute Rate is 0
    void Prepare(const std::vector<TransferInfo>& transfers,
                 uint32_t connection,
                 PolicyClock& clock) override;

  private:
    void FormBlock();
    bool MayGoAlone();

    Time m_interval;                          //!< attribute
    DataRate m_firstRate;                     //!< attribute
    Time m_overhead;                          //!< attribute
    PolicyClock* m_clock{nullptr};            //!< simulated time
    RankedQueue m_ready;                      //!< in no block
    GradientForecast m_forecast;              //!< when others will be
    RateMonitor m_rate;                       //!< how long they will take
    boost::circular_buffer<Turn> m_block{16}; //!< not sent in full; the head is served
    double m_blockStart{0};                   //!< when its first byte may leave, seconds
    double m_turnStart{0};                    //!< seconds
    double m_sentUntil{-1};                   //!< end of the last turn, seconds
    bool m_added{false};                      //!< a transfer, since the last Next()
    OpIndex m_awaited{NO_INDEX};              //!< gradient for which the connection waits
};

} // namespace ns3::dml

#endif /* DML_PROPHET_POLICY_H */
