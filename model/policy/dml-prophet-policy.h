/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PROPHET_POLICY_H
#define DML_PROPHET_POLICY_H

#include "dml-ranked-queue.h"
#include "dml-transfer-policy.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <limits>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-policy
 * @brief Predicts when gradients will be ready, from those of the step that have come already.
 *
 * A gradient is expected as long after the last one that came as the profile says
 * (TransferInfo::generated). A step is over when all its gradients have come, or when one of them
 * comes again.
 */
class GradientForecast
{
  public:
    /// What is expected next.
    struct Prediction
    {
        OpIndex transfer{NO_INDEX}; //!< a gradient, or NO_INDEX: none is to come
        double time{std::numeric_limits<double>::infinity()}; //!< seconds; may be past
    };

    /// @param transfers of the connection; those without a time of generation are no gradients
    void Prepare(const std::vector<TransferInfo>& transfers);

    /// @param transfer that has become ready; nothing happens if it is no gradient
    /// @param now seconds
    void Generated(OpIndex transfer, double now);

    /// @param rank of a transfer; @return the gradient of a lower rank that is expected first
    Prediction GetNextBefore(uint32_t rank) const;

  private:
    /// A transfer with a time of generation.
    struct Gradient
    {
        TransferInfo info; //!< what the profile says of it
        bool come{true};   //!< whether it is ready in this step, or no step has begun
    };

    std::vector<Gradient> m_gradients; //!< in the order of their ranks
    std::vector<uint32_t> m_places;    //!< by transfer: index in m_gradients, or NO_INDEX
    uint32_t m_toCome{0};              //!< gradients to come in this step
    double m_offset{0};                //!< seconds from the profile's time to the run's
};

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
    /// @return the object TypeId
    static TypeId GetTypeId();

    void Add(OpIndex transfer, uint64_t bytes) override;
    Turn Next(const WindowView& windows) override;
    bool TurnEnded() override;

    uint32_t GetSize() const override
    {
        return m_ready.GetSize() + m_block.size();
    }

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
