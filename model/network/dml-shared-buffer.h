/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SHARED_BUFFER_H
#define DML_SHARED_BUFFER_H

#include "dml-cluster-network.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-network
 * @brief The memory of a switch, and the ports that share it with dynamic thresholds.
 *
 * A port takes what comes as long as it then holds at most alpha times the bytes that are free. So
 * a port that is full alone leaves 1 / (1 + alpha) of the memory to others, and several that are
 * full together make room for each other as they send. Source: Choudhury and Hahne, "Dynamic queue
 * length thresholds for shared-memory packet switches", IEEE/ACM Transactions on Networking 6(2),
 * 1998, section III.
 */
struct SharedBuffer
{
    uint32_t node{0};                  //!< the switch
    uint64_t bytes{0};                 //!< of the memory, above 0
    std::vector<DirectedLink> ports{}; //!< that share it, by the links that they send on
};

/// @param network any @return the memories that ports of its switches share, by switch; a port with
/// a queue of another kind has a memory of its own
/// @throws NetworkError if ports of a switch say different sizes
std::vector<SharedBuffer> FindSharedBuffers(const ClusterNetwork& network);

/**
 * @brief What a port may hold while other ports are as they are.
 * @param bytes of the memory, above 0
 * @param alpha of the port, above 0
 * @param others bytes that the other ports hold, from 0
 * @return bytes, from 0: \f$ q \f$ with \f$ q = \alpha (B - \mathrm{others} - q) \f$
 */
double GetDynamicLimit(double bytes, double alpha, double others);

/**
 * @brief What a port holds when it and some others are full and stay so.
 * @param bytes of the memory, above 0
 * @param alpha of the port, above 0
 * @param sum of the alphas of all ports that are full, this one among them
 * @return bytes, above 0: \f$ \alpha B / (1 + \sum \alpha) \f$
 */
double GetSteadyLimit(double bytes, double alpha, double sum);

/// @param queue of a port of a switch, not SHARED or alone in its memory
/// @return bytes that it holds at most; 0: it has no limit
double GetLargestContent(const QueueSpec& queue);

} // namespace ns3::dml

#endif /* DML_SHARED_BUFFER_H */
