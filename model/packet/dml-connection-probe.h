/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CONNECTION_PROBE_H
#define DML_CONNECTION_PROBE_H

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
 * @brief Reports every 100 ms what TCP and HTTP/2 say of the connections on which an application
 * sends tensors: those that its peers have opened.
 */
class ConnectionProbe
{
  public:
    /**
     * @param application a worker or server, installed on its node and not yet started; must
     * outlive its use
     * @param endpoint which one it is
     * @param peers those of the application, by index
     * @param origin simulation time of the first report, from which records count
     * @param recorder told of each connection; must outlive the run
     */
    ConnectionProbe(Ptr<StepApplication> application,
                    const Endpoint& endpoint,
                    std::vector<Endpoint> peers,
                    Time origin,
                    JobRecorder recorder);
    ~ConnectionProbe();
    ConnectionProbe(const ConnectionProbe&) = delete;
    ConnectionProbe& operator=(const ConnectionProbe&) = delete;

  private:
    /// This end of a connection.
    class End;

    void Add(Ptr<Socket> socket, uint32_t peer);
    void Report();

    Ptr<StepApplication> m_application;       //!< endpoint with the connections
    Endpoint m_endpoint;                      //!< sender
    std::vector<Endpoint> m_peers;            //!< receivers
    JobRecorder m_recorder;                   //!< told of each connection
    std::vector<std::unique_ptr<End>> m_ends; //!< in order of appearance
};

} // namespace ns3::dml

#endif /* DML_CONNECTION_PROBE_H */
