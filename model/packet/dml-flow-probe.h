/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FLOW_PROBE_H
#define DML_FLOW_PROBE_H

#include "dml-interval-counter.h"

#include "ns3/dml-run-observer.h"
#include "ns3/dml-step-application.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-packet
 * @brief Reports what an application's TCP sockets receive from each peer, over short intervals.
 *
 * Hooks the sockets' Rx trace. Intervals without a segment are not reported.
 */
class FlowProbe
{
  public:
    /**
     * @param application a worker or server, before it starts
     * @param endpoint which one it is
     * @param peers those of the application, by index
     * @param interval length of an interval
     * @param origin simulation time from which records count
     * @param recorder told of each interval; must outlive the run
     * @param effects where to count; null: at once
     */
    FlowProbe(Ptr<StepApplication> application,
              const Endpoint& endpoint,
              std::vector<Endpoint> peers,
              Time interval,
              Time origin,
              JobRecorder recorder,
              DeferredEffects* effects = nullptr);
    FlowProbe(const FlowProbe&) = delete;
    FlowProbe& operator=(const FlowProbe&) = delete;

    /// @brief Count bytes that were not simulated. @param peer index @param from time of the model
    /// @param to later time @param bytes between them
    void Credit(uint32_t peer, Time from, Time to, uint64_t bytes);

    /// @brief Report the last interval of each peer.
    void Flush();

  private:
    void Add(Ptr<Socket> socket, uint32_t peer);

    Endpoint m_endpoint;                                   //!< receiver
    std::vector<Endpoint> m_peers;                         //!< senders
    Time m_interval;                                       //!< length
    Time m_origin;                                         //!< from which records count
    JobRecorder m_recorder;                                //!< told of each interval
    DeferredEffects* m_effects;                            //!< may be null
    std::vector<std::unique_ptr<IntervalCounter>> m_flows; //!< by peer
};

} // namespace ns3::dml

#endif /* DML_FLOW_PROBE_H */
