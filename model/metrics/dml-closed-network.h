/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CLOSED_NETWORK_H
#define DML_CLOSED_NETWORK_H

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-metrics
 * @brief A closed, single-class, product-form queueing network.
 *
 * Customers cycle through stations of one processor-sharing (or FIFO, exponential) server each
 * and through a delay where nobody waits.
 */
struct ClosedNetwork
{
    std::vector<double> demands; //!< seconds of service per cycle at each queueing station, >= 0
    double delay{0};             //!< seconds per cycle spent without queueing, >= 0
};

/// @brief Solution of a ClosedNetwork for one number of customers.
struct ClosedNetworkSolution
{
    double throughput{0};               //!< cycles per second of all customers together
    std::vector<double> residenceTimes; //!< seconds per cycle at each station, waiting included
    std::vector<double> queueLengths;   //!< mean customers at each station
};

/**
 * @brief Solve a closed network by exact mean value analysis.
 *
 * For n = 1 .. customers: R_k(n) = D_k (1 + Q_k(n - 1)), X(n) = n / (Z + sum R_k(n)),
 * Q_k(n) = X(n) R_k(n), from Q_k(0) = 0. Source: M. Reiser and S. S. Lavenberg, "Mean-value
 * analysis of closed multichain queuing networks", J. ACM 27(2), 1980.
 *
 * @param network stations and delay
 * @param customers number of customers, at least 1
 * @return the solution; nothing if a cycle takes no time or a value is negative or not finite
 */
std::optional<ClosedNetworkSolution> SolveClosedNetwork(const ClosedNetwork& network,
                                                        uint32_t customers);

} // namespace ns3::dml

#endif /* DML_CLOSED_NETWORK_H */
