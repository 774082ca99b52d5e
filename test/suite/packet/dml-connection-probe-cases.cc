/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-case-suite.h"
#include "dml-packet-fixture.h"

#include "ns3/dml-bdp-estimator.h"
#include "ns3/dml-channel-label.h"
#include "ns3/test.h"

#include <cmath>
#include <map>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr double BYTES = 40e6; //!< of a gradient, sent in about 0.7 s a step of two workers

/// By sending worker, what was said of the connection with its gradients.
std::map<uint32_t, std::vector<ConnectionRecord>>
SampleGradients(TwinRun& twin)
{
    RunRecorder recorder;
    PacketEngine engine(twin.run, twin.network, twin.transfer, &recorder);
    engine.SampleConnections();
    twin.totals = engine.Run();
    std::map<uint32_t, std::vector<ConnectionRecord>> found;
    for (const auto& record : recorder.connections)
    {
        if (GetDirection(record.channel) == Direction::UPLINK)
        {
            found[GetWorker(record.channel)].push_back(record);
        }
    }
    return found;
}

/// Two workers that push, by windows that grow.
TwinRun
MakeRun()
{
    ProfileBuilder builder;
    builder.Push("a", BYTES);
    TwinRun twin(builder);
    twin.transfer.grant = "bdp";
    twin.run.window = BdpEstimator::MIN_WINDOW;
    twin.network.mtu = 9000;
    twin.Prepare({0, 0}, 4);
    return twin;
}

/// Windows begin at 4 MiB, and grow to what the run says, or to gRPC's largest.
class GrownWindowCase : public TestCase
{
  public:
    GrownWindowCase()
        : TestCase("Connections are sampled every 100 ms; their windows grow to their limits")
    {
    }

  private:
    void DoRun() override
    {
        TwinRun twin = MakeRun();
        twin.run.windows = ConnectionWindows(2, 1, BdpEstimator::MAX_WINDOW);
        twin.run.windows.Set(1, 0, false, {6 << 20});
        auto found = SampleGradients(twin);
        for (const uint32_t worker : {0, 1})
        {
            const auto& records = found[worker];
            NS_TEST_ASSERT_MSG_GT(records.size(), 20, "2.7 s of 0.1 s");
            for (std::size_t i = 0; i < records.size(); ++i)
            {
                const ConnectionRecord& record = records[i];
                NS_TEST_EXPECT_MSG_EQ_TOL(record.time, 0.1 * i, 1e-9, "sample " << i);
                NS_TEST_EXPECT_MSG_EQ(record.connection, 0, "the only one");
                NS_TEST_EXPECT_MSG_GT(record.roundTrip, 0, "measured by the handshake");
                NS_TEST_EXPECT_MSG_EQ(record.retransmissions, 0, "nothing is lost");
            }
            NS_TEST_EXPECT_MSG_EQ(records.front().streamWindow, BdpEstimator::MIN_WINDOW, "first");
            NS_TEST_EXPECT_MSG_GT(records.front().congestionWindow, 8000, "a segment at least");
            NS_TEST_EXPECT_MSG_GT(records.back().congestionWindow, 100000, "bytes, not segments");
        }
        NS_TEST_EXPECT_MSG_EQ(found[0].back().streamWindow, BdpEstimator::MAX_WINDOW, "gRPC's");
        NS_TEST_EXPECT_MSG_EQ(found[1].back().streamWindow, 6 << 20, "the run's");
    }
};

/// Every retransmission is of one connection: those with gradients have all of them.
class RetransmissionCase : public TestCase
{
  public:
    RetransmissionCase()
        : TestCase("Retransmissions of connections add up to those of the run")
    {
    }

  private:
    void DoRun() override
    {
        TwinRun twin = MakeRun();
        twin.network.queue.bytes = 50000;
        uint64_t sum = 0;
        for (const auto& [worker, records] : SampleGradients(twin))
        {
            sum += records.back().retransmissions;
        }
        NS_TEST_EXPECT_MSG_GT(sum, 0, "some are lost");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(sum, twin.totals.tcp.retransmissions, "no more than all");
        NS_TEST_EXPECT_MSG_GT(sum, 0.8 * twin.totals.tcp.retransmissions, "until the last sample");
    }
};

} // namespace

static std::vector<TestCase*>
MakeConnectionProbeCases()
{
    return {new GrownWindowCase(), new RetransmissionCase()};
}

static CaseSuite g_connectionProbeSuite("dml-connection-probe",
                                        MakeConnectionProbeCases()); //!< registers itself
