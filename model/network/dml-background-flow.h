/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BACKGROUND_FLOW_H
#define DML_BACKGROUND_FLOW_H

#include "dml-network-spec.h"

#include "ns3/rng-stream.h"

#include <cstdint>
#include <limits>

namespace ns3::dml
{

/**
 * @ingroup dml-network
 * @brief Traffic that is not training. Its route is that of a flow of the FlowNetwork.
 */
struct BackgroundFlow
{
    /// How it sends.
    enum class Kind
    {
        CONSTANT, //!< at a constant rate from start to stop
        BULK,     //!< as fast as it may, until its bytes are sent or it stops
        ON_OFF,   //!< in turn on, at a rate or as fast as it may, and off
    };

    static constexpr double NEVER = std::numeric_limits<double>::infinity(); //!< does not stop
    static constexpr uint32_t MAX_SEED = 4294944442;                         //!< of ns-3's streams
    static constexpr double LEAST_PERIOD = 1e-6; //!< seconds: least mean of on and of off times

    Kind kind{Kind::BULK};   //!< how it sends
    double start{0};         //!< seconds, from 0
    double stop{NEVER};      //!< seconds, after start
    double rate{0};          //!< bytes per second; 0: as fast as it may (not for CONSTANT)
    double bytes{0};         //!< of BULK, in all; 0: without end
    double on{0};            //!< of ON_OFF: seconds, or their mean
    double off{0};           //!< of ON_OFF: seconds, or their mean
    bool exponential{false}; //!< of ON_OFF: whether times are drawn, from exponential distributions
    uint32_t seed{1};        //!< of the draws, 1 to MAX_SEED
    uint32_t index{0};       //!< of the flow, which has draws of its own
    uint32_t replication{0}; //!< likewise

    /**
     * @brief See whether it makes sense.
     * @param number its number, for the message
     * @throws InputError that says what does not
     */
    void Check(uint32_t number) const;
};

/**
 * @ingroup dml-network
 * @brief How long a background flow is on, off, on, ... The same for every engine and platform.
 */
class OnOffTimes
{
  public:
    static constexpr uint64_t STREAM_BASE = 20000000; //!< ns-3 stream of the first flow

    /// @param flow of kind ON_OFF
    explicit OnOffTimes(const BackgroundFlow& flow);

    /// @return seconds of the next period; the first call is for an on period, the second for off
    double Next();

  private:
    double m_means[2];    //!< seconds on and off
    bool m_exponential;   //!< whether times are drawn
    RngStream m_random;   //!< for the draws
    uint32_t m_period{0}; //!< periods so far
};

/**
 * @brief A background flow as both engines run it, with the same on and off times.
 * @param spec the flow of the scenario
 * @param index of the flow in network.background
 * @param seed of the scenario
 * @param replication number of the replication
 * @return the flow; its rate is that of its datagrams' payload
 */
BackgroundFlow MakeBackgroundFlow(const BackgroundSpec& spec,
                                  uint32_t index,
                                  uint32_t seed,
                                  uint32_t replication);

} // namespace ns3::dml

#endif /* DML_BACKGROUND_FLOW_H */
