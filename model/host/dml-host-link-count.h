/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HOST_LINK_COUNT_H
#define DML_HOST_LINK_COUNT_H

#include <cstdint>
#include <map>
#include <string>

namespace ns3::dml
{

/// What one direction of a link has done since the network was made.
struct HostLinkCount
{
    uint64_t bytes{0};   //!< sent, Ethernet headers included
    uint64_t packets{0}; //!< sent; each segment of a large piece counts
    uint64_t drops{0};   //!< pieces that the queue dropped: packets, or TCP's of several segments
    uint64_t overlimits{0}; //!< how often something had to wait for the link
    uint64_t backlog{0};    //!< bytes that wait
};

/**
 * @ingroup dml-host
 * @brief Read the output of tc -s -j qdisc show.
 * @param json the output
 * @return what the discipline "1:" of each device and, in htb, those below it have counted
 * @throws RunError if it is something else
 */
std::map<std::string, HostLinkCount> ParseLinkCounts(const std::string& json);

} // namespace ns3::dml

#endif /* DML_HOST_LINK_COUNT_H */
