/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_KERNEL_TCP_COUNTS_H
#define DML_KERNEL_TCP_COUNTS_H

#include <cstdint>
#include <string>

namespace ns3::dml
{

/// What TCP of a network namespace has met since the namespace was made.
struct KernelTcpCounts
{
    uint64_t timeouts{0};   //!< retransmission timers that ran out (TCPTimeouts)
    uint64_t recoveries{0}; //!< fast recoveries (TCPSackRecovery and TCPRenoRecovery)
};

/**
 * @ingroup dml-host
 * @brief Read what /proc/net/netstat says of TCP.
 * @param text the content of that file: for each protocol a line of names and a line of values
 * @return the counts
 * @throws RunError if the text has no counters of TCP
 */
KernelTcpCounts ParseKernelTcpCounts(const std::string& text);

/**
 * @ingroup dml-host
 * @brief Read the counts of the network namespace in which the calling thread is.
 * @return the counts
 * @throws RunError if the kernel does not tell them
 */
KernelTcpCounts ReadKernelTcpCounts();

} // namespace ns3::dml

#endif /* DML_KERNEL_TCP_COUNTS_H */
