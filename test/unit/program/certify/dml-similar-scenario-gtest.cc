/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Scenarios that are stretched: every ratio stays, and the fair-share engine, which has no time of
// its own, predicts a throughput that is divided by the factor.

#include "dml-one-layer-profile.h"
#include "dml-scratch-folder.h"

#include "ns3/dml-certificate-plan.h"
#include "ns3/dml-profile-reader.h"
#include "ns3/dml-profile-writer.h"
#include "ns3/dml-scenario-reader.h"
#include "ns3/dml-scratch-study.h"
#include "ns3/dml-similar-scenario.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3::dml;

namespace
{

class SimilarScenarioTest : public testing::Test
{
  protected:
    /// @param job keys of it, behind a comma @param rest other keys @return the scenario
    Scenario Read(const std::string& job, const std::string& rest = "") const
    {
        // 1000 segments of MTU 1500 with timestamps, each way; 20 and 10 ms of computing
        m_folder.Write("p.yaml", FormatProfile(MakeOneLayerProfile(1448000, 0.02, 0.01)));
        const auto file = m_folder.Write("s.yaml",
                                         "replications: 2\njob: {profile: p.yaml, steps: 8, "
                                         "warmup: 2" +
                                             job + "}\n" + rest + "\n");
        return ReadScenario(file).front();
    }

    /// @return the scenario with all its times so many times longer
    Scenario Stretch(const Scenario& scenario, double factor) const
    {
        Profile profile = ReadProfile(scenario.job.profile);
        StretchProfile(profile, factor);
        Scenario stretched = StretchScenario(scenario, factor);
        stretched.job.profile = m_folder.Write("stretched.yaml", FormatProfile(profile));
        return stretched;
    }

    /// @param scenario any @return samples/s of its first replication, fair-share
    static double Predict(const Scenario& scenario)
    {
        return ScratchStudy(1).Run(scenario, EngineKind::FAIR_SHARE).front().value();
    }

    ScratchFolder m_folder; //!< of scenarios
};

TEST_F(SimilarScenarioTest, FifoPortsAreThoseOfVirtualNetworks)
{
    NetworkSpec network =
        Read("", "network: {queue: {drop_tail: 64KB, whole_bursts: true}, tcp: {trains: true}}")
            .network;
    TakeOwnPorts(network);
    EXPECT_TRUE(network.IsVirtual());
    EXPECT_EQ(network.queue.bytes, 64000u);
    for (const std::string other : {"queue: {fair: 64KB}", "queue: 0B", "transport: plain"})
    {
        network = Read("", "network: {" + other + "}").network;
        TakeOwnPorts(network);
        EXPECT_FALSE(network.IsVirtual()) << other;
    }
}

} // namespace

// 10 Gbit/s and two links of 10 us each way: 50000 bytes in a round trip, a twentieth of the port.
// 2896 kB each step, in segments of 1448 B. With 20 times the times, 500 Mbit/s and 800 us are the
// same 50000 bytes.
TEST_F(SimilarScenarioTest, RatiosStay)
{
    const Scenario before =
        Read(", workers: [2]",
             "network: {rate: 10Gbps, delay: 10us, queue: 1MB}\ntransfer: {window: 144800B}");
    const Scenario after = Stretch(before, 20);
    EXPECT_EQ(after.network.rate.GetBitRate(), 500000000U);
    EXPECT_EQ(after.network.delay, ns3::MicroSeconds(200));
    EXPECT_EQ(after.network.tcp.minRto, ns3::Seconds(4));
    EXPECT_EQ(after.network.tcp.delayedAckTimeout, before.network.tcp.delayedAckTimeout);
    for (const auto& scenario : {before, after})
    {
        const SimilarityRatios ratios = ComputeRatios(PrepareScenario(scenario, false), 2);
        EXPECT_NEAR(ratios.portOverProduct.value(), 20, 20e-9);
        EXPECT_NEAR(ratios.windowSegments.value(), 100, 100e-9);
        EXPECT_NEAR(ratios.tensorSegments.value(), 2000, 2000e-9);
    }
    const double computing =
        ComputeRatios(PrepareScenario(before, false), 2).computingOverCommunication;
    EXPECT_NEAR(computing,
                0.02 / (2896000 / (10e9 / 8 * 1448 / 1502 * 16384 / 16393)),
                1e-3 * computing);
    EXPECT_NEAR(ComputeRatios(PrepareScenario(after, false), 2).computingOverCommunication,
                computing,
                1e-9 * computing);
}

TEST_F(SimilarScenarioTest, HasNoRatioOfWhatThereIsNot)
{
    const SimilarityRatios ratios = ComputeRatios(
        PrepareScenario(Read(", workers: [1], protocol: all-reduce", "transfer: {transport: tcp}"),
                        false),
        1);
    EXPECT_FALSE(ratios.portOverProduct);
    EXPECT_FALSE(ratios.windowSegments);
    EXPECT_FALSE(ratios.tensorSegments);
    EXPECT_EQ(ratios.computingOverCommunication, 0);
}

// Whatever has a time or a rate: classes of devices, servers behind unequal links, starts, parsing,
// reduction.
TEST_F(SimilarScenarioTest, ThroughputIsDividedByTheFactor)
{
    const std::string jitter = ", step_jitter: 3ms";
    const std::pair<std::string, std::string> scenarios[]{
        {jitter + ", workers: [3], start: together", "network: {queue: {fair: 0B}, rate: 1Gbps}"},
        {jitter + ", workers: [3], parameter_servers: 2, start: [0ms, 7ms, 11ms]",
         "network: {queue: {fair: 0B}, rate: 1Gbps, hosts: {ps0: {rate: 250Mbps, delay: 1ms}}}\n"
         "overhead: {alpha: 2e-9, beta: 1e-4, server: {alpha: 4e-9, beta: 1e-3}}"},
        {jitter +
             ", workers: [3], devices: {slow: {speed: 0.5}, gpu: {launch: 1ms, per_sample: "
             "2ms, floor: 3ms}, fast: {rate: 70}}, worker_devices: [slow, gpu, fast], sync: bsp",
         "network: {queue: {fair: 0B}, rate: 1Gbps}\ntransfer: {policy: p3, slice_overhead: 1ms, "
         "partition: 400KB}"},
        {jitter + ", workers: [3], start: together",
         "network: {queue: {fair: 0B}, rate: 1Gbps, topology: {type: dumbbell, trunk: {rate: "
         "300Mbps, delay: 2ms}}}"},
        {jitter + ", workers: [4], protocol: all-reduce, all_reduce: {reduction: 1e-9}",
         "network: {queue: {fair: 0B}, rate: 1Gbps, delay: 100us}\ntransfer: {transport: tcp}"},
        {jitter + ", workers: [2], start: together, devices: {uneven: {changes: {every: 40ms, "
                  "speed: {min: 0.5, "
                  "max: 1}}}}, "
                  "worker_devices: [uneven], server_devices: [uneven]",
         "network: {queue: {fair: 0B}, rate: 1Gbps}\nfair_share: {one_way_delay: 3ms}"}};
    for (const auto& [job, rest] : scenarios)
    {
        const Scenario scenario = Read(job, rest);
        const double before = Predict(scenario);
        for (const double factor : {1.0, 1.25, 8.0})
        {
            const double after = Predict(Stretch(scenario, factor));
            EXPECT_NEAR(after * factor / before, 1, 1e-6) << job << " " << factor;
        }
    }
}

// 10 us are what links have; 100 us are left out, more are added.
TEST_F(SimilarScenarioTest, TakesTheDelaysOfRealLinks)
{
    Scenario scenario =
        Read("", "network: {delay: 10us, hosts: {ps0: {delay: 100us}, worker0: {delay: 101us}}}");
    EXPECT_TRUE(TakeOwnDelays(scenario.network));
    EXPECT_EQ(scenario.network.delay, ns3::MicroSeconds(10));
    EXPECT_EQ(scenario.network.hosts.at("ps0").delay.value(), ns3::MicroSeconds(10));
    EXPECT_EQ(scenario.network.hosts.at("worker0").delay.value(), ns3::MicroSeconds(101));
    EXPECT_FALSE(TakeOwnDelays(scenario.network));
}

TEST_F(SimilarScenarioTest, RefusesWhatCannotBeStretched)
{
    const auto refuse = [this](const std::string& job, const std::string& rest) {
        return m_folder.ErrorOf([&] { CheckStretchable(Read(job, rest)); });
    };
    EXPECT_EQ(refuse("", ""), "no error");
    EXPECT_EQ(refuse("", "other_jobs: [{profile: p.yaml}]"),
              "s.yaml:3:13: other_jobs: found 1 job; accepted: one job, for a certificate");
    EXPECT_EQ(refuse("",
                     "network: {background: [{from: x, to: ps0, rate: 1Mbps}], "
                     "extra_hosts: [x]}")
                  .substr(0, 52),
              "s.yaml:3:23: network.background: found 1 flow; accep");
    EXPECT_EQ(refuse("", "network: {queue: {shared: 1MB}}"),
              "s.yaml:3:18: network.queue: found a shared buffer, which real ports of this machine "
              "do not have; accepted: ports with memories of their own, for a certificate");
    EXPECT_NE(refuse("", "faults: [{slow: worker0, to: 0.5}]").find("a fault"), std::string::npos);
    m_folder.Write("t.csv", "time,speed\n0,1\n");
    EXPECT_NE(refuse(", devices: {d: {trace: t.csv}}", "").find("a trace of speeds"),
              std::string::npos);
}

TEST(RoundFactorUp, TakesFactorsThatDivideRates)
{
    const std::pair<double, double> factors[]{{0, 1},
                                              {0.3, 1},
                                              {1, 1},
                                              {1 + 1e-12, 1},
                                              {1.01, 1.25},
                                              {1.5, 1.6},
                                              {3, 4},
                                              {9, 10},
                                              {10, 10},
                                              {20, 20},
                                              {23, 25},
                                              {33, 40},
                                              {99.9, 100}};
    for (const auto& [wanted, factor] : factors)
    {
        EXPECT_DOUBLE_EQ(RoundFactorUp(wanted), factor) << wanted;
    }
}
