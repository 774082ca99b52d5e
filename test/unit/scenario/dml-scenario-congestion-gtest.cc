/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Congestion controls: names and TypeIds, of the network, of jobs and of background flows, and what
// they need of queues.

#include "dml-scenario-mistake.h"

#include "ns3/dml-cluster-network.h"
#include "ns3/dml-congestion-choice.h"
#include "ns3/dml-congestion-controls.h"
#include "ns3/dml-congestion-keys.h"
#include "ns3/dml-error.h"
#include "ns3/dml-scenario-keys.h"
#include "ns3/dml-topology-builder.h"
#include "ns3/tcp-cubic.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

class CongestionScenario : public testing::Test
{
  protected:
    CongestionScenario()
    {
        m_folder.Write("p.yaml", "");
    }

    std::vector<Scenario> Read(const std::string& text, const std::vector<std::string>& set = {})
    {
        return ReadScenario(m_folder.Write("s.yaml", text), set);
    }

    const ScratchFolder m_folder;
};

const std::string PLAIN_JOB = "job: {profile: p.yaml}\n";

TEST(CongestionControls, HaveNamesThatAreClassesOfNs3)
{
    for (const auto& name : CongestionControls().GetNames())
    {
        EXPECT_NO_THROW(CongestionControls().MakeFactory({name, {}})) << name;
    }
    EXPECT_THROW(CongestionControls().MakeFactory({"reno", {}}), InputError);
    EXPECT_TRUE(CongestionControls().HasType("ns3::TcpLedbat"));
    EXPECT_FALSE(CongestionControls().HasType("ns3::TcpSocketBase"));
}

/// ns-3.37 says that TcpCubic is a socket, with the attributes of one.
TEST(CongestionControls, HaveNs3sOwnCubic)
{
    const PluginSpec cubic{"ns3::TcpCubic", {{"Beta", "0.8"}}};
    EXPECT_TRUE(CongestionControls().HasType(cubic.name));
    EXPECT_TRUE(CongestionControls().Create<TcpCubic>(cubic));
    for (const auto& attribute : ListAttributes(TypeId::LookupByName(cubic.name)))
    {
        EXPECT_NE(attribute.name, "SegmentSize");
    }
}

TEST(CongestionControls, AreKnownByTheirClassNotByTheirName)
{
    EXPECT_TRUE(IsDctcp({"dctcp", {}}));
    EXPECT_TRUE(IsDctcp({"ns3::TcpDctcp", {}}));
    EXPECT_FALSE(IsDctcp({"ns3::TcpLinuxReno", {}})); // from which DCTCP derives
    EXPECT_TRUE(IsBbr({"ns3::TcpBbr", {}}));
    EXPECT_EQ(DefaultDelayedAckTimeout({"ns3::TcpBbr", {}}), Time(0));
    EXPECT_EQ(DefaultDelayedAckTimeout({"ns3::TcpLedbat", {}}), MilliSeconds(40));
}

const std::string ALL_CONTROLS =
    "job: {profile: p.yaml, tcp: dctcp}\n"
    "other_jobs:\n"
    "  - {profile: p.yaml}\n"
    "  - {profile: p.yaml, tcp: {type: ns3::TcpLedbat, TargetDelay: 20ms}}\n"
    "network:\n"
    "  queue: {ecn: 1MB, threshold: 65 packets}\n"
    "  tcp: {type: ns3::TcpVegas, Alpha: 3, sack: false}\n"
    "  background:\n"
    "    - {from: worker0, to: ps0, rate: 1Mbps}\n"
    "    - {from: worker0, to: ps0, bulk: true, tcp: linux-reno}\n"
    "    - {from: ps0, to: worker0, bytes: 1MB, tcp: dctcp}\n";

/// Each place has its own, and the echo of a scenario reads as that scenario.
TEST_F(CongestionScenario, EachJobAndFlowMayHaveItsOwn)
{
    const Scenario scenario = Read(ALL_CONTROLS).front();
    const PluginSpec dctcp{"dctcp", {}};
    const PluginSpec ledbat{"ns3::TcpLedbat", {{"TargetDelay", "20ms"}}};
    const PluginSpec vegas{"ns3::TcpVegas", {{"Alpha", "3"}}};
    EXPECT_EQ(scenario.network.tcp.GetControl(), vegas);
    EXPECT_FALSE(scenario.network.tcp.sack);
    EXPECT_EQ(scenario.job.tcp, dctcp);
    EXPECT_FALSE(scenario.otherJobs[0].tcp);
    EXPECT_EQ(scenario.otherJobs[1].tcp, ledbat);
    EXPECT_FALSE(scenario.network.background[0].tcp);
    EXPECT_EQ(scenario.network.background[1].tcp, (PluginSpec{"linux-reno", {}}));

    const auto echo = ScenarioToJson(scenario);
    EXPECT_EQ(echo["network"]["tcp"]["variant"].dump(), R"({"type":"ns3::TcpVegas","Alpha":"3"})");
    EXPECT_EQ(echo["other_jobs"][1]["tcp"].dump(),
              R"({"type":"ns3::TcpLedbat","TargetDelay":"20ms"})");
    EXPECT_FALSE(echo["other_jobs"][0].contains("tcp"));
    EXPECT_EQ(echo["network"]["queue"].dump(), R"({"ecn":1000000,"threshold":"65 packets"})");
    EXPECT_EQ(ScenarioToJson(Read(echo.dump()).front()), echo);

    const auto keys = ListCongestionKeys(scenario);
    ASSERT_EQ(keys.size(), 5U);
    EXPECT_EQ(keys[0].key, "network.tcp");
    EXPECT_EQ(keys[1].key, "job.tcp");
    EXPECT_EQ(keys[2].key, "other_jobs[1].tcp");
    EXPECT_EQ(keys[3].key, "network.background[1].tcp");
    EXPECT_EQ(keys[4].control, dctcp);
}

/// Equal choices are one control, the network's among them; attributes tell them apart.
TEST(CongestionChoice, HasEachControlOnce)
{
    NetworkSpec spec; // cubic
    spec.background.resize(3);
    spec.background[0].tcp = {"dctcp", {}};
    spec.background[1].tcp = {"ns3::TcpVegas", {{"Alpha", "3"}}};
    const PluginSpec vegas{"ns3::TcpVegas", {}};
    const auto choice = ChooseCongestion(spec, {PluginSpec{"dctcp", {}}, {}, vegas});
    EXPECT_EQ(choice.controls.size(), 4U);
    EXPECT_EQ(choice.jobs, (std::vector<uint32_t>{1, 0, 2}));
    EXPECT_EQ(choice.background, (std::vector<uint32_t>{1, 3, 0}));
    EXPECT_EQ(choice.OfJob(7), 0U);
    EXPECT_TRUE(choice.IsUsed(0));
    const auto all = ChooseCongestion(NetworkSpec(), {PluginSpec{"dctcp", {}}});
    EXPECT_FALSE(all.IsUsed(0));
    EXPECT_TRUE(all.IsUsed(1));
    EXPECT_EQ(choice.controls[choice.OfBackground(1)].attributes.at("Alpha"), "3");
    EXPECT_EQ(ChooseCongestion(spec, {PluginSpec{"cubic", {}}}).OfJob(0), 0U);
}

TEST_F(CongestionScenario, TheyCanBeSweptAndSet)
{
    const auto scenarios =
        Read(PLAIN_JOB + "network: {queue: {ecn: 1MB, threshold: 65 packets}}\n"
                         "sweep:\n"
                         "  network.tcp: [dctcp, {type: ns3::TcpVegas, Alpha: 3}]\n"
                         "  job.tcp: [cubic, {type: ns3::TcpLedbat}]\n");
    ASSERT_EQ(scenarios.size(), 4U);
    EXPECT_EQ(scenarios[0].network.tcp.variant, "dctcp");
    EXPECT_EQ(scenarios[3].network.tcp.variantAttributes.at("Alpha"), "3");
    EXPECT_EQ(scenarios[3].job.tcp->name, "ns3::TcpLedbat");

    const std::string vegas = PLAIN_JOB + "network: {tcp: {type: ns3::TcpVegas, Alpha: 3}}\n";
    const auto alphas = Read(vegas + "sweep: {network.tcp.Alpha: [1, 5]}\n");
    ASSERT_EQ(alphas.size(), 2U);
    EXPECT_EQ(alphas[1].network.tcp.variantAttributes.at("Alpha"), "5");
    const auto set = Read(vegas, {"network.tcp.Alpha=4", "network.tcp.min_rto=50ms"}).front();
    EXPECT_EQ(set.network.tcp.variantAttributes.at("Alpha"), "4");
    EXPECT_EQ(set.network.tcp.minRto, MilliSeconds(50));
    EXPECT_EQ(Read(PLAIN_JOB, {"network.tcp.type=ns3::TcpVegas"}).front().network.tcp.variant,
              "ns3::TcpVegas");
    EXPECT_EQ(
        Read(PLAIN_JOB, {"network.tcp.variant={type: ns3::TcpVegas}"}).front().network.tcp.variant,
        "ns3::TcpVegas");
}

/// A threshold in packets is one of the packets of the port's own link.
TEST_F(CongestionScenario, AThresholdInPackets)
{
    const Scenario scenario = Read(PLAIN_JOB + "network:\n"
                                               "  queue: {ecn: 1MB, threshold: 65 packets}\n"
                                               "  hosts: {worker0: {mtu: 9000}}\n")
                                  .front();
    const ClusterNetwork network = BuildNetwork(scenario.network, {{1, 1}});
    for (const auto& link : network.GetLinks())
    {
        const bool isWorker = network.GetNodes()[link.ends[0]].name == "worker0";
        EXPECT_EQ(link.queues[1].threshold, isWorker ? 585000U : 97500U);
    }
}

/// Any queue of the network that marks will do.
TEST_F(CongestionScenario, DctcpGoesWithATrunkThatMarks)
{
    const std::string trunk = "network: {topology: {type: dumbbell, trunk: {queue: {ecn: 1MB, "
                              "threshold: 30KB}}}, tcp: dctcp}\n";
    EXPECT_NO_THROW(Read(PLAIN_JOB + trunk));
}

/// So will a queue disc of ns-3 that marks.
TEST_F(CongestionScenario, DctcpGoesWithAQueueDiscThatMarks)
{
    const std::string queue = "network: {tcp: dctcp, queue: {type: ns3::RedQueueDisc, UseEcn: ";
    EXPECT_NO_THROW(Read(PLAIN_JOB + queue + "true}}\n"));
    EXPECT_THROW(Read(PLAIN_JOB + queue + "false}}\n"), InputError);
}

class CongestionMistake : public testing::TestWithParam<Mistake>
{
};

TEST_P(CongestionMistake, IsRefusedWithItsPlace)
{
    const std::string error = ScenarioErrorOf(GetParam());
    EXPECT_EQ(error.substr(0, GetParam().error.size()), GetParam().error) << error;
}

const std::string NO_MARKS = " in a network whose queues do not mark packets; accepted: it with a "
                             "network.queue such as {ecn: 1MB, threshold: 65 packets}";
const std::string CONTROL_NAMES =
    "cubic, bbr, dctcp, linux-reno, new-reno, bic, highspeed, htcp, illinois, "
    "scalable, vegas, veno, yeah";

INSTANTIATE_TEST_SUITE_P(
    Network,
    CongestionMistake,
    testing::Values(
        Mistake{22,
                "  tcp: reno",
                "s.yaml:22:8: network.tcp: found \"reno\"; did you mean 'linux-reno'? accepted: " +
                    CONTROL_NAMES + ", or {type: TYPEID, ...} or a map with the key variant"},
        Mistake{22,
                "  tcp: {variant: reno}",
                "s.yaml:22:18: network.tcp.variant: found \"reno\"; did you mean 'linux-reno'? "
                "accepted: " +
                    CONTROL_NAMES + ", or {type: TYPEID, ...}"},
        Mistake{22,
                "  tcp: {type: ns3::TcpVegas, variant: cubic}",
                "s.yaml:22:39: network.tcp.variant: found beside type; accepted: one of the two, "
                "as both are the congestion control"},
        Mistake{22,
                "  tcp: {type: ns3::TcpVegas, Alhpa: 3}",
                "s.yaml:22:30: network.tcp.Alhpa: unknown key 'Alhpa'; did you mean 'Alpha'? "
                "accepted: type, Alpha, Beta, Gamma, variant, sack, "},
        Mistake{22,
                "  tcp: {type: ns3::TcpVegas, Alpha: many}",
                "s.yaml:22:37: network.tcp.Alpha: found \"many\"; accepted: an integer from 0 to"},
        Mistake{22,
                "  tcp: {type: ns3::dml::FifoPolicy}",
                "s.yaml:22:15: network.tcp.type: found \"ns3::dml::FifoPolicy\"; accepted: the "
                "TypeId of a congestion control: "},
        Mistake{22, "  tcp: dctcp", "s.yaml:22:8: network.tcp: found dctcp" + NO_MARKS},
        Mistake{22,
                "  tcp: {type: ns3::TcpDctcp}",
                "s.yaml:22:8: network.tcp: found ns3::TcpDctcp" + NO_MARKS},
        Mistake{22,
                "  tcp: {type: ns3::TcpBbr, delayed_ack_timeout: 40ms}",
                "s.yaml:22:49: network.tcp.delayed_ack_timeout: found delayed ACKs with "
                "ns3::TcpBbr, which takes those of small messages"},
        Mistake{12,
                "  tcp: bbr",
                "s.yaml:22:8: network.tcp.delayed_ack_timeout: found delayed ACKs with bbr of "
                "job.tcp, which takes those of small messages"},
        Mistake{12, "  tcp: dctcp", "s.yaml:12:8: job.tcp: found dctcp" + NO_MARKS},
        Mistake{12,
                "  tcp: {variant: cubic}",
                "s.yaml:12:8: job.tcp: found a map; accepted: " + CONTROL_NAMES +
                    ", or {type: TYPEID, ...}"},
        Mistake{23,
                "  background: [{from: worker0, to: ps0, bulk: true, tcp: dctcp}]",
                "s.yaml:23:58: network.background[0].tcp: found dctcp" + NO_MARKS},
        Mistake{23,
                "  background: [{from: worker0, to: ps0, rate: 1Mbps, tcp: cubic}]",
                "s.yaml:23:59: network.background[0].tcp: found beside rate, which is that of UDP; "
                "accepted: beside bulk or bytes"}));

INSTANTIATE_TEST_SUITE_P(
    Thresholds,
    CongestionMistake,
    testing::Values(
        Mistake{21,
                "  queue: {ecn: 1MB, threshold: 65packets}",
                "s.yaml:21:32: network.queue.threshold: found \"65packets\"; accepted: a size from "
                "1 to 4294967295" +
                    SIZE_TEXT + ", or packets of the link's MTU, such as 65 packets"},
        Mistake{21,
                "  queue: {ecn: 1MB, threshold: 0 packets}",
                "s.yaml:21:32: network.queue.threshold: found \"0 packets\"; accepted: 1 packet to "
                "65537 packets"},
        Mistake{21,
                "  queue: {ecn: 100KB, threshold: 67 packets}",
                "s.yaml:21:10: network.queue: found a threshold of 100500 bytes; accepted: less "
                "than the queue, 100000 bytes"}));

/// A class that a library would register: the error says how to load one.
TEST(CongestionPlugin, MayBeInALibraryThatWasForgotten)
{
    const std::string error = ScenarioErrorOf(Mistake{22, "  tcp: {type: example::Aimd}", ""});
    EXPECT_NE(error.find("found \"example::Aimd\"; accepted: the TypeId of a congestion control: "),
              std::string::npos)
        << error;
    const std::string end = "; or one of a library of yours, which --plugin=LIBRARY loads";
    EXPECT_EQ(error.substr(error.size() - end.size()), end) << error;
}

} // namespace
