/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SIMILAR_SCENARIO_H
#define DML_SIMILAR_SCENARIO_H

#include "ns3/dml-prepared-scenario.h"
#include "ns3/dml-scenario.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-certify
 * @brief Make everything of a scenario but its profile slower by one factor: with a profile that is
 * stretched as well, it is a similar scenario with longer times.
 *
 * Rates are divided by the factor; times of parsing and reduction, delays of links, the least
 * retransmission timeout, starts and intervals are multiplied by it. Bytes stay: tensors, windows,
 * ports, packets. So every ratio of a network stays, such as a port over the bandwidth-delay
 * product, or computing over communication, but for rates and times that are rounded to whole bits
 * per second and nanoseconds. What a kernel's TCP has in absolute time stays as it is: delayed
 * acknowledgements, pacing, HyStart, and how long a host takes to acknowledge. Speeds of devices
 * stay, too, as they are those of the profile's device.
 * @param scenario checked, without what CheckStretchable() refuses
 * @param factor at least 1
 * @return the scenario, whose throughput is that of the first one divided by the factor
 */
Scenario StretchScenario(Scenario scenario, double factor);

/// Multiply all durations of a profile. @param[in,out] profile of a job @param factor at least 1
void StretchProfile(Profile& profile, double factor);

/**
 * @ingroup dml-certify
 * @brief Have FIFO ports take and drop whole bursts, as the virtual ones of this machine do,
 * whatever those of the scenario do.
 * @param network of a scenario in small; plain TCP, whose segments leave one by one, stays as it is
 */
void TakeOwnPorts(NetworkSpec& network);

/**
 * @brief Give links the delay that they have as real ones of this machine, where the host engine
 * leaves theirs out as it is short (GetAddedDelay()): some 10 us of the machine's own.
 * @param[in,out] network of a scenario
 * @return whether a delay was longer than that, so that it is another one now
 */
bool TakeOwnDelays(NetworkSpec& network);

/**
 * @param scenario a scenario
 * @throws InputError with the place of a key whose times cannot be stretched, or of several jobs,
 * faults or background traffic
 */
void CheckStretchable(const Scenario& scenario);

/// @param scenario that is stretched @return keys given whose times are not stretched, a remark
/// each: attributes of classes that are chosen by their TypeIds, of which nobody knows the units
std::vector<std::string> ListUnstretched(const Scenario& scenario);

/// Ratios by which two scenarios are similar; nothing for what a scenario does not have.
struct SimilarityRatios
{
    /// The port before the receiver over the bandwidth-delay product, on the way from the first
    /// worker to the first server or, without servers, to the second worker.
    std::optional<double> portOverProduct;
    std::optional<double> windowSegments; //!< segments in a stream's window
    std::optional<double> tensorSegments; //!< segments of a step of one worker, both directions
    double computingOverCommunication{0}; //!< of a worker / of its bytes on the link
};

/// @param prepared a scenario @param workers number of workers @return its ratios
SimilarityRatios ComputeRatios(const PreparedScenario& prepared, uint32_t workers);

} // namespace ns3::dml

#endif /* DML_SIMILAR_SCENARIO_H */
