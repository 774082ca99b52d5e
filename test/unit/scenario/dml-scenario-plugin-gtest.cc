/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Classes of a user's own, chosen by their TypeIds.

#include "dml-scenario-mistake.h"

#include "ns3/boolean.h"
#include "ns3/dml-attribute-text.h"
#include "ns3/dml-fair-share-network.h"
#include "ns3/dml-fifo-policy.h"
#include "ns3/dml-job-plugins.h"
#include "ns3/dml-last-speed.h"
#include "ns3/dml-max-min-solver.h"
#include "ns3/dml-plugin-factories.h"
#include "ns3/dml-scenario-keys.h"
#include "ns3/dml-sharing-policies.h"
#include "ns3/dml-sharing-policy.h"
#include "ns3/dml-speed-predictors.h"
#include "ns3/dml-sync-policies.h"
#include "ns3/dml-topologies.h"
#include "ns3/dml-topology-builder.h"
#include "ns3/dml-topology.h"
#include "ns3/dml-transfer-policies.h"
#include "ns3/double.h"
#include "ns3/integer.h"
#include "ns3/queue-size.h"
#include "ns3/realtime-simulator-impl.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// @param tid that gets an attribute @param name of it @param initial value
void
Give(TypeId& tid,
     const std::string& name,
     const AttributeValue& initial,
     const Ptr<const AttributeAccessor>& accessor,
     const Ptr<const AttributeChecker>& checker)
{
    tid.AddAttribute(name, "What it is for.", initial, accessor, checker);
}

/// A policy with an attribute of every kind.
class ManyAttributes : public FifoPolicy
{
  public:
    static TypeId GetTypeId()
    {
        static const TypeId tid = MakeType();
        return tid;
    }

    bool flag{false};
    uint32_t count{0};
    int32_t offset{0};
    double share{0};
    Time pause;
    DataRate rate;
    std::string label;
    uint32_t seed{0};
    ObjectFactory inner;

  private:
    static TypeId MakeType()
    {
        using P = ManyAttributes;
        TypeId tid = TypeId("test::ManyAttributes").SetParent<FifoPolicy>().AddConstructor<P>();
        Give(tid, "Flag", BooleanValue(false), MakeBooleanAccessor(&P::flag), MakeBooleanChecker());
        const auto counts = MakeUintegerChecker<uint32_t>(1, 10);
        Give(tid, "Count", UintegerValue(1), MakeUintegerAccessor(&P::count), counts);
        const auto offsets = MakeIntegerChecker<int32_t>(-5, 5);
        Give(tid, "Offset", ns3::IntegerValue(0), MakeIntegerAccessor(&P::offset), offsets);
        const auto shares = MakeDoubleChecker<double>(0, 1);
        Give(tid, "Share", DoubleValue(0), MakeDoubleAccessor(&P::share), shares);
        const auto pauses = MakeTimeChecker(Seconds(0), Seconds(2));
        Give(tid, "Pause", ns3::TimeValue(Seconds(0)), MakeTimeAccessor(&P::pause), pauses);
        const DataRateValue rate(DataRate("1Gbps"));
        Give(tid, "Rate", rate, MakeDataRateAccessor(&P::rate), MakeDataRateChecker());
        Give(tid, "Label", StringValue(""), MakeStringAccessor(&P::label), MakeStringChecker());
        const auto seeds = MakeUintegerChecker<uint32_t>();
        Give(tid, "Seed", UintegerValue(0), MakeUintegerAccessor(&P::seed), seeds);
        const ObjectFactoryValue fifo(ObjectFactory("ns3::dml::FifoPolicy"));
        Give(tid, "Inner", fifo, MakeObjectFactoryAccessor(&P::inner), MakeObjectFactoryChecker());
        return tid;
    }
};

NS_OBJECT_ENSURE_REGISTERED(ManyAttributes);

/// A synchronisation, a predictor, a sharing rule and a topology, each as another one of ours.
template <typename Base>
class Twin : public Base
{
  public:
    static TypeId GetTypeId();
};

template <typename Base>
TypeId
MakeTwinType(const std::string& name)
{
    return TypeId(name).SetParent<Base>().template AddConstructor<Twin<Base>>();
}

template <>
TypeId
Twin<StaleSynchronousSync>::GetTypeId()
{
    static TypeId tid = MakeTwinType<StaleSynchronousSync>("test::Sync");
    return tid;
}

template <>
TypeId
Twin<LastSpeed>::GetTypeId()
{
    static TypeId tid = MakeTwinType<LastSpeed>("test::Predictor");
    return tid;
}

class Sharing : public RateSharingPolicy
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("test::Sharing").SetParent<RateSharingPolicy>().AddConstructor<Sharing>();
        return tid;
    }

    std::unique_ptr<RateSolver> MakeSolver(const FairShareNetwork& network) const override
    {
        return std::make_unique<MaxMinSolver>(network.links);
    }
};

/// Two switches, between which the first hosts may be left out.
class Pair : public Topology
{
  public:
    static TypeId GetTypeId()
    {
        static const TypeId tid = MakeType();
        return tid;
    }

    void Build(NetworkBuilder& builder) const override
    {
        const std::vector<uint32_t> switches{builder.AddSwitch("a"), builder.AddSwitch(second)};
        if (!apart)
        {
            builder.Connect(builder.MakeLink(switches[0], switches[1]));
        }
        const auto names = builder.GetHosts().GetOwnNodes();
        for (std::size_t i = forgets; i < names.size(); ++i)
        {
            builder.ConnectHost(names[i], switches[i % 2]);
        }
    }

    uint32_t forgets{0}; //!< of the first hosts
    bool apart{false};   //!< no link between the switches
    std::string second;  //!< name of a switch

  private:
    static TypeId MakeType()
    {
        TypeId tid = TypeId("test::Pair").SetParent<Topology>().AddConstructor<Pair>();
        const auto counts = MakeUintegerChecker<uint32_t>();
        Give(tid, "Forgets", UintegerValue(0), MakeUintegerAccessor(&Pair::forgets), counts);
        const auto flags = MakeBooleanChecker();
        Give(tid, "Apart", BooleanValue(false), MakeBooleanAccessor(&Pair::apart), flags);
        const auto names = MakeStringChecker();
        Give(tid, "Second", StringValue("b"), MakeStringAccessor(&Pair::second), names);
        return tid;
    }
};

const TypeId SYNC = Twin<StaleSynchronousSync>::GetTypeId();
const TypeId PREDICTOR = Twin<LastSpeed>::GetTypeId();
NS_OBJECT_ENSURE_REGISTERED(Sharing);
NS_OBJECT_ENSURE_REGISTERED(Pair);

const std::string ALL_ATTRIBUTES = "transfer: {policy: {type: test::ManyAttributes, Flag: true, "
                                   "Count: 3, Offset: -2, Share: 0.25, "
                                   "Pause: 15ms, Rate: 10Mbps, Label: \"a b\"}}\n";

class PluginScenario : public testing::Test
{
  protected:
    PluginScenario()
    {
        m_folder.Write("p.yaml", "");
    }

    std::vector<Scenario> Read(const std::string& text, const std::vector<std::string>& set = {})
    {
        return ReadScenario(m_folder.Write("s.yaml", text), set);
    }

    Scenario ReadOne(const std::string& text)
    {
        return Read("job: {profile: p.yaml, workers: [1, 4]}\n" + text).front();
    }

    const ScratchFolder m_folder;
};

/// What was read is set: each value is unlike its default.
TEST_F(PluginScenario, AttributesOfEveryKindAreSet)
{
    const Scenario scenario = ReadOne(ALL_ATTRIBUTES + "seed: 7\n");
    const auto policy =
        MakePolicyFactory(scenario.transfer, scenario.seed, 1e8).Create<ManyAttributes>();
    EXPECT_TRUE(policy->flag);
    EXPECT_EQ(policy->count, 3U);
    EXPECT_EQ(policy->offset, -2);
    EXPECT_EQ(policy->share, 0.25);
    EXPECT_EQ(policy->pause, MilliSeconds(15));
    EXPECT_EQ(policy->rate, DataRate("10Mbps"));
    EXPECT_EQ(policy->label, "a b");
    EXPECT_EQ(policy->seed, 7U) << "the run's, as the scenario gives none";
}

/// @return what an error says of an attribute with this checker
std::string
DescribeChecker(const Ptr<const AttributeChecker>& checker)
{
    TypeId::AttributeInformation attribute;
    attribute.checker = checker;
    return DescribeAttribute(attribute);
}

/// Bounds of floating types are told unless they are those of the type.
TEST(PluginAttributes, BoundsAreTold)
{
    EXPECT_EQ(DescribeChecker(MakeDoubleChecker<double>()), "a number");
    EXPECT_EQ(DescribeChecker(MakeDoubleChecker<double>(0)), "a number of at least 0");
    EXPECT_EQ(DescribeChecker(MakeDoubleChecker<float>(-1.5)), "a number of at least -1.5");
    EXPECT_EQ(DescribeChecker(MakeDoubleChecker<double>(std::numeric_limits<double>::lowest(), 3)),
              "a number of at most 3");
    EXPECT_EQ(DescribeChecker(MakeDoubleChecker<double>(0, 1)), "a number from 0 to 1");
}

TEST(PluginAttributes, SizesOfQueuesAreThoseOfNs3)
{
    TypeId::AttributeInformation attribute;
    attribute.checker = MakeQueueSizeChecker();
    for (const std::string size : {"100p", "1p", "2Kip", "64KB", "0.5KiB", "4294967295B"})
    {
        EXPECT_TRUE(TakesText(attribute, size)) << size;
    }
    // ns-3 takes a default for a size of 0, and is undefined beyond 32 bits
    for (const std::string size :
         {"100", "p", "", "0p", "0.5p", "-1p", "1.2.3p", "100 p", "1GB", "5000MB", "100px"})
    {
        EXPECT_FALSE(TakesText(attribute, size)) << size;
    }
}

/// An enumeration of ns-3's core, whose names are BestEffort and HardLimit.
TEST(PluginAttributes, EnumerationsTakeTheirNames)
{
    for (const auto& attribute : ListAttributes(RealtimeSimulatorImpl::GetTypeId()))
    {
        if (attribute.name == "SynchronizationMode")
        {
            EXPECT_EQ(DescribeAttribute(attribute), "BestEffort, HardLimit");
            EXPECT_TRUE(TakesText(attribute, "HardLimit"));
            EXPECT_FALSE(TakesText(attribute, "Hard"));
            return;
        }
    }
    FAIL() << "no such attribute";
}

TEST_F(PluginScenario, ASeedOfItsOwnStays)
{
    const Scenario scenario =
        ReadOne("transfer: {policy: {type: test::ManyAttributes, Seed: 5}}\nseed: 7\n");
    EXPECT_EQ(MakePolicyFactory(scenario.transfer, 7, 1e8).Create<ManyAttributes>()->seed, 5U);
}

TEST_F(PluginScenario, OurOwnTypesAreAccepted)
{
    const Scenario scenario = ReadOne("transfer: {policy: {type: ns3::dml::RoundRobinPolicy, "
                                      "Quantum: 5}}\n");
    const auto policy = MakePolicyFactory(scenario.transfer, 1, 1e8).Create<TransferPolicy>();
    UintegerValue quantum;
    policy->GetAttribute("Quantum", quantum);
    EXPECT_EQ(quantum.Get(), 5U);
}

/// The echo of a scenario reads as that scenario, which has the same echo.
TEST_F(PluginScenario, TheEchoCanBeReadAgain)
{
    const std::string text = ALL_ATTRIBUTES + "fair_share: {sharing: {type: test::Sharing}}\n" +
                             "network: {topology: {type: test::Pair, Second: c}}\n" +
                             "job: {profile: p.yaml, sync: {type: test::Sync, Bound: 0}}\n";
    const auto echo = ScenarioToJson(Read(text).front());
    EXPECT_EQ(echo["transfer"]["policy"]["type"], "test::ManyAttributes");
    EXPECT_EQ(echo["transfer"]["policy"]["Pause"], "15ms");
    EXPECT_EQ(echo["job"]["sync"].dump(), R"({"type":"test::Sync","Bound":"0"})");
    EXPECT_EQ(echo["fair_share"]["sharing"].dump(), R"({"type":"test::Sharing"})");
    EXPECT_EQ(echo["network"]["topology"].dump(), R"({"type":"test::Pair","Second":"c"})");
    EXPECT_EQ(ScenarioToJson(Read(echo.dump()).front()), echo);
}

TEST_F(PluginScenario, APredictorIsChosenInBothPlaces)
{
    for (const std::string cpu :
         {"{type: test::Predictor}", "{predictor: {type: test::Predictor}}"})
    {
        const auto scenario =
            Read("job: {profile: p.yaml, sync: bsp, batch_control: {cpu: " + cpu + "}}\n").front();
        EXPECT_EQ(scenario.job.batchControl.predictor, "test::Predictor");
        EXPECT_EQ(ScenarioToJson(scenario)["job"]["batch_control"].dump(),
                  R"({"cpu":{"predictor":{"type":"test::Predictor"}}})");
    }
    EXPECT_TRUE(SpeedPredictors().Create<SpeedPredictor>({"test::Predictor", {}}));
}

TEST_F(PluginScenario, TheyCanBeSwept)
{
    const auto scenarios =
        Read("job: {profile: p.yaml}\nsweep:\n"
             "  job.sync.type: [test::Sync, ns3::dml::BulkSynchronousSync]\n"
             "  transfer.policy: [fifo, {type: test::ManyAttributes, Count: 2}]\n"
             "  network.topology.type: [star, test::Pair]\n"
             "  fair_share.sharing: [fifo, {type: test::Sharing}]\n");
    ASSERT_EQ(scenarios.size(), 16U);
    const Scenario& last = scenarios.back();
    EXPECT_EQ(last.job.sync.rule, "ns3::dml::BulkSynchronousSync");
    EXPECT_EQ(last.transfer.policy, "test::ManyAttributes");
    EXPECT_EQ(last.transfer.policyAttributes.at("Count"), "2");
    EXPECT_EQ(last.network.topology.type, "test::Pair");
    EXPECT_EQ(last.fairShare.sharing, "test::Sharing");
    EXPECT_EQ(scenarios.front().transfer.policy, "fifo");
}

TEST_F(PluginScenario, TheyCanBeSet)
{
    const std::string job = "job: {profile: p.yaml}\n";
    const auto one = Read(job, {"transfer.policy.type=test::ManyAttributes"}).front();
    EXPECT_EQ(one.transfer.policy, "test::ManyAttributes");
    const auto two = Read(job + "transfer: {policy: {type: test::ManyAttributes, Count: 2}}\n",
                          {"transfer.policy.Count=3"})
                         .front();
    EXPECT_EQ(two.transfer.policyAttributes.at("Count"), "3");
    EXPECT_EQ(m_folder.ErrorOf([&] {
        Read(job + "transfer: {policy: fifo}\n", {"transfer.policy.type=test::ManyAttributes"});
    }),
              "--set transfer.policy.type=test::ManyAttributes: transfer.policy: found \"fifo\"; "
              "accepted: a map, to change its key 'type'");
}

/// What a synchronisation does is asked of it: ssp with bound 0 goes in rounds, whatever its name.
TEST_F(PluginScenario, WhatASyncDoesIsAskedOfIt)
{
    const auto ask = [this](const std::string& sync) {
        const std::string job = "job: {profile: p.yaml, workers: 4, sync: " + sync + "}\n";
        return MakeSyncFactory(Read(job).front().job.sync).Create<SyncPolicy>();
    };
    EXPECT_TRUE(ask("{type: test::Sync, Bound: 0}")->HasRounds());
    EXPECT_FALSE(ask("{type: test::Sync, Bound: 1}")->HasRounds());
    for (const auto& [sync, waits, all] : {std::tuple{"async", false, false},
                                           std::tuple{"bsp", true, true},
                                           std::tuple{"{ssp: 100}", true, false},
                                           std::tuple{"{backup: 1}", true, false},
                                           std::tuple{"{type: test::Sync}", true, false}})
    {
        EXPECT_EQ(MakesWorkersWait(*ask(sync)), waits) << sync;
        EXPECT_EQ(WaitsForAll(*ask(sync)), all) << sync;
    }
}

/// The rule is that of the class: max-min gives each of two flows on a link of 100 B/s a half.
TEST(PluginSharing, ARuleOfOnesOwnSharesLinks)
{
    FairShareNetwork network;
    network.rule = SharingRule::OWN;
    network.ownRule = {"test::Sharing", {}};
    network.links = MakeStarFlowNetwork({2, 1}, 100, 100);
    PrepareFairShareNetwork(network);
    const auto sharing = MakeBandwidthSharing(network, nullptr);
    sharing->Start(0, 100, 0, 0);
    sharing->Start(2, 100, 1, 0);
    EXPECT_NEAR(sharing->GetNextEnd().time, 2, 1e-9);
    network.ownRule.name = "test::Shring";
    EXPECT_THROW(MakeBandwidthSharing(network, nullptr), InputError);
}

/// Two hosts on each switch: 4 links and the trunk.
TEST(PluginTopology, ATopologyOfOnesOwnIsBuilt)
{
    NetworkSpec spec;
    spec.topology.type = "test::Pair";
    const auto network = BuildNetwork(spec, {{3, 1}});
    EXPECT_EQ(network.GetLinks().size(), 5U);
    EXPECT_EQ(network.FindRoute(network.FindHost("ps0"), network.FindHost("worker0")).size(), 3U);
    EXPECT_EQ(network.FindRoute(network.FindHost("ps0"), network.FindHost("worker1")).size(), 2U);
}

class PluginMistake : public testing::TestWithParam<Mistake>
{
};

TEST_P(PluginMistake, IsRefusedWithItsPlace)
{
    EXPECT_EQ(ScenarioErrorOf(GetParam()), GetParam().error);
}

/// @param attribute that the policy is given @param column @param error the rest of it
Mistake
InPolicy(const std::string& attribute, int column, const std::string& error)
{
    return {14,
            "transfer: {policy: {type: test::ManyAttributes, " + attribute + "}}",
            "s.yaml:14:" + std::to_string(column) + ": transfer.policy." + error};
}

const std::string COUNTS = "; accepted: an integer from 1 to 10";
const std::string PAUSES = "; accepted: a time with a unit (ns, us, ms, s, min, h), such as 10us";

INSTANTIATE_TEST_SUITE_P(
    Attributes,
    PluginMistake,
    testing::Values(
        InPolicy("Flag: 1", 55, "Flag: found \"1\"; accepted: true or false"),
        InPolicy("Count: 11", 56, "Count: found \"11\"" + COUNTS),
        InPolicy("Count: 3x", 56, "Count: found \"3x\"" + COUNTS),
        InPolicy("Count: -1", 56, "Count: found \"-1\"" + COUNTS),
        InPolicy("Count: [1]",
                 56,
                 "Count: found a list of 1" + COUNTS +
                     "; to sweep it, name it under sweep: {transfer.policy.Count: [...]}"),
        InPolicy("Offset: -6", 57, "Offset: found \"-6\"; accepted: an integer from -5 to 5"),
        InPolicy("Share: much", 56, "Share: found \"much\"; accepted: a number from 0 to 1"),
        InPolicy("Pause: 15", 56, "Pause: found \"15\"" + PAUSES),
        InPolicy("Pause: 3s", 56, "Pause: found \"3s\"" + PAUSES),
        InPolicy("Rate: fast", 55, "Rate: found \"fast\"; accepted: " + RATE_TEXT),
        InPolicy("Inner: x",
                 56,
                 "Inner: found an attribute of type ObjectFactoryValue; accepted: attributes that "
                 "take true or false, a number, a time, a rate, a queue size, a word or a text"),
        InPolicy("Cuont: 1",
                 49,
                 "Cuont: unknown key 'Cuont'; did you mean 'Count'? accepted: type, Flag, Count, "
                 "Offset, Share, Pause, Rate, Label, Seed, Inner")));

/// @param queue the queue of line 21 @param column @param error the rest of it
Mistake
InQueue(const std::string& queue, int column, const std::string& error)
{
    return {21,
            "  queue: {type: ns3::" + queue + "}",
            "s.yaml:21:" + std::to_string(column) + ": network.queue." + error};
}

const std::string QUEUE_SIZES =
    "; accepted: a queue size of packets (p, Kp, Kip, Mp, Mip) or bytes (B, KB, KiB, MB, MiB), "
    "such as 100p or 64KB";

INSTANTIATE_TEST_SUITE_P(
    QueueDiscs,
    PluginMistake,
    testing::Values(
        InQueue("FifoQueueDisc, MaxSize: 100", 46, "MaxSize: found \"100\"" + QUEUE_SIZES),
        InQueue("FqCoDelQueueDisc, MaxSize: 64KB",
                49,
                "MaxSize: found 64KB, which ns3::FqCoDelQueueDisc does not take; "
                "accepted: a number of packets, such as 100p"),
        InQueue("FqCoDelQueueDisc, Flows: 0", 47, "Flows: found 0; accepted: at least 1 queue")));

const std::string FORGOTTEN = "; or one of a library of yours, which --plugin=LIBRARY loads";
const std::string TOPOLOGIES =
    "the TypeId of a topology: ns3::dml::DumbbellTopology, ns3::dml::ExplicitTopology, "
    "ns3::dml::LeafSpineTopology, ns3::dml::StarTopology, test::Pair";
const std::string SYNCS =
    "accepted: the TypeId of a synchronisation: ns3::dml::AsynchronousSync, "
    "ns3::dml::BackupWorkersSync, ns3::dml::BulkSynchronousSync, ns3::dml::StaleSynchronousSync, "
    "test::Sync";

INSTANTIATE_TEST_SUITE_P(
    Types,
    PluginMistake,
    testing::Values(
        Mistake{9,
                "  sync: {type: ns3::dml::BulkSynchronusSync}",
                "s.yaml:9:16: job.sync.type: found \"ns3::dml::BulkSynchronusSync\"; did you mean "
                "'ns3::dml::BulkSynchronousSync'? " +
                    SYNCS + FORGOTTEN},
        Mistake{9,
                "  sync: {type: ns3::dml::FifoPolicy}",
                "s.yaml:9:16: job.sync.type: found \"ns3::dml::FifoPolicy\"; " + SYNCS},
        Mistake{9,
                "  sync: {type: ns3::dml::SyncPolicy}",
                "s.yaml:9:16: job.sync.type: found \"ns3::dml::SyncPolicy\"; " + SYNCS},
        Mistake{9,
                "  sync: {type: [a]}",
                "s.yaml:9:16: job.sync.type: found a list of 1; " + SYNCS +
                    "; to sweep it, name it under sweep: {job.sync.type: [...]}"},
        Mistake{9,
                "  protocol: push-pull\n  sync: {type: test::Sync}",
                "s.yaml:10:9: job.sync: found test::Sync with job.protocol push-pull; accepted: "
                "bsp, or another protocol"},
        Mistake{9,
                "  sync: {type: test::Sync}\n  batch_control: cpu",
                "s.yaml:10:18: job.batch_control: found 'cpu' with job.sync test::Sync; accepted: "
                "off, or job.sync bsp with job.protocol run-graph, or all-reduce with a barrier"},
        Mistake{14,
                "transfer: {policy: {type: test::ManyAttributes}, rejoin: start}",
                "s.yaml:14:58: transfer.rejoin: found 'start'; accepted: end, unless "
                "transfer.policy is http2-window, or sets an order before a transfer.window"},
        Mistake{14,
                "transfer: {policy: {type: test::ManyAttributes}, credit: 1MB}",
                "s.yaml:14:58: transfer.credit: found the key with transfer.policy "
                "test::ManyAttributes; accepted: it with bytescheduler"},
        Mistake{14,
                "transfer: {policy: {Count: 1}}",
                "s.yaml:14:20: transfer.policy: found a map; accepted: http2-window, "
                "frame-by-frame, fifo, tic, tac, reverse, random, shuffled, explicit, p3, "
                "bytescheduler, prophet, or {type: TYPEID, ...}"},
        Mistake{17,
                "  topology: {type: ns3::Ring}",
                "s.yaml:17:20: network.topology.type: found \"ns3::Ring\"; accepted: " +
                    TOPOLOGIES + FORGOTTEN},
        Mistake{17,
                "  topology: {type: test::Pair, leaves: 2}",
                "s.yaml:17:32: network.topology.leaves: unknown key 'leaves'; accepted: type, "
                "Forgets, Apart, Second"},
        Mistake{
            17,
            "  topology: {type: test::Pair, Forgets: 1}",
            "s.yaml:17:13: network.topology: found no node for 'ps0'; accepted: a topology with "
            "a node for every host"},
        Mistake{17,
                "  topology: {type: test::Pair, Second: a}",
                "s.yaml:17:13: network.topology: found two nodes 'a'; accepted: a topology whose "
                "nodes have names of their own"},
        Mistake{17,
                "  topology: {type: test::Pair, Apart: true}",
                "s.yaml:17:13: network.topology.links: found no path from ps0 to ps1; accepted: "
                "links that connect all hosts"}));

} // namespace
