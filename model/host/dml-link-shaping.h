/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LINK_SHAPING_H
#define DML_LINK_SHAPING_H

#include "ns3/dml-cluster-network.h"
#include "ns3/dml-gso-size.h"
#include "ns3/dml-network-spec.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// One end of a link as tc has to shape it: what it sends.
struct ShapedPort
{
    std::string device; //!< such as "eth0"
    DataRate rate;      //!< as tc counts, of GetShapedRate()
    uint32_t mtu{1500}; //!< bytes of an IP packet
    uint32_t gso{0};    //!< largest piece that a socket hands down, of ChooseGsoSize()
    QueueSpec queue;    //!< what waits there
    Time delay;         //!< to be added by netem; 0: none
    /// Addresses of the hosts whose packets it carries: from, to. Each pair is a flow of FAIR.
    std::vector<std::pair<std::string, std::string>> pairs;
};

/// Bytes of a frame besides the IP packet of the point-to-point links of ns-3, as both other
/// engines count them; tc counts ETHERNET_HEADER.
inline constexpr uint32_t LINK_HEADER = 2;

/// @param rate of a direction of a link of the scenario @param mtu of the link, bytes of an IP
/// packet
/// @return the rate, as tc counts, with which full packets take as long as in the other engines
DataRate GetShapedRate(const DataRate& rate, uint32_t mtu);

/// @param bytes of frames as tc counts them @param packets so many @return as the other engines
/// count
inline uint64_t
GetLinkBytes(uint64_t bytes, uint64_t packets)
{
    return bytes - (ETHERNET_HEADER - LINK_HEADER) * packets;
}

/**
 * @ingroup dml-host
 * @brief The kernel hands TCP's data down in pieces of many segments. They leave back to back.
 *
 * 15000 bytes where that is no more than a quarter of the smallest FIFO, else that quarter; 65536
 * above 1.5 Gbit/s, where smaller ones take too much of a processor; or what the scenario says
 * (`network.tcp.gso`); in any case two segments.
 * @param tcp what the scenario says of it
 * @param rate of the link
 * @param mtu bytes of an IP packet
 * @param fifo bytes of the network's smallest FIFO; 0: none is limited
 * @return bytes, for the device's gso_max_size
 */
uint32_t ChooseGsoSize(const TcpSpec& tcp, const DataRate& rate, uint32_t mtu, uint64_t fifo);

/**
 * @brief How much a port that was idle may send at once.
 *
 * The kernel's timers come late on a busy machine, and what a port has not sent by then it may send
 * at once: 32 KiB or two pieces of a socket's data, but no more than the link sends in a
 * millisecond and no less than it sends in a quarter of one; at least two packets.
 * @param port the port
 * @return bytes, for tbf and htb
 */
uint64_t ChooseBurst(const ShapedPort& port);

/// @param port the port @return kinds of queueing disciplines that it takes, such as "tbf"
std::vector<std::string> GetQdiscKinds(const ShapedPort& port);

/**
 * @brief The commands that shape a port.
 *
 * - DROP_TAIL: tbf with a limit in bytes.
 * - FAIR: htb with a class and a bfifo of the queue's bytes for each pair of hosts, which take
 *   turns of equal bytes. Pure ACKs and what is not of a pair share one more class, since they
 *   belong to flows of the other direction. (The packet engine has a queue for each connection.)
 * - FQ_CODEL, RED, ECN: tbf around fq_codel or red. RED's thresholds are those of ns-3's RED,
 *   derived from a delay of 5 ms; ECN marks whenever more than the threshold waits.
 * - A queue of 0 bytes takes 1 GB.
 * - A delay is netem's, before all that.
 * @param port the port
 * @return lines for tc -batch
 */
std::string MakeShaping(const ShapedPort& port);

} // namespace ns3::dml

#endif /* DML_LINK_SHAPING_H */
