/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Where the two engines must agree, they do. Tolerances are relative.

#include "dml-case-suite.h"
#include "dml-packet-fixture.h"

#include "ns3/dml-channel-label.h"
#include "ns3/test.h"

#include <map>
#include <utility>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Long transfers, alone on the link: what remains is the start of TCP and the last ACK.
constexpr double LONG_TRANSFER = 0.02;

/// A step of long transfers with compute between them.
ProfileBuilder
LongStep()
{
    ProfileBuilder builder;
    builder.Pull("a", 20000000)
        .Pull("b", 5000000)
        .Compute("forward", {0.05}, {"pull/a", "pull/b"})
        .Push("b", 5000000, {"forward"})
        .Compute("backward", {0.02}, {"forward"})
        .Push("a", 20000000, {"backward"})
        .Update("b", 0.01)
        .Update("a", 0.01);
    return builder;
}

/// The step time of a lone worker, for several MTUs and windows.
class LoneWorkerCase : public TestCase
{
  public:
    LoneWorkerCase(uint32_t mtu, uint64_t window, bool timestamps)
        : TestCase("W = 1, MTU " + std::to_string(mtu) + ", window " + std::to_string(window) +
                   (timestamps ? ", timestamps" : "") + ": step times agree"),
          m_mtu(mtu),
          m_window(window),
          m_timestamps(timestamps)
    {
    }

  private:
    void DoRun() override
    {
        TwinRun twin(LongStep());
        twin.network.mtu = m_mtu;
        twin.network.tcp.timestamps = m_timestamps;
        twin.run.window = m_window;
        twin.Prepare({0}, 3);
        const auto fair = twin.RunFairShare();
        const auto packet = twin.RunPackets();
        NS_TEST_ASSERT_MSG_EQ(packet.steps.size(), 3, "all steps must end");
        for (std::size_t i = 0; i < packet.steps.size(); ++i)
        {
            const double expected = fair.steps[i].end - fair.steps[i].start;
            NS_TEST_EXPECT_MSG_EQ_TOL(packet.steps[i].end - packet.steps[i].start,
                                      expected,
                                      LONG_TRANSFER * expected,
                                      "duration of step " << i);
        }
        NS_TEST_EXPECT_MSG_EQ(twin.totals.drops, 0, "the queues hold everything");
    }

    uint32_t m_mtu;
    uint64_t m_window;
    bool m_timestamps;
};

/// Workers that only download, started together: each gets its equal share.
class EqualSharesCase : public TestCase
{
  public:
    explicit EqualSharesCase(uint32_t workers)
        : TestCase(std::to_string(workers) + " workers that only download: equal shares"),
          m_workers(workers)
    {
    }

  private:
    void DoRun() override
    {
        ProfileBuilder builder;
        builder.Pull("a", 20000000);
        TwinRun twin(builder);
        twin.Prepare(std::vector<double>(m_workers, 0.0), 1);
        const auto packet = twin.RunPackets();
        NS_TEST_ASSERT_MSG_EQ(packet.transfers.size(), m_workers, "one transfer each");
        // bytes / time is each worker's share: they would end together at W * bytes / rate
        const double expected = m_workers * 20e6 / twin.GetRate();
        for (const auto& transfer : packet.transfers)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(transfer.lastByte,
                                      expected,
                                      0.02 * expected,
                                      "worker " << GetWorker(transfer.channel));
        }
    }

    uint32_t m_workers;
};

/// Streams of 2, 5, 1, 4 and 7 windows end in the order that the two-turn rule gives, at its times.
class TwoTurnsCase : public TestCase
{
  public:
    TwoTurnsCase()
        : TestCase("Streams of 2, 5, 1, 4, 7 windows: the two-turn rule on the wire")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<uint64_t> windows{2, 5, 1, 4, 7};
        ProfileBuilder builder;
        for (std::size_t i = 0; i < windows.size(); ++i)
        {
            builder.Pull("t" + std::to_string(i), windows[i] * 1000000 - 40);
        }
        TwinRun twin(builder);
        twin.run.window = 1000000;
        twin.Prepare({0}, 1);
        const auto fair = twin.RunFairShare();
        const auto packet = twin.RunPackets();
        NS_TEST_ASSERT_MSG_EQ(packet.transfers.size(), windows.size(), "all must arrive");
        for (std::size_t i = 0; i < windows.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(packet.transfers[i].tensor,
                                  fair.transfers[i].tensor,
                                  "order of completion, place " << i);
            NS_TEST_EXPECT_MSG_EQ_TOL(packet.transfers[i].lastByte,
                                      fair.transfers[i].lastByte,
                                      0.003,
                                      "time of completion, place " << i);
        }
    }
};

/// The same turns, transfer by transfer, in both engines: the policy object is the same.
class SameTurnsCase : public TestCase
{
  public:
    explicit SameTurnsCase(const std::string& policy)
        : TestCase(policy + " makes the same turns in both engines"),
          m_policy(policy)
    {
    }

  private:
    /// Tensor sizes and order of the turns on the downlink.
    static std::vector<uint32_t> Turns(const RunRecorder& recorder)
    {
        std::vector<uint32_t> ops;
        for (const auto& chunk : recorder.chunks)
        {
            if (GetLabel(chunk.resource) == ResourceLabel::DOWNLINK)
            {
                ops.push_back(chunk.op);
            }
        }
        return ops;
    }

    void DoRun() override
    {
        ProfileBuilder builder;
        builder.Pull("a", 3000000).Pull("b", 900000).Pull("c", 2500000).Pull("d", 10);
        TwinRun twin(builder);
        twin.run.policy.SetTypeId(m_policy);
        twin.run.window = m_policy == "ns3::dml::FifoPolicy" ? 2147483647 : 1000000;
        twin.Prepare({0}, 2);
        const auto fair = Turns(twin.RunFairShare());
        const auto packet = Turns(twin.RunPackets());
        NS_TEST_ASSERT_MSG_EQ(packet.size(), fair.size(), "number of turns");
        NS_TEST_EXPECT_MSG_EQ((packet == fair), true, "order of turns");
    }

    std::string m_policy;
};

/// Connections whose windows shrink and grow from step to step have the same turns in both engines.
class WindowsByStepCase : public TestCase
{
  public:
    WindowsByStepCase()
        : TestCase("Windows that change from step to step make the same turns in both engines")
    {
    }

  private:
    /// Ops of the turns, by worker and direction.
    static std::map<std::pair<uint32_t, ResourceLabel>, std::vector<uint32_t>> Turns(
        const RunRecorder& recorder)
    {
        std::map<std::pair<uint32_t, ResourceLabel>, std::vector<uint32_t>> turns;
        for (const auto& chunk : recorder.chunks)
        {
            turns[{chunk.worker, GetLabel(chunk.resource)}].push_back(chunk.op);
        }
        return turns;
    }

    void DoRun() override
    {
        ProfileBuilder builder;
        builder.Pull("a", 3000000).Pull("b", 900000).Pull("c", 2500000);
        builder.Compute("forward", {0.01}, {"pull/a", "pull/b", "pull/c"});
        builder.Push("a", 3000000, {"forward"}).Push("b", 900000, {"forward"});
        TwinRun twin(builder);
        twin.run.windows = ConnectionWindows(2, 1, 28000000);
        twin.run.windows.Set(0, 0, true, {1000000, 400000, 28000000});
        twin.run.windows.Set(1, 0, false, {28000000, 1000000, 500000});
        twin.Prepare({0, 0.2}, 3);
        const auto fair = Turns(twin.RunFairShare());
        const auto packet = Turns(twin.RunPackets());
        // Worker 0: two streams of three are cut, then three, then none; in worker 1's uplink none,
        // one, both.
        const auto count = [&fair](uint32_t worker, ResourceLabel kind) {
            return fair.at({worker, kind}).size();
        };
        NS_TEST_EXPECT_MSG_EQ(count(0, ResourceLabel::DOWNLINK), 5 + 6 + 3, "turns of worker 0");
        NS_TEST_EXPECT_MSG_EQ(count(1, ResourceLabel::UPLINK), 2 + 3 + 4, "turns of worker 1");
        for (const auto& [where, ops] : fair)
        {
            if (where.second == ResourceLabel::DOWNLINK || where.second == ResourceLabel::UPLINK)
            {
                NS_TEST_EXPECT_MSG_EQ((packet.at(where) == ops),
                                      true,
                                      "turns of worker " << where.first);
            }
        }
    }
};

/// Two parameter servers: a lone worker's link is the bottleneck of both.
class TwoServersCase : public TestCase
{
  public:
    TwoServersCase()
        : TestCase("Two parameter servers, one worker: both engines halve the worker's link")
    {
    }

  private:
    void DoRun() override
    {
        ProfileBuilder builder;
        builder.Pull("x", 10000000).Pull("y", 10000000);
        TwinRun twin(builder, 2);
        twin.placement = {0, 1};
        twin.Prepare({0}, 1);
        const auto fair = twin.RunFairShare();
        const auto packet = twin.RunPackets();
        NS_TEST_ASSERT_MSG_EQ(packet.transfers.size(), 2, "both must arrive");
        for (std::size_t i = 0; i < 2; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(packet.transfers[i].lastByte,
                                      fair.transfers[i].lastByte,
                                      0.02 * fair.transfers[i].lastByte,
                                      "tensor " << packet.transfers[i].tensor);
        }
    }
};

} // namespace

static std::vector<TestCase*>
MakeCrossCases()
{
    return {new LoneWorkerCase(1500, 28000000, false),
            new LoneWorkerCase(1500, 28000000, true),
            new LoneWorkerCase(9000, 28000000, false),
            new LoneWorkerCase(9000, 1000000, false),
            new EqualSharesCase(2),
            new EqualSharesCase(4),
            new TwoTurnsCase(),
            new SameTurnsCase("ns3::dml::Http2WindowPolicy"),
            new SameTurnsCase("ns3::dml::FifoPolicy"),
            new WindowsByStepCase(),
            new TwoServersCase()};
}

static CaseSuite g_crossEngineSuite("dml-engines", MakeCrossCases()); //!< registers itself
