/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-error-of.h"

#include "ns3/dml-host-checks.h"
#include "ns3/dml-modelled-queue-disc.h"
#include "ns3/dml-topology-builder.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// A machine with the least that the host engine needs.
HostAbilities
MakePlainMachine()
{
    return {"/usr/sbin/ip", "/usr/sbin/tc", {"tbf", "htb", "bfifo"}, {"cubic", "reno"}, true};
}

/// A machine with every queueing discipline.
HostAbilities
MakeRichMachine()
{
    HostAbilities machine = MakePlainMachine();
    machine.qdiscs.insert({"netem", "red", "fq_codel"});
    return machine;
}

/// What CheckHostNetwork() says about a star of one worker.
std::vector<std::string>
Check(const NetworkSpec& spec, const HostAbilities& machine = MakePlainMachine())
{
    return CheckHostNetwork(BuildNetwork(spec, {{1, 1}}), spec, machine);
}

/// Its error.
std::string
Refusal(const NetworkSpec& spec, const HostAbilities& machine = MakePlainMachine())
{
    return ErrorOf([&] { Check(spec, machine); });
}

} // namespace

TEST(HostChecksTest, DefaultsAreFineButForTheDelay)
{
    EXPECT_EQ(Check({}),
              (std::vector<std::string>{"network.delay: 10us is left out; links of this machine "
                                        "have a delay of their own of some 10 us"}));
    NetworkSpec spec;
    spec.delay = Time(0);
    EXPECT_EQ(Check(spec), std::vector<std::string>());
}

TEST(HostChecksTest, Notes)
{
    NetworkSpec spec;
    spec.delay = Time(0);
    spec.rate = DataRate("2Gbps");
    spec.queue = {QueueSpec::Kind::FAIR, 500000};
    spec.tcp.sendBuffer = 65536;
    spec.tcp.delayedAckTimeout = Time(0);
    EXPECT_EQ(
        Check(spec),
        (std::vector<std::string>{
            "network.rate: links above 1 Gbit/s take an idle machine with several cores",
            "network.queue: a fair queue has its size for each pair of hosts, not for all together",
            "network.tcp.send_buffer, receive_buffer: ignored, the kernel tunes its buffers",
            "network.tcp.delayed_ack: ignored, the kernel's is 40 ms or more"}));
}

TEST(HostChecksTest, RefusesTraffic)
{
    NetworkSpec spec;
    spec.background.resize(2);
    EXPECT_EQ(Refusal(spec),
              "network.background: found 2 flows; the host engine accepts none; the fair-share and "
              "packet engines have them");
    spec.background.clear();
    spec.faults.resize(1);
    spec.faults[0].key = "faults[0]";
    EXPECT_EQ(Refusal(spec),
              "faults[0]: found a fault of links; the host engine accepts none; the fair-share and "
              "packet engines have them");
}

TEST(HostChecksTest, RefusesSharedBuffers)
{
    NetworkSpec spec;
    spec.queue = {QueueSpec::Kind::SHARED, 1000000};
    EXPECT_EQ(Refusal(spec),
              "network.queue: found a shared buffer on switch->ps0, which the kernel's queues do "
              "not have; the host engine accepts a size, or a map with another kind; the other "
              "engines have it");
}

TEST(HostChecksTest, RefusesQueueDiscs)
{
    NetworkSpec spec;
    spec.hostQueue = MakeOwnQueue({"ns3::CoDelQueueDisc", {}});
    EXPECT_EQ(Refusal(spec),
              "network.host_queue: found a queue of class ns3::CoDelQueueDisc on ps0->switch, "
              "which the kernel does not have; the host engine accepts a size, or a map with "
              "another kind; the packet engine has it");
    spec.hostQueue = {};
    spec.hosts["worker0"].queue = MakeOwnQueue({"ns3::CoDelQueueDisc", {}});
    EXPECT_EQ(Refusal(spec).substr(0, 36), "network.hosts.worker0.queue: found a");
}

// 64 workers and a server at a switch are 66 nodes, 62 and a server 64
TEST(HostChecksTest, RefusesManyNodes)
{
    NetworkSpec spec;
    const auto check = [&spec](uint32_t workers) {
        return ErrorOf([&] {
            CheckHostNetwork(BuildNetwork(spec, {{workers, 1}}), spec, MakePlainMachine());
        });
    };
    EXPECT_EQ(check(64),
              "network.topology: found 66 hosts and switches; the host engine accepts at most 64");
    EXPECT_EQ(check(62), "no error");
}

TEST(HostChecksTest, RefusesRates)
{
    NetworkSpec spec;
    spec.rate = DataRate("10Gbps");
    EXPECT_EQ(Refusal(spec),
              "network.rate: found 10Gbps on ps0->switch; the host engine accepts 1Mbps to 4Gbps");
    spec.rate = DataRate("500kbps");
    EXPECT_EQ(Refusal(spec),
              "network.rate: found 500kbps on ps0->switch; the host engine accepts 1Mbps to 4Gbps");
    spec.rate = DataRate("4Gbps");
    EXPECT_EQ(Refusal(spec), "no error");
}

TEST(HostChecksTest, DelaysTakeNetem)
{
    NetworkSpec spec;
    spec.delay = MicroSeconds(250);
    EXPECT_EQ(
        Refusal(spec),
        "network.delay: found 250us on ps0->switch, for which this machine's kernel lacks the "
        "queueing discipline netem; the host engine accepts delays up to 100us there, which "
        "it leaves out");
    EXPECT_EQ(Check(spec, MakeRichMachine()), std::vector<std::string>());
    spec.delay = MicroSeconds(100);
    EXPECT_EQ(Refusal(spec), "no error");
    EXPECT_TRUE(GetAddedDelay(MicroSeconds(100)).IsZero());
    EXPECT_EQ(GetAddedDelay(MicroSeconds(101)), MicroSeconds(101));
}

TEST(HostChecksTest, QueuesTakeDisciplines)
{
    NetworkSpec spec;
    const std::string lacks = ", for which this machine's kernel lacks the queueing discipline ";
    spec.queue = {QueueSpec::Kind::RED, 300000};
    EXPECT_EQ(Refusal(spec),
              "network.queue: found the queue red on switch->ps0" + lacks +
                  "red; the host engine accepts a size or {fair: SIZE} there, such as 300000");
    EXPECT_EQ(Refusal(spec, MakeRichMachine()), "no error");
    spec.queue = {QueueSpec::Kind::ECN, 300000, 30000};
    EXPECT_EQ(Refusal(spec),
              "network.queue: found the queue ecn on switch->ps0" + lacks +
                  "red; the host engine accepts a size or {fair: SIZE} there, such as 300000");
    spec.queue = {};
    spec.hostQueue = {QueueSpec::Kind::FQ_CODEL, 300000};
    EXPECT_EQ(Refusal(spec),
              "network.host_queue: found the queue fq_codel on ps0->switch" + lacks +
                  "fq_codel; the host engine accepts a size or {fair: SIZE} there, such as "
                  "{fair: 300000}");
}

TEST(HostChecksTest, NeedsShaping)
{
    HostAbilities machine = MakePlainMachine();
    machine.qdiscs.erase("tbf");
    EXPECT_THROW(Check({}, machine), RunError);
    machine = MakePlainMachine();
    machine.canForward = false;
    EXPECT_THROW(Check({}, machine), RunError);
}

TEST(HostChecksTest, CongestionControl)
{
    const HostAbilities machine = MakePlainMachine();
    std::vector<std::string> notes;
    const auto choose = [&](const std::string& variant) {
        return ChooseCongestionControl("job.tcp", variant, machine, notes);
    };
    EXPECT_EQ(choose("cubic"), "cubic");
    EXPECT_EQ(choose("linux-reno"), "reno");
    EXPECT_TRUE(notes.empty());
    EXPECT_EQ(choose("new-reno"), "reno");
    EXPECT_EQ(choose("bbr"), "cubic");
    EXPECT_EQ(notes,
              (std::vector<std::string>{"job.tcp: new-reno is the kernel's reno",
                                        "job.tcp: the run has cubic instead of bbr, which this "
                                        "machine's kernel lacks; it has cubic, reno"}));
}
