/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LINK_SELF_TEST_H
#define DML_LINK_SELF_TEST_H

#include "dml-host-network.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/// What a test of one direction of a link found.
struct LinkTestResult
{
    std::string link;    //!< its name, SENDER->RECEIVER
    double wanted{0};    //!< bytes per second of TCP's payload that the scenario's rate gives
    double goodput{0};   //!< bytes per second that were measured
    double roundTrip{0}; //!< seconds: shortest one while nothing else is sent
    /// The sending end drops what takes the link more than a millisecond: TCP alone may not fill
    /// it.
    bool isShallow{false};
};

/// What follows from a test of all links.
struct LinkTestVerdict
{
    std::string error;                 //!< why a run would be worthless; empty: it would not
    std::vector<std::string> warnings; //!< what a run's reader should know
};

/**
 * @brief What a TCP connection can carry on a link: full segments, as in the other engines.
 *
 * rate / 8 * (MTU - 40) / (MTU + 2), with TCP timestamps (MTU - 52) / (MTU + 2).
 * @param rate of a direction of the link
 * @param mtu of the link, bytes of an IP packet
 * @param timestamps whether segments carry them
 * @return bytes per second
 */
double GetWantedGoodput(const DataRate& rate, uint32_t mtu, bool timestamps);

/**
 * @ingroup dml-host
 * @brief Measure every direction of every link with a TCP connection over it alone.
 *
 * As many links at a time as have 1 Gbit/s together. Each is measured for 40 ms, or as long as
 * 400 packets take, 0.5 s at most. What is below 97 % of the wanted rate is measured again, up to
 * twice: something else may have had the processor. The links' counters count the test, too.
 * @param network made of the spec
 * @param spec the scenario's network
 * @return by directed link
 * @throws RunError if a link carries nothing
 */
std::vector<LinkTestResult> TestLinks(const HostNetwork& network, const NetworkSpec& spec);

/// @param results of TestLinks() @return an error below 95 % of the wanted rate, a warning below
/// 98 % and above 102 %; no error of a shallow queue, but a warning
LinkTestVerdict JudgeLinks(const std::vector<LinkTestResult>& results);

} // namespace ns3::dml

#endif /* DML_LINK_SELF_TEST_H */
