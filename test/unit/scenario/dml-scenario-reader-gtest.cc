/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scratch-folder.h"

#include "ns3/dml-scenario-check.h"
#include "ns3/dml-scenario-reader.h"
#include "ns3/tcp-cubic.h"
#include "ns3/type-id.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

using namespace ns3::dml;
using ns3::DataRate;
using ns3::MicroSeconds;
using ns3::MilliSeconds;
using ns3::Seconds;
using ns3::Time;

namespace
{

/// A folder with a scenario that gives every key, and with the profile that it names.
class ScenarioReader : public testing::Test
{
  protected:
    ScenarioReader()
    {
        folder.Write("profiles/p.yaml", "");
        folder.Write("study/scenario.yaml", R"(
name: everything
seed: 7
replications: 3
job:
  profile: ../profiles/p.yaml
  workers: [1, 2, 4]
  parameter_servers: 2
  placement: {conv1.weight: 0, fc.bias: 1}
  sync: async
  steps: 20
  warmup: 5
  sampling: [[0, 1], [2], [3], [4, 5, 6]]
  start: [0s, 200ms, 0, 1.5s]
transfer:
  policy: fifo
  window: 4MiB
  window_rule: every-window
  grant: message
overhead: {alpha: 1e-9, beta: 0.0005, parallel: true, server: {beta: 0}}
network:
  topology: star
  rate: 10Gb/s
  delay: 25us
  mtu: 9000
  queue: 0
  tcp:
    variant: linux-reno
    sack: false
    timestamps: true
    min_rto: 10ms
    delayed_ack_timeout: 0s
    initial_window: 4
    send_buffer: 128KiB
    receive_buffer: 512KiB
  background: []
fair_share: {sharing: max-min, one_way_delay: 75us, ps_cores: 8}
packet: {replications: 1}
faults: []
output: {pcap: true, trace: false, timeline: 3, plots: false, ops: true}
)");
    }

    /// Read a scenario that holds @p text and a profile.
    std::vector<Scenario> Read(const std::string& text,
                               const std::vector<std::string>& overrides = {})
    {
        return ReadScenario(folder.Write("s.yaml", "job:\n  profile: profiles/p.yaml\n" + text),
                            overrides);
    }

    ScratchFolder folder;
};

TEST_F(ScenarioReader, EveryKey)
{
    const auto scenarios = ReadScenario(folder.GetPath("study/scenario.yaml"));
    ASSERT_EQ(scenarios.size(), 1U);
    const Scenario& s = scenarios.front();
    EXPECT_EQ(s.name, "everything");
    EXPECT_EQ(s.file, folder.GetPath("study/scenario.yaml"));
    EXPECT_EQ(s.seed, 7U);
    EXPECT_EQ(s.replications, 3U);
    EXPECT_EQ(s.job.profile, folder.GetPath("profiles/p.yaml"));
    EXPECT_EQ(s.job.workers, (std::vector<uint32_t>{1, 2, 4}));
    EXPECT_EQ(s.job.parameterServers, 2U);
    EXPECT_EQ(s.job.placement.rule, "explicit");
    EXPECT_EQ(s.job.placement.table,
              (std::map<std::string, uint32_t>{{"conv1.weight", 0}, {"fc.bias", 1}}));
    EXPECT_EQ(s.job.sync.rule, "async");
    EXPECT_EQ(s.job.steps, 20U);
    EXPECT_EQ(s.job.warmup, 5U);
    EXPECT_EQ(s.job.sampling.rule, "explicit");
    EXPECT_EQ(s.job.sampling.lists,
              (std::vector<std::vector<uint32_t>>{{0, 1}, {2}, {3}, {4, 5, 6}}));
    EXPECT_EQ(s.job.start.rule, "explicit");
    EXPECT_EQ(s.job.start.offsets,
              (std::vector<Time>{Time(0), MilliSeconds(200), Time(0), MilliSeconds(1500)}));
    EXPECT_EQ(s.transfer.policy, "fifo");
    EXPECT_EQ(s.transfer.window, 4194304U);
    EXPECT_EQ(s.transfer.windowRule, "every-window");
    EXPECT_EQ(s.transfer.grant, "message");
    EXPECT_EQ(s.overhead.alpha, 1e-9);
    EXPECT_EQ(s.overhead.beta, 0.0005);
    EXPECT_TRUE(s.overhead.parallel);
    EXPECT_EQ(s.overhead.GetServerAlpha(), 1e-9);
    EXPECT_EQ(s.overhead.GetServerBeta(), 0);
    EXPECT_EQ(s.network.topology.type, "star");
    EXPECT_EQ(s.network.rate, DataRate(10000000000));
    EXPECT_EQ(s.network.delay, MicroSeconds(25));
    EXPECT_EQ(s.network.mtu, 9000U);
    EXPECT_EQ(s.network.queue.bytes, 0U);
    EXPECT_EQ(s.network.tcp.variant, "linux-reno");
    EXPECT_FALSE(s.network.tcp.sack);
    EXPECT_TRUE(s.network.tcp.timestamps);
    EXPECT_EQ(s.network.tcp.minRto, MilliSeconds(10));
    EXPECT_EQ(s.network.tcp.delayedAckTimeout, Time(0));
    EXPECT_EQ(s.network.tcp.initialWindow, 4U);
    EXPECT_EQ(s.network.tcp.sendBuffer, 131072U);
    EXPECT_EQ(s.network.tcp.receiveBuffer, 524288U);
    EXPECT_EQ(s.fairShare.sharing, "max-min");
    EXPECT_EQ(s.fairShare.oneWayDelay, MicroSeconds(75));
    EXPECT_EQ(s.fairShare.serverCores, 8U);
    EXPECT_EQ(s.packet.replications, 1U);
    EXPECT_TRUE(s.output.pcap);
    EXPECT_FALSE(s.output.trace);
    EXPECT_EQ(s.output.timeline, 3U);
    EXPECT_FALSE(s.output.plots);
    EXPECT_TRUE(s.output.ops);
    EXPECT_TRUE(s.variant.empty());
}

TEST_F(ScenarioReader, AFolderStandsForItsScenario)
{
    EXPECT_EQ(ReadScenario(folder.GetPath("study")).front().name, "everything");
    EXPECT_EQ(ReadScenario(folder.GetPath("study/")).front().name, "everything");
}

TEST_F(ScenarioReader, DefaultsAreThoseOfTheStruct)
{
    const Scenario s = Read("").front();
    const Scenario expected;
    EXPECT_EQ(s.name, expected.name);
    EXPECT_EQ(s.seed, expected.seed);
    EXPECT_EQ(s.replications, expected.replications);
    EXPECT_EQ(s.job.workers, expected.job.workers);
    EXPECT_EQ(s.job.steps, expected.job.steps);
    EXPECT_EQ(s.transfer.window, 28000000U);
    EXPECT_EQ(s.network.rate, DataRate("1Gbps"));
    EXPECT_EQ(s.network.tcp.variant, "cubic");
    EXPECT_EQ(s.output.trace, expected.output.trace);
    EXPECT_EQ(s.output.timeline, expected.output.timeline);
}

/// Which window rule the fair-share engine takes follows from the grant rule; `bdp` starts at 4
/// MiB.
TEST_F(ScenarioReader, WindowRuleFollowsFromGrant)
{
    const TransferSpec message = Read("transfer: {grant: message}\n").front().transfer;
    EXPECT_EQ(message.windowRule, "two-turns");
    EXPECT_EQ(message.window, 28000000U);
    for (const std::string grant : {"consume", "capped", "bdp"})
    {
        const TransferSpec spec = Read("transfer: {grant: " + grant + "}\n").front().transfer;
        EXPECT_EQ(spec.grant, grant);
        EXPECT_EQ(spec.windowRule, "every-window") << grant;
        EXPECT_EQ(spec.window, grant == "bdp" ? 4194304U : 28000000U) << grant;
    }
    const TransferSpec given =
        Read("transfer: {grant: bdp, window_rule: two-turns, window: 64KB}\n").front().transfer;
    EXPECT_EQ(given.windowRule, "two-turns");
    EXPECT_EQ(given.window, 64000U);
}

TEST_F(ScenarioReader, WindowByConnection)
{
    const TransferSpec one = Read("transfer: {window: 2147483647}\n").front().transfer;
    EXPECT_EQ(one.window, 2147483647U);
    EXPECT_EQ(one.windowMax, 0U) << "no draw";
    const TransferSpec drawn =
        Read("transfer: {window: {min: 4MiB, max: 32MiB}, policy: frame-by-frame}\n")
            .front()
            .transfer;
    EXPECT_EQ(drawn.window, 4U << 20);
    EXPECT_EQ(drawn.windowMax, 32U << 20);
    EXPECT_EQ(drawn.policy, "frame-by-frame");
    EXPECT_EQ(drawn.rejoin, "end");
    EXPECT_EQ(Read("transfer: {rejoin: start}\n").front().transfer.rejoin, "start");
}

/// The policies that set an order have flow control off, and those for slices have slices.
TEST_F(ScenarioReader, TransferDefaultsFollowFromThePolicy)
{
    const auto transfer = [this](const std::string& keys) {
        return Read("transfer: {" + keys + "}\n").front().transfer;
    };
    for (const std::string policy : {"http2-window", "frame-by-frame", "fifo"})
    {
        EXPECT_TRUE(transfer("policy: " + policy).flowControl) << policy;
        EXPECT_EQ(transfer("policy: " + policy).partition, 0U) << policy;
    }
    for (const std::string policy :
         {"tic", "tac", "reverse", "random", "shuffled", "p3", "prophet"})
    {
        const TransferSpec spec = transfer("policy: " + policy);
        EXPECT_FALSE(spec.flowControl) << policy;
        EXPECT_EQ(spec.window, 2147483647U) << policy;
        EXPECT_EQ(spec.partition, IsSlicePolicy(policy) ? 4000000U : 0U) << policy;
    }
    EXPECT_TRUE(transfer("policy: tac, window: 1MB, rejoin: start").flowControl);
    EXPECT_FALSE(transfer("policy: fifo, window: off").flowControl);
    EXPECT_EQ(transfer("policy: bytescheduler").credit, 16000000U);
    EXPECT_EQ(transfer("policy: bytescheduler, partition: 1MB").credit, 4000000U);
    EXPECT_EQ(transfer("policy: bytescheduler, partition: off").credit, 16000000U);
    EXPECT_EQ(transfer("policy: bytescheduler, credit: 3MB").credit, 3000000U);
    EXPECT_EQ(transfer("policy: p3, slice_overhead: 2ms").sliceOverhead, MilliSeconds(2));
    EXPECT_EQ(transfer("policy: prophet").monitor, Seconds(5));
    EXPECT_EQ(transfer("policy: prophet, monitor: 20ms").monitor, MilliSeconds(20));
    EXPECT_EQ(transfer("policy: explicit, order: [b, a]").order,
              (std::vector<std::string>{"b", "a"}));
}

/// Plain TCP has no windows; those of a case of a sweep with gRPC are not its own.
TEST_F(ScenarioReader, PlainTcpHasNoWindows)
{
    const TransferSpec tcp = Read("transfer: {transport: tcp, sockets: 4}\n").front().transfer;
    EXPECT_EQ(tcp.sockets, 4U);
    EXPECT_FALSE(tcp.flowControl);
    EXPECT_FALSE(TakesWindowTurns(tcp)) << "under http2-window";
    const auto cases = Read(
        "transfer: {sockets: 4, grant: capped, window: {default: 4MB, connections: [{worker: 0, "
        "uplink: 1MB}]}}\nsweep: {transfer.transport: [grpc, tcp]}\n");
    ASSERT_EQ(cases.size(), 2U);
    EXPECT_TRUE(cases[0].transfer.flowControl);
    EXPECT_EQ(cases[0].transfer.sockets, 1U) << "of gRPC";
    EXPECT_EQ(cases[1].transfer.sockets, 4U);
    EXPECT_EQ(cases[0].transfer.window, 4000000U);
    EXPECT_FALSE(cases[1].transfer.flowControl);
    EXPECT_TRUE(cases[1].transfer.connections.empty());
    EXPECT_EQ(cases[1].transfer.grant, "message");
}

TEST_F(ScenarioReader, GradientGroups)
{
    const auto groups = [this](const std::string& value) {
        return Read("  gradient_groups: " + value + "\n").front().job.gradientGroups;
    };
    EXPECT_EQ(Read("").front().job.gradientGroups.rule, "off");
    EXPECT_EQ(groups("off").rule, "off");
    EXPECT_EQ(groups("auto").rule, "auto");
    EXPECT_EQ(groups("profile").rule, "profile");
    EXPECT_EQ(groups("{bytes: 4MB}").rule, "bytes");
    EXPECT_EQ(groups("{bytes: 4MB}").size, 4000000U);
    EXPECT_EQ(groups("{count: 13}").rule, "count");
    EXPECT_EQ(groups("{count: 13}").size, 13U);
    EXPECT_EQ(groups("[[a, b], [c]]").rule, "explicit");
    const auto horovod = [this](const std::string& value) {
        return Read("  protocol: all-reduce\n  gradient_groups: {horovod: " + value + "}\n")
            .front()
            .job.gradientGroups;
    };
    EXPECT_EQ(horovod("{}").rule, "horovod");
    EXPECT_EQ(horovod("{}").horovod.cycle, MilliSeconds(1)); // Horovod 0.21 and later
    EXPECT_EQ(horovod("{}").horovod.threshold, 134217728U);  // likewise
    EXPECT_TRUE(horovod("{}").horovod.cache);
    EXPECT_FALSE(horovod("{}").horovod.waits);
    const auto changed =
        horovod("{cycle: 5ms, threshold: 64MiB, cache: false, waits: true}").horovod;
    EXPECT_EQ(changed.cycle, MilliSeconds(5));
    EXPECT_EQ(changed.threshold, 67108864U);
    EXPECT_FALSE(changed.cache);
    EXPECT_TRUE(changed.waits);
    EXPECT_EQ(groups("[[a, b], [c]]").names,
              (std::vector<std::vector<std::string>>{{"a", "b"}, {"c"}}));
}

TEST_F(ScenarioReader, PushPullIsSynchronous)
{
    const auto job = [this](const std::string& keys) { return Read(keys).front().job; };
    EXPECT_EQ(job("").protocol, "run-graph");
    EXPECT_EQ(job("").sync.rule, "async");
    EXPECT_EQ(job("  protocol: push-pull\n").sync.rule, "bsp");
    EXPECT_EQ(job("  protocol: push-pull\n  sync: bsp\n").protocol, "push-pull");
    EXPECT_EQ(job("  protocol: run-graph\n  sync: async\n").sync.rule, "async");
}

TEST_F(ScenarioReader, ShortForms)
{
    const Scenario s = Read("  workers: 3\n"
                            "  placement: round-robin\n"
                            "  sampling: in-order\n"
                            "  start: together\n"
                            "network: {tcp: vegas, queue: 1.5MB}\n")
                           .front();
    EXPECT_EQ(s.job.workers, std::vector<uint32_t>{3});
    EXPECT_EQ(s.job.placement.rule, "round-robin");
    EXPECT_EQ(s.job.sampling.rule, "in-order");
    EXPECT_EQ(s.job.start.rule, "together");
    EXPECT_EQ(s.network.tcp.variant, "vegas");
    EXPECT_EQ(s.network.queue.bytes, 1500000U);
}

TEST_F(ScenarioReader, AnchorsMayBeUsed)
{
    const Scenario s = Read("  workers: 2\n"
                            "  sampling: [&order [0, 1, 2], *order]\n")
                           .front();
    EXPECT_EQ(s.job.sampling.lists, (std::vector<std::vector<uint32_t>>{{0, 1, 2}, {0, 1, 2}}));
}

TEST_F(ScenarioReader, OverridesReplaceAndAdd)
{
    const Scenario s = Read("  workers: [1, 2, 8]\n  steps: 70\n",
                            {"job.steps=60",
                             "job.workers[1]=4",
                             "network.tcp.sack=false",
                             "network.rate=100Mbps",
                             "job.placement.fc.weight=0",
                             "name=from the shell",
                             "job.steps=80"}) // the last one counts
                           .front();
    EXPECT_EQ(s.job.steps, 80U);
    EXPECT_EQ(s.job.workers, (std::vector<uint32_t>{1, 4, 8}));
    EXPECT_FALSE(s.network.tcp.sack);
    EXPECT_EQ(s.network.tcp.variant, "cubic");
    EXPECT_EQ(s.network.rate, DataRate("100Mbps"));
    EXPECT_EQ(s.job.placement.table, (std::map<std::string, uint32_t>{{"fc.weight", 0}}));
    EXPECT_EQ(s.name, "from the shell");
    EXPECT_EQ(Read("", {"job.workers=[3, 5]"}).front().job.workers, (std::vector<uint32_t>{3, 5}));
}

// What `dml init` writes: fewer replications or steps on the command line than the file's other
// keys allow for are no mistake. Given there themselves, those keys are held to what they say.
TEST_F(ScenarioReader, KeysOfTheFileFollowOverrides)
{
    const std::string engines = "  steps: 8\n  warmup: 2\nreplications: 5\n"
                                "packet: {replications: 2}\nhost: {replications: 3}\n";
    Scenario s = Read(engines, {"replications=1"}).front();
    EXPECT_EQ(s.packet.replications, 1U);
    EXPECT_EQ(s.host.replications, 1U);
    EXPECT_TRUE(s.doubts.empty());
    s = Read(engines, {"replications=3"}).front();
    EXPECT_EQ(s.packet.replications, 2U);
    EXPECT_EQ(s.host.replications, 3U);
    EXPECT_THROW(Read(engines, {"replications=1", "packet.replications=2"}), InputError);
    EXPECT_THROW(Read(engines, {"packet.replications=6"}), InputError);

    s = Read(engines, {"job.steps=2"}).front();
    EXPECT_EQ(s.job.warmup, 1U);
    ASSERT_EQ(s.doubts.size(), 1U);
    EXPECT_NE(s.doubts[0].find("job.warmup: found 2, not less than --set job.steps=2"),
              std::string::npos)
        << s.doubts[0];
    EXPECT_EQ(Read(engines, {"job.steps=3"}).front().job.warmup, 2U);
    EXPECT_THROW(Read(engines, {"job.steps=2", "job.warmup=2"}), InputError);
}

TEST_F(ScenarioReader, AProfileInAnOverrideIsRelativeToTheCurrentFolder)
{
    folder.Write("q.yaml", "");
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(folder.GetPath("profiles"));
    const Scenario s = ReadScenario(folder.GetPath("study"), {"job.profile=../q.yaml"}).front();
    std::filesystem::current_path(before);
    EXPECT_EQ(s.job.profile, "../q.yaml");
}

using Variant = std::vector<std::pair<std::string, std::string>>;

TEST_F(ScenarioReader, SweepIsTheCartesianProduct)
{
    const auto scenarios = Read("sweep:\n"
                                "  network.rate: [1Gbps, 10Gbps]\n"
                                "  job.parameter_servers: [1, 2, 4]\n");
    ASSERT_EQ(scenarios.size(), 6U); // the first key is the slowest
    const std::vector<std::pair<std::string, uint32_t>> expected{{"1Gbps", 1},
                                                                 {"1Gbps", 2},
                                                                 {"1Gbps", 4},
                                                                 {"10Gbps", 1},
                                                                 {"10Gbps", 2},
                                                                 {"10Gbps", 4}};
    for (std::size_t i = 0; i < expected.size(); ++i)
    {
        const auto& [rate, servers] = expected[i];
        EXPECT_EQ(scenarios[i].network.rate, DataRate(rate));
        EXPECT_EQ(scenarios[i].job.parameterServers, servers);
        EXPECT_EQ(
            scenarios[i].variant,
            (Variant{{"network.rate", rate}, {"job.parameter_servers", std::to_string(servers)}}));
    }
}

TEST_F(ScenarioReader, SweepTakesMapsListsAndWorkers)
{
    const auto scenarios = Read("  workers: [1, 2]\n"
                                "sweep:\n"
                                "  network.tcp: [vegas, {sack: false}]\n"
                                "  job.workers: [3]\n"
                                "  job.start: [together, [0s, 1s, 2s]]\n");
    ASSERT_EQ(scenarios.size(), 4U);
    EXPECT_EQ(scenarios[1].network.tcp.variant, "vegas");
    EXPECT_EQ(scenarios[1].job.start.offsets.at(2), Seconds(2));
    EXPECT_EQ(scenarios[2].job.start.rule, "together");
    EXPECT_FALSE(scenarios[2].network.tcp.sack);
    EXPECT_EQ(scenarios[3].job.workers, std::vector<uint32_t>{3});
    EXPECT_EQ(scenarios[3].variant,
              (Variant{{"network.tcp", "{sack: false}"},
                       {"job.workers", "3"},
                       {"job.start", "[0s, 1s, 2s]"}}));
}

TEST_F(ScenarioReader, OverridesTakeKeysOutOfTheSweep)
{
    const std::string sweep = "sweep: {network.rate: [1Gbps, 10Gbps], seed: [1, 2]}\n";
    const auto scenarios = Read(sweep, {"network.rate=5Gbps"});
    ASSERT_EQ(scenarios.size(), 2U);
    EXPECT_EQ(scenarios[1].network.rate, DataRate("5Gbps"));
    EXPECT_EQ(scenarios[1].variant, (Variant{{"seed", "2"}}));
    EXPECT_EQ(Read(sweep, {"sweep.network.rate=[2Gbps]"}).size(), 2U);
    EXPECT_EQ(Read("", {"sweep.seed=[1, 2, 3]"}).size(), 3U);
}

} // namespace
