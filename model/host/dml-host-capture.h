/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HOST_CAPTURE_H
#define DML_HOST_CAPTURE_H

#include "ns3/dml-child-process.h"
#include "ns3/dml-open-file.h"

#include <cstdint>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-host
 * @brief Records all packets of the network namespace in which it is made, those that leave and
 * those that come, from a process of its own until its destructor.
 *
 * The file is a pcap file of IP packets with times in ns: those at which the kernel has given a
 * packet to a device or taken one from it, in seconds from an instant that the caller names, and 0
 * before it. Where the kernel was too fast for the recorder, packets are missing. Linux only.
 */
class HostCapture
{
  public:
    /**
     * @brief Begin. The calling process has one thread.
     * @param path of the file, which is replaced
     * @param start the instant, ns of WallClockSimulator::ReadClock()
     * @throws RunError if the system forbids it, or there can be no such file
     */
    HostCapture(const std::string& path, int64_t start);

    /// Write what has come, and end.
    ~HostCapture();

    HostCapture(const HostCapture&) = delete;
    HostCapture& operator=(const HostCapture&) = delete;

  private:
    ChildProcess m_process; //!< the recorder
    OpenFile m_stop;        //!< pipe whose end tells it to end
};

} // namespace ns3::dml

#endif /* DML_HOST_CAPTURE_H */
