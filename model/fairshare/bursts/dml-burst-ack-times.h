/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BURST_ACK_TIMES_H
#define DML_BURST_ACK_TIMES_H

#include "ns3/rng-stream.h"

#include <boost/random/exponential_distribution.hpp>
#include <boost/random/mersenne_twister.hpp>
#include <cstdint>

namespace ns3::dml
{

/**
 * @ingroup dml-fairshare
 * @brief The times after which hosts acknowledge bursts: exponential, and independent of each other
 * (`network.tcp.ack_jitter`).
 *
 * Every ACK needs one, so they are drawn by the ziggurat method (Marsaglia and Tsang, Journal of
 * Statistical Software 5(8), 2000) from a Mersenne Twister that an ns-3 stream seeds. That takes a
 * fraction of the time of the stream's own numbers and a logarithm.
 */
class BurstAckTimes
{
  public:
    /// @param mean seconds; 0: all times are 0 @param seeds stream from which the generator is
    /// seeded; two numbers of it are drawn
    BurstAckTimes(double mean, RngStream& seeds)
        : m_mean(mean)
    {
        const uint64_t high = DrawWord(seeds);
        m_engine.seed(high << 32 | DrawWord(seeds));
    }

    /// @return the next time, seconds
    double Draw()
    {
        return m_mean * m_exponential(m_engine);
    }

  private:
    /// @return 32 bits, which is what a number of an ns-3 stream has
    static uint64_t DrawWord(RngStream& seeds)
    {
        return static_cast<uint64_t>(seeds.RandU01() * 0x1p32);
    }

    double m_mean;                                           //!< seconds
    boost::random::exponential_distribution<> m_exponential; //!< its mean is 1
    boost::random::mt19937_64 m_engine;                      //!< random bits
};

} // namespace ns3::dml

#endif /* DML_BURST_ACK_TIMES_H */
