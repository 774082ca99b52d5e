/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-link-shaping.h"

#include "ns3/dml-gso-size.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

namespace ns3::dml
{

namespace
{

constexpr uint64_t BOUNDLESS = 1000000000; //!< bytes; no set of TCP connections fills it
constexpr uint32_t FIRST_PAIR = 0x10;      //!< number of the first pair's class
constexpr const char* OTHERS = "1:2";      //!< class of pure ACKs, and of what has no pair

/// @param queue of a port @return bytes that it holds
uint64_t
GetLimit(const QueueSpec& queue)
{
    return queue.bytes == 0 ? BOUNDLESS : queue.bytes;
}

/// @param port with a red queue @return its parameters
std::string
DescribeRed(const ShapedPort& port)
{
    constexpr uint64_t AVERAGE = 1000; // bytes of a packet
    std::ostringstream text;
    text << "red limit " << GetLimit(port.queue) << "b ";
    if (port.queue.kind == QueueSpec::Kind::ECN)
    {
        // the shortest average that tc accepts: of the last two packets
        const uint64_t threshold = std::max<uint64_t>(port.queue.threshold, AVERAGE);
        text << "min " << threshold << "b max " << threshold + 1 << "b avpkt " << AVERAGE
             << " burst " << (threshold + AVERAGE - 1) / AVERAGE << " probability 1";
    }
    else
    {
        const uint64_t half = port.rate.GetBitRate() / 8 * 5 / 1000 / 2; // of 5 ms
        const uint64_t least =
            std::max<uint64_t>(std::min(half, GetLimit(port.queue) / 3), 5 * AVERAGE);
        text << "min " << least << "b max " << 3 * least << "b avpkt " << AVERAGE << " burst "
             << 5 * least / (3 * AVERAGE) + 1 << " probability 0.02";
    }
    text << " bandwidth " << port.rate.GetBitRate() << "bit" << (port.queue.Marks() ? " ecn" : "");
    return text.str();
}

/// @param port with an fq_codel queue @return its parameters
std::string
DescribeFqCodel(const ShapedPort& port)
{
    std::ostringstream text;
    text << "fq_codel limit " << std::max<uint64_t>(GetLimit(port.queue) / port.mtu, 1)
         << " memory_limit " << 2 * GetLimit(port.queue) << (port.queue.ecn ? " ecn" : " noecn");
    return text.str();
}

/// Lines of a port whose packets all wait in one discipline. @param parent "root" or its parent
void
WriteTokenBucket(const ShapedPort& port, const std::string& parent, std::ostream& lines)
{
    lines << "qdisc add dev " << port.device << " " << parent << " handle 1: tbf rate "
          << port.rate.GetBitRate() << "bit burst " << ChooseBurst(port) << "b limit "
          << GetLimit(port.queue) << "b\n";
    if (port.queue.kind != QueueSpec::Kind::DROP_TAIL)
    {
        lines << "qdisc add dev " << port.device << " parent 1:1 handle 10: "
              << (port.queue.kind == QueueSpec::Kind::FQ_CODEL ? DescribeFqCodel(port)
                                                               : DescribeRed(port))
              << "\n";
    }
}

/// Lines of a port with a queue for each pair of hosts. @param parent "root" or its parent
void
WriteFairQueues(const ShapedPort& port, const std::string& parent, std::ostream& lines)
{
    const uint64_t burst = ChooseBurst(port);
    // a turn is at least a piece, or pieces would take turns whatever their size
    const uint64_t quantum = std::max<uint64_t>(port.gso + port.gso / 8, 2 * port.mtu);
    std::ostringstream limits;
    limits << "bit ceil " << port.rate.GetBitRate() << "bit cburst " << burst << "b quantum "
           << quantum;
    const auto addClass = [&](const std::string& minor) {
        // nothing is guaranteed, all is borrowed in turns
        lines << "class add dev " << port.device << " parent 1:1 classid 1:" << minor
              << " htb rate 8000" << limits.str() << " burst 2000b\n"
              << "qdisc add dev " << port.device << " parent 1:" << minor << " handle " << minor
              << ": bfifo limit " << GetLimit(port.queue) << "b\n";
    };
    lines << "qdisc add dev " << port.device << " " << parent << " handle 1: htb default 2\n"
          << "class add dev " << port.device << " parent 1: classid 1:1 htb rate "
          << port.rate.GetBitRate() << limits.str() << " burst " << burst << "b\n";
    addClass("2");
    // a packet that is all headers: its length is that of 20 bytes of IP and a TCP header
    for (uint32_t words = 5; words <= 15; ++words)
    {
        lines << "filter add dev " << port.device
              << " parent 1: protocol ip prio 1 u32 match u8 0x45 0xff at 0 match ip protocol 6 "
                 "0xff match u16 "
              << 20 + 4 * words << " 0xffff at 2 match u8 0x" << std::hex << words << std::dec
              << "0 0xf0 at 32 flowid " << OTHERS << "\n";
    }
    uint32_t number = FIRST_PAIR;
    for (const auto& pair : port.pairs)
    {
        std::ostringstream minor;
        minor << std::hex << number++;
        addClass(minor.str());
        lines << "filter add dev " << port.device
              << " parent 1: protocol ip prio 2 u32 match ip src " << pair.first
              << "/32 match ip dst " << pair.second << "/32 flowid 1:" << minor.str() << "\n";
    }
}

} // namespace

DataRate
GetShapedRate(const DataRate& rate, uint32_t mtu)
{
    const double factor = double(mtu + ETHERNET_HEADER) / (mtu + LINK_HEADER);
    return DataRate(std::llround(factor * static_cast<double>(rate.GetBitRate())));
}

uint32_t
ChooseGsoSize(const TcpSpec& tcp, const DataRate& rate, uint32_t mtu, uint64_t fifo)
{
    constexpr uint32_t HEADERS = 400; // the kernel takes off what the longest headers may need
    const uint64_t usual = GetUsualGsoSize(rate);
    const bool isSlow = usual < 65536;
    const uint64_t own = isSlow && fifo > 0 ? std::min<uint64_t>(usual, fifo / 4) : usual;
    const uint64_t wanted = tcp.IsPlain() ? own : tcp.gso.value_or(own);
    return static_cast<uint32_t>(
        std::min<uint64_t>(std::max<uint64_t>(wanted, 2 * mtu + HEADERS), 65536));
}

uint64_t
ChooseBurst(const ShapedPort& port)
{
    return GetTokenBucket(port.rate, port.gso, port.mtu);
}

std::vector<std::string>
GetQdiscKinds(const ShapedPort& port)
{
    using Kind = QueueSpec::Kind;
    static const std::map<Kind, std::vector<std::string>> KINDS{
        {Kind::DROP_TAIL, {"tbf"}},
        {Kind::FAIR, {"htb", "bfifo"}},
        {Kind::FQ_CODEL, {"tbf", "fq_codel"}},
        {Kind::RED, {"tbf", "red"}},
        {Kind::ECN, {"tbf", "red"}}};
    std::vector<std::string> kinds = KINDS.at(port.queue.kind);
    if (port.delay.IsStrictlyPositive())
    {
        kinds.emplace_back("netem");
    }
    return kinds;
}

std::string
MakeShaping(const ShapedPort& port)
{
    std::ostringstream lines;
    std::string parent = "root";
    if (port.delay.IsStrictlyPositive())
    {
        lines << "qdisc add dev " << port.device << " root handle f000: netem delay "
              << port.delay.GetNanoSeconds() / 1000 << "us limit 1000000\n";
        parent = "parent f000:1";
    }
    if (port.queue.kind == QueueSpec::Kind::FAIR)
    {
        WriteFairQueues(port, parent, lines);
    }
    else
    {
        WriteTokenBucket(port, parent, lines);
    }
    return lines.str();
}

} // namespace ns3::dml
