/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Choices of paths and queue discs of other classes: what the network makes of them. That packets
// run them is in dml-plugin-test.sh.

#include "ns3/dml-error.h"
#include "ns3/dml-flow-paths.h"
#include "ns3/dml-modelled-queue-disc.h"
#include "ns3/dml-multipath-policies.h"
#include "ns3/dml-queue-key.h"
#include "ns3/dml-topology-builder.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <map>
#include <string>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Takes always the same link, which may not be there.
class FixedChoice : public MultipathPolicy
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("test::FixedChoice")
                                .SetParent<MultipathPolicy>()
                                .AddConstructor<FixedChoice>()
                                .AddAttribute("Choice",
                                              "Number of the link.",
                                              UintegerValue(0),
                                              MakeUintegerAccessor(&FixedChoice::m_choice),
                                              MakeUintegerChecker<uint32_t>());
        return tid;
    }

    Spread GetSpread() const override
    {
        return Spread::BY_CONNECTION;
    }

    uint32_t Choose(const PathQuestion& question) override
    {
        EXPECT_EQ(3U, question.choices);
        return m_choice;
    }

  private:
    uint32_t m_choice{0};
};

NS_OBJECT_ENSURE_REGISTERED(FixedChoice);

/// Claims to be like what it cannot be.
class SharedClaim : public ModelledQueueDisc
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("test::SharedClaim")
                                .SetParent<ModelledQueueDisc>()
                                .AddConstructor<SharedClaim>();
        return tid;
    }

    QueueSpec GetModel() const override
    {
        return {QueueSpec::Kind::SHARED};
    }

  private:
    bool DoEnqueue(Ptr<QueueDiscItem> /* item */) override
    {
        return false;
    }

    Ptr<QueueDiscItem> DoDequeue() override
    {
        return nullptr;
    }

    bool CheckConfig() override
    {
        return true;
    }

    void InitializeParams() override
    {
    }
};

NS_OBJECT_ENSURE_REGISTERED(SharedClaim);

NetworkSpec
ThreeSpines(uint32_t choice)
{
    NetworkSpec spec;
    spec.topology.type = "leaf-spine";
    spec.topology.spines = 3;
    spec.multipath = {"test::FixedChoice", {{"Choice", std::to_string(choice)}}};
    return spec;
}

TEST(NetworkPlugins, APolicyChoosesThePath)
{
    for (const uint32_t choice : {0U, 2U})
    {
        const ClusterNetwork network = BuildNetwork(ThreeSpines(choice), {{1, 1}});
        const auto path = FlowPaths(network).FindChannel("ps0", "worker0").forward;
        ASSERT_EQ(4U, path.size());
        EXPECT_EQ("spine" + std::to_string(choice),
                  network.GetNodes()[network.GetReceiver(path[1])].name);
        EXPECT_FALSE(network.SpreadsConnections());
    }
}

TEST(NetworkPlugins, AChoiceThatIsNoneIsAnError)
{
    const ClusterNetwork network = BuildNetwork(ThreeSpines(3), {{1, 1}});
    try
    {
        FlowPaths(network).FindChannel("ps0", "worker0");
        FAIL();
    }
    catch (const RunError& error)
    {
        EXPECT_STREQ("test::FixedChoice chose path 3 of 3; accepted: 0 to 2", error.what());
    }
}

TEST(NetworkPlugins, NamesOfPoliciesAreTypeIdsWithAttributes)
{
    EXPECT_FALSE(MakeMultipathPolicy({}));
    const auto named = MakeMultipathPolicy({"ecmp", {{"Seed", "7"}}});
    const auto typed = MakeMultipathPolicy({"ns3::dml::EcmpMultipath", {{"Seed", "7"}}});
    const auto other = MakeMultipathPolicy({"ecmp", {}});
    uint32_t differences = 0;
    for (uint16_t port = 1; port <= 100; ++port)
    {
        const PathQuestion question{{1, 2, port, 4, FiveTuple::TCP}, 5, 4};
        EXPECT_EQ(named->Choose(question), typed->Choose(question));
        differences += named->Choose(question) != other->Choose(question);
    }
    // of 100 draws of four choices, 75 are expected to differ, with a deviation of 4.3
    EXPECT_GT(differences, 50U);
    EXPECT_EQ(MultipathPolicy::Spread::EVENLY, MakeMultipathPolicy({"spray", {}})->GetSpread());
    EXPECT_EQ(MultipathPolicy::Spread::OTHERWISE,
              MakeMultipathPolicy({"flowlet", {}})->GetSpread());
}

TEST(NetworkPlugins, AQueueDiscThatSaysNothingHasNoModel)
{
    const QueueSpec codel = MakeOwnQueue({"ns3::CoDelQueueDisc", {}});
    EXPECT_EQ("ns3::CoDelQueueDisc", codel.own->name);
    EXPECT_FALSE(codel.isModelled);
    EXPECT_FALSE(QueueDiscs().HasType("ns3::DropTailQueue<Packet>"));
    EXPECT_FALSE(QueueDiscs().HasType("ns3::dml::ModelledQueueDisc")); // cannot be made
    try
    {
        MakeOwnQueue({"test::SharedClaim", {}});
        FAIL();
    }
    catch (const InputError& error)
    {
        EXPECT_STREQ("test::SharedClaim::GetModel() gives a shared buffer, a class of its own or "
                     "whole bursts; accepted: another kind of dml's own queues",
                     error.what());
    }
}

/// What needs children that a scenario cannot give is none of them.
TEST(NetworkPlugins, AQueueDiscThatNeedsChildrenCannotBeChosen)
{
    EXPECT_FALSE(QueueDiscs().HasType("ns3::MqQueueDisc"));
    EXPECT_TRUE(QueueDiscs().HasType("ns3::PrioQueueDisc")); // makes its own
    EXPECT_TRUE(QueueDiscs().HasType("ns3::TbfQueueDisc"));
}

/// Sockets use ECN where this says so: UseEcn is off by default in RED and on in FqCoDel.
TEST(NetworkPlugins, AQueueDiscOfNs3MarksAsItsAttributesSay)
{
    const std::string red = "ns3::RedQueueDisc";
    EXPECT_FALSE(MakeOwnQueue({red, {}}).Marks());
    EXPECT_TRUE(MakeOwnQueue({red, {{"UseEcn", "true"}}}).Marks());
    const std::string codel = "ns3::CoDelQueueDisc";
    EXPECT_TRUE(MakeOwnQueue({codel, {{"UseEcn", "true"}, {"CeThreshold", "1ms"}}}).Marks());
    EXPECT_TRUE(MakeOwnQueue({codel, {{"UseL4s", "true"}, {"CeThreshold", "1ms"}}}).Marks());
    const std::string fair = "ns3::FqCoDelQueueDisc";
    EXPECT_TRUE(MakeOwnQueue({fair, {}}).Marks());
    EXPECT_FALSE(MakeOwnQueue({fair, {{"UseEcn", "false"}}}).Marks());
    EXPECT_FALSE(MakeOwnQueue({"ns3::FifoQueueDisc", {}}).Marks());
}

/// @return the attribute that MakeOwnQueue() refuses, and why
std::string
RefusalOfDisc(const std::string& type, const PluginAttributes& attributes)
{
    try
    {
        MakeOwnQueue({type, attributes});
    }
    catch (const KeyError& error)
    {
        return error.GetKey() + ": " + error.GetReason();
    }
    return "none";
}

/// ns-3.37 ends the program with an error, divides by 0, or takes the default without a word.
TEST(NetworkPlugins, WhatAQueueDiscCannotWorkWithIsRefused)
{
    const std::string fair = "ns3::FqCoDelQueueDisc";
    EXPECT_EQ(RefusalOfDisc(fair, {{"MaxSize", "64KB"}}),
              "MaxSize: found 64KB, which ns3::FqCoDelQueueDisc does not take; accepted: a number "
              "of packets, such as 100p");
    EXPECT_EQ(RefusalOfDisc(fair, {{"MaxSize", "100p"}}), "none");
    EXPECT_EQ(RefusalOfDisc("ns3::FifoQueueDisc", {{"MaxSize", "64KB"}}), "none");
    EXPECT_EQ(RefusalOfDisc(fair, {{"Flows", "0"}}), "Flows: found 0; accepted: at least 1 queue");
    EXPECT_EQ(RefusalOfDisc(fair, {{"EnableSetAssociativeHash", "true"}, {"SetWays", "0"}}),
              "SetWays: found 0 with EnableSetAssociativeHash; accepted: a divisor of Flows, 1024");
    EXPECT_EQ(RefusalOfDisc(fair, {{"EnableSetAssociativeHash", "true"}, {"SetWays", "7"}}),
              "SetWays: found 7 with EnableSetAssociativeHash; accepted: a divisor of Flows, 1024");
    EXPECT_EQ(RefusalOfDisc(fair, {{"EnableSetAssociativeHash", "true"}}), "none");
    EXPECT_EQ(RefusalOfDisc(fair, {{"UseL4s", "true"}}),
              "UseL4s: found true without CeThreshold; accepted: it with CeThreshold");
    EXPECT_EQ(RefusalOfDisc("ns3::CoDelQueueDisc", {{"CeThreshold", "1ms"}}),
              "CeThreshold: found beside UseEcn: false, with which ns3::CoDelQueueDisc marks no "
              "packets; accepted: beside UseEcn: true");
}

/// Errors about a port's queue name the key that gives it.
TEST(NetworkPlugins, EachPortHasTheKeyOfItsQueue)
{
    NetworkSpec spec;
    spec.topology.type = "dumbbell";
    spec.topology.trunk.queue = QueueSpec{QueueSpec::Kind::RED};
    spec.hosts["worker0"].queue = QueueSpec{QueueSpec::Kind::FAIR};
    const ClusterNetwork network = BuildNetwork(spec, {{2, 1}});
    std::map<std::string, std::string> keys;
    for (DirectedLink port = 0; port < network.GetDirectedLinks(); ++port)
    {
        keys[network.GetName(port)] = FindQueueKey(spec, network, port);
    }
    const auto left = network.GetReceiver(network.GetHostUplink(network.FindHost("worker0")));
    const auto right = network.GetReceiver(network.GetHostUplink(network.FindHost("ps0")));
    const std::string workers = network.GetNodes()[left].name;
    const std::string servers = network.GetNodes()[right].name;
    ASSERT_NE(workers, servers);
    EXPECT_EQ(keys.at("worker0->" + workers), "network.host_queue");
    EXPECT_EQ(keys.at(workers + "->worker0"), "network.hosts.worker0.queue");
    EXPECT_EQ(keys.at(workers + "->worker1"), "network.queue");
    EXPECT_EQ(keys.at(workers + "->" + servers), "network.topology.trunk.queue");
    EXPECT_EQ(keys.at(servers + "->" + workers), "network.topology.trunk.queue");
}

} // namespace
