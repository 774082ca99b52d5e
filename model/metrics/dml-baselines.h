/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BASELINES_H
#define DML_BASELINES_H

#include "dml-one-worker-profile.h"

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

/**
 * @ingroup dml-metrics
 * @brief Inputs of Cynthia's formula.
 */
struct CynthiaInputs
{
    double processing{0};    //!< T_P: time to process a batch, s
    double communication{0}; //!< T_C: time to send the model, or its update, over the network, s
    double utilisation{0};   //!< U_1: network utilisation with one worker, 0 to 1
};

/**
 * @brief Inputs of Cynthia's formula from a run with one worker.
 *
 * - T_P is the busy time per step: compute, parsing and updates, as if none of them overlapped.
 * - T_C is the bytes of one direction on the most loaded server, at that server's link rate.
 * - U_1 is the share of the one-worker step in which the network carries data, with uplink and
 *   downlink taken as one network as Cynthia does: min(1, 2 T_C / step).
 *
 * @param means from the one-worker run of the fair-share engine
 * @param goodput rate of one server's link in one direction, payload bytes per second, above 0
 * @return the inputs
 */
CynthiaInputs ComputeCynthiaInputs(const OneWorkerMeans& means, double goodput);

/**
 * @brief Cynthia's throughput: W K / (T_P max(1, W U_1) + 2 T_C).
 *
 * Source: H. Zheng et al., "Cynthia: Cost-Efficient Cloud Resource Provisioning for Predictable
 * Distributed Deep Neural Network Training", ICPP 2019, in the form given by Z. Li et al.,
 * "Throughput Prediction of Asynchronous SGD in TensorFlow", ICPE 2020, section 1 (compared in
 * its section 4.4).
 *
 * @param inputs from ComputeCynthiaInputs()
 * @param batch K: samples per step, at least 1
 * @param workers W: number of workers, at least 1
 * @return samples per second; nothing if a step takes no time
 */
std::optional<double> PredictCynthia(const CynthiaInputs& inputs, uint32_t batch, uint32_t workers);

/**
 * @brief Throughput after Lin et al.: workers as customers of a closed queueing network.
 *
 * A worker cycles through the downlink and the uplink, which all workers share (two
 * processor-sharing stations), and through compute and update, where it shares nothing (a delay).
 * The demands are the mean phases of the one-worker run, see OneWorkerProfile, without the delays
 * of messages, which are shared as little. Solved by exact mean value analysis. Source: S.-H. Lin
 * et al., "A Model-Based Approach to Streamlining Distributed Training for Asynchronous SGD",
 * MASCOTS 2018, as described by Z. Li et al., ICPE 2020, sections 1 and 6.
 *
 * @param means from the one-worker run of the fair-share engine
 * @param batch samples per step, at least 1
 * @param workers number of workers, at least 1
 * @return samples per second; nothing if a step takes no time or no step was measured
 */
std::optional<double> PredictLin(const OneWorkerMeans& means, uint32_t batch, uint32_t workers);

} // namespace ns3::dml

#endif /* DML_BASELINES_H */
