/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LOAD_METER_H
#define DML_LOAD_METER_H

#include "dml-flow-network.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-fairshare
 * @brief Averages what servers' links carry over intervals; those without a byte are not reported.
 */
class LoadMeter
{
  public:
    /// @param network whose servers' links count @param interval seconds @param observer told of
    /// the loads; may be null
    LoadMeter(const FlowNetwork& network, double interval, RunObserver* observer);

    /// @brief Bytes have passed a link. @param link any @param bytes of tensors @param time
    /// seconds, not before that of the last call for this link
    void Count(LinkId link, double bytes, double time)
    {
        if (!m_meters.empty() && m_meters[link].server != NO_SERVER)
        {
            CountServer(m_meters[link], bytes, time);
        }
    }

    /// @brief Report the last intervals. @param now seconds
    void Flush(double now);

    /// @param seconds by which the origin of times is later, a multiple of the interval
    void MoveOrigin(double seconds)
    {
        m_origin += seconds;
    }

  private:
    /// Of a link.
    struct Meter
    {
        uint32_t server{NO_SERVER}; //!< index in FlowNetwork::serverLinks
        int64_t interval{-1};       //!< number, from the start of the run
        double bytes{0};            //!< in it
    };

    static constexpr uint32_t NO_SERVER = UINT32_MAX; //!< no link of a server

    void CountServer(Meter& meter, double bytes, double time);
    void Report(Meter& meter, double end);

    const FlowNetwork& m_network; //!< links
    double m_interval;            //!< seconds
    RunObserver* m_observer;      //!< may be null
    std::vector<Meter> m_meters;  //!< by link; empty: nobody is told
    double m_origin{0};           //!< of times, seconds from the start of the run
};

} // namespace ns3::dml

#endif /* DML_LOAD_METER_H */
