/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-link-shaping.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// A port of 1 Gbit/s and MTU 1500 with a queue.
ShapedPort
MakeShapedPort(const QueueSpec& queue)
{
    ShapedPort port;
    port.device = "eth0";
    port.rate = DataRate("1Gbps");
    port.gso = 15000;
    port.queue = queue;
    return port;
}

/// How often a text has a word.
std::size_t
CountWord(const std::string& text, const std::string& word)
{
    std::size_t count = 0;
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    {
        ++count;
    }
    return count;
}

} // namespace

// The kernel counts 14 bytes of Ethernet for a packet, a link of the packet engine 2.
TEST(LinkShapingTest, CountsHeadersAsThePacketEngine)
{
    EXPECT_EQ(GetShapedRate(DataRate("1Gbps"), 1500).GetBitRate(), 1007989348u);   // 1514 / 1502
    EXPECT_EQ(GetShapedRate(DataRate("10Gbps"), 9000).GetBitRate(), 10013330371u); // 9014 / 9002
}

// burst: two pieces of 15000 bytes and 4096 are 34096, less than the 125000 bytes of a millisecond
TEST(LinkShapingTest, DropTail)
{
    EXPECT_EQ(MakeShaping(MakeShapedPort({QueueSpec::Kind::DROP_TAIL, 300000})),
              "qdisc add dev eth0 root handle 1: tbf rate 1000000000bit burst 34096b limit "
              "300000b\n");
    EXPECT_EQ(MakeShaping(MakeShapedPort({QueueSpec::Kind::DROP_TAIL, 0})),
              "qdisc add dev eth0 root handle 1: tbf rate 1000000000bit burst 34096b limit "
              "1000000000b\n");
}

// quantum: 15000 bytes and an eighth of that for headers
TEST(LinkShapingTest, Fair)
{
    ShapedPort port = MakeShapedPort({QueueSpec::Kind::FAIR, 300000});
    port.pairs = {{"10.1.0.1", "10.1.0.3"}, {"10.1.0.5", "10.1.0.3"}};
    const std::string lines = MakeShaping(port);
    const std::string tail = "bit ceil 1000000000bit cburst 34096b quantum 16875 burst ";
    EXPECT_EQ(lines.find("qdisc add dev eth0 root handle 1: htb default 2\n"
                         "class add dev eth0 parent 1: classid 1:1 htb rate 1000000000" +
                         tail + "34096b\n"),
              0U);
    for (const std::string minor : {"2", "10", "11"})
    {
        EXPECT_EQ(CountWord(lines,
                            "class add dev eth0 parent 1:1 classid 1:" + minor + " htb rate 8000" +
                                tail + "2000b\nqdisc add dev eth0 parent 1:" + minor + " handle " +
                                minor + ": bfifo limit 300000b\n"),
                  1U)
            << lines;
    }
    EXPECT_EQ(
        CountWord(lines, "u32 match ip src 10.1.0.5/32 match ip dst 10.1.0.3/32 flowid 1:11\n"),
        1U);
    // the ACK of Linux with timestamps: 20 bytes of IP, 8 words of TCP
    EXPECT_EQ(CountWord(lines, "match u16 52 0xffff at 2 match u8 0x80 0xf0 at 32 flowid 1:2\n"),
              1U);
    EXPECT_EQ(CountWord(lines, "flowid 1:2\n"), 11U);
    EXPECT_EQ(CountWord(lines, "class add"), 4U);
}

// What other kernels have. red: 5 ms at 1 Gbit/s are 625000 bytes, of which a queue of 3 MB starts
// to drop at half.
TEST(LinkShapingTest, OtherDisciplines)
{
    const std::string bucket =
        "qdisc add dev eth0 root handle 1: tbf rate 1000000000bit burst 34096b limit 3000000b\n"
        "qdisc add dev eth0 parent 1:1 handle 10: ";
    EXPECT_EQ(MakeShaping(MakeShapedPort({QueueSpec::Kind::RED, 3000000, 0, true})),
              bucket +
                  "red limit 3000000b min 312500b max 937500b avpkt 1000 burst 521 probability "
                  "0.02 bandwidth 1000000000bit ecn\n");
    EXPECT_EQ(MakeShaping(MakeShapedPort({QueueSpec::Kind::ECN, 3000000, 65000})),
              bucket + "red limit 3000000b min 65000b max 65001b avpkt 1000 burst 65 probability 1 "
                       "bandwidth 1000000000bit ecn\n");
    EXPECT_EQ(MakeShaping(MakeShapedPort({QueueSpec::Kind::FQ_CODEL, 3000000})),
              bucket + "fq_codel limit 2000 memory_limit 6000000 noecn\n");
    ShapedPort far = MakeShapedPort({QueueSpec::Kind::DROP_TAIL, 3000000});
    far.delay = MicroSeconds(1500);
    EXPECT_EQ(
        MakeShaping(far),
        "qdisc add dev eth0 root handle f000: netem delay 1500us limit 1000000\n"
        "qdisc add dev eth0 parent f000:1 handle 1: tbf rate 1000000000bit burst 34096b limit "
        "3000000b\n");
    EXPECT_EQ(GetQdiscKinds(far), (std::vector<std::string>{"tbf", "netem"}));
    EXPECT_EQ(GetQdiscKinds(MakeShapedPort({QueueSpec::Kind::FAIR})),
              (std::vector<std::string>{"htb", "bfifo"}));
    EXPECT_EQ(GetQdiscKinds(MakeShapedPort({QueueSpec::Kind::FQ_CODEL})),
              (std::vector<std::string>{"tbf", "fq_codel"}));
    EXPECT_EQ(GetQdiscKinds(MakeShapedPort({QueueSpec::Kind::ECN})),
              (std::vector<std::string>{"tbf", "red"}));
}

TEST(LinkShapingTest, PiecesAndBursts)
{
    EXPECT_EQ(ChooseGsoSize({}, DataRate("1Gbps"), 1500, 0), 15000U);
    EXPECT_EQ(ChooseGsoSize({}, DataRate("1Gbps"), 1500, 1000000), 15000U);
    EXPECT_EQ(ChooseGsoSize({}, DataRate("1Gbps"), 1500, 40000), 10000U); // a quarter
    EXPECT_EQ(ChooseGsoSize({}, DataRate("1Gbps"), 1500, 4000), 3400U);   // two packets and headers
    EXPECT_EQ(ChooseGsoSize({}, DataRate("2Gbps"), 1500, 40000), 65536U);
    EXPECT_EQ(ChooseGsoSize({}, DataRate("1Gbps"), 9000, 0), 18400U);
    EXPECT_EQ(ChooseGsoSize({}, DataRate("1Gbps"), 65535, 0), 65536U);
    EXPECT_EQ(ChooseGsoSize(PlainTcp(), DataRate("1Gbps"), 1500, 0), 15000U) << "hosts are Linux";
    TcpSpec tcp;
    tcp.gso = 30000;
    EXPECT_EQ(ChooseGsoSize(tcp, DataRate("1Gbps"), 1500, 40000), 30000U) << "as it is asked for";
    tcp.gso = 0;
    EXPECT_EQ(ChooseGsoSize(tcp, DataRate("1Gbps"), 1500, 0), 3400U) << "two packets and headers";
    tcp.gso = 100000;
    EXPECT_EQ(ChooseGsoSize(tcp, DataRate("1Gbps"), 1500, 0), 65536U) << "the most of the kernel";
    ShapedPort port = MakeShapedPort({});
    port.rate = DataRate("100Mbps"); // 12500 bytes in a millisecond
    EXPECT_EQ(ChooseBurst(port), 12500U);
    port.rate = DataRate("10Mbps"); // 1250: two frames are more
    EXPECT_EQ(ChooseBurst(port), 3028U);
    port.rate = DataRate("4Gbps"); // two pieces of 65536 are more than a quarter of 500000
    port.gso = 65536;
    EXPECT_EQ(ChooseBurst(port), 135168U);
    port.rate = DataRate("8Gbps");
    EXPECT_EQ(ChooseBurst(port), 250000U);
}
