/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// TCP at the level of bursts: closed forms where there are some, and what holds for any run:
// conservation, capacity, order, and independence of how often the engine asks.

#include "dml-burst-star.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr double SEGMENT = 1448;
constexpr double FULL = 1502;

/// @return a star without random times
BurstStar::Options
Exact()
{
    BurstStar::Options options;
    options.queue = {QueueSpec::Kind::DROP_TAIL, 0};
    options.tcp.ackJitter = Time(0);
    return options;
}

/// @return a star whose ports drop
BurstStar::Options
Lossy(uint32_t workers, uint64_t bytes)
{
    BurstStar::Options options;
    options.workers = workers;
    options.queue = {QueueSpec::Kind::DROP_TAIL, bytes};
    return options;
}

TEST(BurstSharing, ABurstIsForwardedWhileItComes)
{
    BurstStar star(Exact());
    const auto turn = star.Send(BurstStar::Push(0), 2 * SEGMENT, 0);
    star.Run();
    // both links at the same rate: the second one lags by a segment
    EXPECT_EQ(star.Get(turn).accepted, 0);
    EXPECT_NEAR(star.Get(turn).arrived, 3 * FULL / star.LinkRate() + 20e-6, 1e-12);
}

TEST(BurstSharing, ATokenBucketIsSentAtOnceAndFillsAtTheRateOfTheLink)
{
    BurstStar::Options options = Exact();
    options.tokenBucket = 10 * static_cast<uint64_t>(FULL);
    // from the second burst on the host has always more to send than tokens
    for (const auto& [segments, tolerance] : {std::pair{10, 1e-12}, {100, 1e-9}})
    {
        BurstStar star(options);
        const auto turn = star.Send(BurstStar::Push(0), segments * SEGMENT, 0);
        star.Run();
        const double sent = (segments - 10) * FULL / star.LinkRate();
        EXPECT_NEAR(star.Get(turn).arrived, sent + 20e-6, tolerance) << segments;
    }
}

TEST(BurstSharing, ABurstAndItsAckAreThreeEventsEach)
{
    BurstStar star(Exact());
    star.Send(BurstStar::Push(0), 2 * SEGMENT, 0);
    star.Run();
    // the ports of a host and of the switch, and the other host; the ACK likewise
    EXPECT_EQ((*star).GetTotals()->events, 6u);
}

// The first ten segments of a longer transfer are a burst, which is acknowledged at once here. The
// ACK takes 54 bytes of its host's link.
constexpr double ACK = FULL - SEGMENT;
constexpr LinkId TO_SERVER = 1; // from the switch

/// @return when a pull's first burst has arrived
double
FindFirstAck(const BurstStar& star)
{
    return 6 * FULL / star.LinkRate() + 20e-6; // half of the first window is a burst
}

TEST(BurstSharing, AnAckWaitsBehindWhatHasLeftWhileItWasSent)
{
    BurstStar::Options options = Exact();
    options.workers = 2;
    BurstStar star(options);
    const double segment = FULL / star.LinkRate();
    const double start = FindFirstAck(star) + ACK / star.LinkRate() / 2 - 2 * segment;
    star.Send(BurstStar::Pull(0), 20 * SEGMENT, 0);
    star.Run(start);
    const auto push = star.Send(BurstStar::Push(1), 2 * SEGMENT, start);
    star.Run();
    EXPECT_NEAR(star.Get(push).arrived, start + 3 * segment + 20e-6, 1e-12);
}

TEST(BurstSharing, AnAckHasLeftItsHostNoEarlierThanAskedFor)
{
    BurstStar star(Exact());
    const double sent = FindFirstAck(star) + ACK / star.LinkRate();
    star.Send(BurstStar::Pull(0), 20 * SEGMENT, 0);
    star.Run(sent - 1e-9);
    EXPECT_EQ(star.GetUse(TO_SERVER).segments, 0u);
    star.Run(sent + 1e-9);
    EXPECT_EQ(star.GetUse(TO_SERVER).segments, 1u);
}

TEST(BurstSharing, TheEngineHearsOfAnArrivalBeforeItsAckHasLeft)
{
    BurstStar star(Exact());
    star.Send(BurstStar::Pull(0), 2 * SEGMENT, 0);
    (*star).Finish(); // accepted
    EXPECT_EQ((*star).GetNextEnd(1).kind, FlowEnd::Kind::ARRIVED);
    EXPECT_EQ(star.GetUse(TO_SERVER).segments, 0u);
}

TEST(BurstSharing, ATrainIsStoredBeforeItIsForwarded)
{
    BurstStar::Options options = Exact();
    options.tcp.trains = true;
    BurstStar star(options);
    const auto turn = star.Send(BurstStar::Push(0), 2 * SEGMENT, 0);
    star.Run();
    EXPECT_NEAR(star.Get(turn).arrived, 4 * FULL / star.LinkRate() + 20e-6, 1e-12);
}

TEST(BurstSharing, SlowStartDoublesTheWindowEachRoundTrip)
{
    BurstStar::Options options = Exact();
    options.rate = 1e13; // sending takes no time
    options.delay = 25e-3;
    options.gsoSize = 0;
    options.tcp.hystart = false;
    options.tcp.smallQueues = false;
    BurstStar star(options);
    // rounds of 10, 20, 40 and 80 segments, which leave at 0, 100, 200 and 300 ms
    std::vector<std::size_t> turns;
    for (const uint32_t segments : {10, 20, 40, 80})
    {
        turns.push_back(star.Send(BurstStar::Push(0), segments * SEGMENT, 0));
    }
    star.Run();
    for (std::size_t round = 0; round < turns.size(); ++round)
    {
        EXPECT_NEAR(star.Get(turns[round]).arrived, 0.05 + 0.1 * round, 1e-6) << round;
    }
}

TEST(BurstSharing, ALongTransferFillsALosslessLink)
{
    BurstStar star(Exact());
    const double bytes = 100e6;
    const auto turn = star.Send(BurstStar::Push(0), bytes, 0);
    star.Run();
    EXPECT_GE(star.Get(turn).arrived, star.Seconds(bytes));
    EXPECT_LE(star.Get(turn).arrived, star.Seconds(bytes) + 2e-3);
    EXPECT_EQ(star.CountDrops(), 0u);
}

TEST(BurstSharing, AFixedSendBufferLimitsAFlowOnALongPath)
{
    BurstStar::Options options = Exact();
    options.rate = 1e9;
    options.delay = 10e-3; // round trip: 40 ms
    options.tcp.autotuning = false;
    options.tcp.sendBuffer = 1000000;
    BurstStar star(options);
    const auto turn = star.Send(BurstStar::Push(0), 200e6, 0);
    star.Run();
    const double roundTrips = star.Get(turn).arrived / 40e-3;
    // a buffer's worth in a round trip, or as little as three quarters of it: what is free is
    // filled when it is a quarter
    EXPECT_GE(roundTrips, 200);
    EXPECT_LE(roundTrips, 200 / 0.75 + 20);
}

TEST(BurstSharing, AFairPortGivesEqualRatesWhateverTheRoundTrips)
{
    BurstStar::Options options = Exact();
    options.workers = 2;
    options.queue = {QueueSpec::Kind::FAIR, 0};
    options.workerDelays = {10e-6, 500e-6};
    BurstStar star(options);
    const double bytes = 50e6;
    const auto near = star.Send(BurstStar::Push(0), bytes, 0);
    const auto far = star.Send(BurstStar::Push(1), bytes, 0);
    star.Run();
    EXPECT_NEAR(star.Get(near).arrived, star.Seconds(2 * bytes), 0.01 * star.Seconds(2 * bytes));
    EXPECT_NEAR(star.Get(far).arrived, star.Seconds(2 * bytes), 0.01 * star.Seconds(2 * bytes));
}

TEST(BurstSharing, OppositeDirectionsTakeOnlyAcksFromEachOther)
{
    BurstStar star(Exact());
    const double bytes = 50e6;
    const auto push = star.Send(BurstStar::Push(0), bytes, 0);
    const auto pull = star.Send(BurstStar::Pull(0), bytes, 0);
    star.Run();
    // an ACK of 54 bytes for a burst of ten segments
    const double least = star.Seconds(bytes) * (1 + 54 / (10 * FULL));
    for (const auto turn : {push, pull})
    {
        EXPECT_GE(star.Get(turn).arrived, star.Seconds(bytes));
        EXPECT_LE(star.Get(turn).arrived, least + 5e-3);
    }
}

TEST(BurstSharing, NothingIsLostWherePortsDrop)
{
    for (const uint64_t port : {64000, 250000, 1000000})
    {
        for (const uint32_t workers : {2, 5, 16})
        {
            BurstStar star(Lossy(workers, port));
            const double bytes = 20e6;
            for (uint32_t worker = 0; worker < workers; ++worker)
            {
                star.Send(BurstStar::Push(worker), bytes, 0);
            }
            star.Run();
            double last = 0;
            for (uint32_t worker = 0; worker < workers; ++worker)
            {
                ASSERT_GE(star.Get(worker).arrived, 0) << port << ", " << workers;
                last = std::max(last, star.Get(worker).arrived);
            }
            // no faster than the link, and not much slower
            EXPECT_GE(last, star.Seconds(workers * bytes)) << port << ", " << workers;
            EXPECT_LE(last, 1.6 * star.Seconds(workers * bytes) + 0.5) << port << ", " << workers;
            EXPECT_GT(star.CountDrops(), 0u) << port << ", " << workers;
        }
    }
}

TEST(BurstSharing, TurnsOfAConnectionAreAcceptedAndArriveInOrder)
{
    BurstStar star(Lossy(4, 250000));
    for (uint32_t round = 0; round < 20; ++round)
    {
        for (uint32_t worker = 0; worker < 4; ++worker)
        {
            star.Send(BurstStar::Push(worker), 1e6 + 1000 * round, 0);
        }
    }
    star.Run();
    std::vector<std::vector<uint64_t>> accepted(8);
    std::vector<std::vector<uint64_t>> arrived(8);
    for (const auto& end : star.GetOrder())
    {
        (end.kind == FlowEnd::Kind::ACCEPTED ? accepted : arrived)[end.flow].push_back(end.order);
    }
    for (uint32_t worker = 0; worker < 4; ++worker)
    {
        const FlowId flow = BurstStar::Push(worker);
        ASSERT_EQ(accepted[flow].size(), 20u);
        EXPECT_EQ(accepted[flow], arrived[flow]);
        EXPECT_TRUE(std::is_sorted(arrived[flow].begin(), arrived[flow].end()));
        for (const auto turn : arrived[flow])
        {
            EXPECT_LE(star.Get(turn).accepted, star.Get(turn).arrived);
        }
    }
}

TEST(BurstSharing, HowOftenTheEngineAsksChangesNothing)
{
    std::vector<std::vector<double>> times;
    for (const double step : {std::numeric_limits<double>::infinity(), 1e-3, 7.3e-6})
    {
        BurstStar star(Lossy(4, 250000));
        for (uint32_t worker = 0; worker < 4; ++worker)
        {
            star.Send(BurstStar::Push(worker), 3e6, 0);
        }
        star.Run(0.5, step);
        times.emplace_back();
        for (uint32_t worker = 0; worker < 4; ++worker)
        {
            times.back().push_back(star.Get(worker).arrived);
        }
    }
    EXPECT_EQ(times[0], times[1]);
    EXPECT_EQ(times[0], times[2]);
}

TEST(BurstSharing, ReplicationsDifferAndRepeat)
{
    const auto run = [](uint32_t replication) {
        BurstStar::Options options = Lossy(4, 250000);
        options.replication = replication;
        BurstStar star(options);
        for (uint32_t worker = 0; worker < 4; ++worker)
        {
            star.Send(BurstStar::Push(worker), 3e6, 0);
        }
        star.Run();
        return star.Get(0).arrived;
    };
    EXPECT_EQ(run(1), run(1));
    EXPECT_NE(run(1), run(2));
}

TEST(BurstSharing, ALinkThatHalvesItsRateServesTheRestAtHalfTheSpeed)
{
    BurstStar::Options options = Exact();
    options.tcp.hystart = false;
    options.changes = true;
    BurstStar star(options);
    const double bytes = 25e6; // 0.2 s
    const auto turn = star.Send(BurstStar::Push(0), bytes, 0);
    star.Run(0.1);
    (*star).SetCapacity(1, options.rate / 2, 0.1);
    star.Run();
    EXPECT_NEAR(star.Get(turn).arrived, 0.3, 0.003);
}

TEST(BurstSharing, ALinkThatBecomesFasterKeepsTheOrderOfWhatWaits)
{
    for (const LinkId link : {1, 2})
    {
        BurstStar::Options options = Lossy(2, 1000000);
        options.changes = true;
        BurstStar star(options);
        star.Send(BurstStar::Push(0), 5e6, 0);
        star.Send(BurstStar::Push(1), 5e6, 0);
        star.Run(5e-3);
        (*star).SetCapacity(link, options.rate / 1000, 5e-3);
        star.Run(55e-3);
        EXPECT_LT(star.Get(0).arrived, 0);
        (*star).SetCapacity(link, options.rate, 55e-3);
        star.Run();
        // 10 MB take 80 ms, and 50 ms are lost; timers may cost some more
        EXPECT_GE(std::max(star.Get(0).arrived, star.Get(1).arrived), link == 1 ? 0.128 : 0.08);
        EXPECT_LE(star.Get(0).arrived, 1.0) << link;
        EXPECT_LE(star.Get(1).arrived, 1.0) << link;
    }
}

TEST(BurstSharing, AFlowGoesOnWhenItsLinkIsUpAgain)
{
    for (const bool atHost : {false, true})
    {
        BurstStar::Options options = Exact();
        BurstStar star(options);
        const auto turn = star.Send(BurstStar::Push(0), 25e6, 0);
        star.Run(0.1);
        const LinkId link = atHost ? 2 : 1;
        (*star).SetCapacity(link, 0, 0.1);
        star.Run(0.7);
        EXPECT_LT(star.Get(turn).arrived, 0);
        (*star).SetCapacity(link, options.rate, 0.7);
        star.Run();
        // after 0.2 s, then 0.4 s and so on, the timer tries again
        EXPECT_GE(star.Get(turn).arrived, 0.79);
        EXPECT_LE(star.Get(turn).arrived, 1.9) << atHost;
    }
}

TEST(BurstSharing, LostAcksAreAskedForAgain)
{
    constexpr LinkId TO_WORKER = 3;
    for (const double outage : {0.05, 1.0, 10.0})
    {
        BurstStar::Options options = Exact();
        BurstStar star(options);
        const auto first = star.Send(BurstStar::Push(0), 10 * SEGMENT, 0);
        (*star).SetCapacity(TO_WORKER, 0, 0);
        star.Run(outage);
        EXPECT_GE(star.Get(first).arrived, 0) << "only ACKs are lost";
        (*star).SetCapacity(TO_WORKER, options.rate, outage);
        const auto second = star.Send(BurstStar::Push(0), 100 * SEGMENT, outage);
        star.Run();
        EXPECT_GE(star.Get(second).arrived, outage);
        EXPECT_LE(star.Get(second).arrived, 2.2 * outage + 0.5) << "timers have doubled";
    }
}

TEST(BurstSharing, LoneSegmentsAreAcknowledgedFortyMillisecondsAfterTheyCome)
{
    BurstStar::Options options = Exact();
    options.gsoSize = 0;
    BurstStar star(options);
    const auto count = [&star](double until) {
        star.Run(until);
        return star.GetUse(0).segments; // the server sends ACKs only
    };
    star.Send(BurstStar::Push(0), SEGMENT, 0);
    EXPECT_EQ(count(10e-3), 0u);
    star.Send(BurstStar::Push(0), SEGMENT, 10e-3); // the second one is acknowledged at once
    EXPECT_EQ(count(15e-3), 1u);
    star.Send(BurstStar::Push(0), SEGMENT, 20e-3);
    EXPECT_EQ(count(59e-3), 1u); // nothing is due at 40 ms any more
    EXPECT_EQ(count(61e-3), 2u);
    star.Send(BurstStar::Push(0), SEGMENT, 70e-3);
    EXPECT_EQ(count(109e-3), 2u);
    EXPECT_EQ(count(111e-3), 3u);
}

TEST(BurstSharing, DataThatComeWhileAnAckPassesAreNotHeldUp)
{
    // bursts fill the link in both directions, and are known when their last segments come
    BurstStar::Options options = Lossy(1, 64000);
    options.rate = 1.25e9;
    options.gsoSize = 65536;
    BurstStar star(options);
    star.Send(BurstStar::Push(0), 50e6, 0);
    star.Send(BurstStar::Pull(0), 50e6, 0);
    star.Run();
    EXPECT_EQ(star.CountDrops(), 0u);
    EXPECT_LE(star.Get(0).arrived, 1.02 * star.Seconds(50e6) + 1e-3);
}

TEST(BurstSharing, AStoppedFlowSaysNothingMoreAndStartsAfresh)
{
    BurstStar star(Exact());
    const auto first = star.Send(BurstStar::Push(0), 25e6, 0);
    star.Run(0.1);
    (*star).Stop(BurstStar::Push(0), 0.1);
    star.Run(0.5);
    EXPECT_LT(star.Get(first).arrived, 0);
    const auto second = star.Send(BurstStar::Push(0), 12.5e6, 0.5);
    star.Run();
    EXPECT_LT(star.Get(first).arrived, 0);
    EXPECT_NEAR(star.Get(second).arrived, 0.6, 2e-3);
}

TEST(BurstSharing, MarksKeepADctcpQueueShortWithoutLoss)
{
    BurstStar::Options options = Lossy(4, 1000000);
    options.queue = {QueueSpec::Kind::ECN, 1000000, 100000};
    options.tcp.variant = "dctcp";
    BurstStar star(options);
    for (uint32_t worker = 0; worker < 4; ++worker)
    {
        star.Send(BurstStar::Push(worker), 25e6, 0);
    }
    star.Run();
    double last = 0;
    for (uint32_t worker = 0; worker < 4; ++worker)
    {
        last = std::max(last, star.Get(worker).arrived);
    }
    EXPECT_EQ(star.CountDrops(), 0u);
    EXPECT_LE(last, 1.05 * star.Seconds(100e6));
}

/// @return a star of two workers that send for long through a port that marks above 65 packets of
/// 1500 bytes, and a third that is idle
BurstStar::Options
Marking(const std::string& first, const std::string& second)
{
    BurstStar::Options options = Lossy(3, 1000000);
    options.queue = {QueueSpec::Kind::ECN, 1000000, 97500};
    options.delay = 50e-6;
    options.variants = {first, second, "cubic"};
    return options;
}

/// A port over time, from 0.2 s, when connections have left slow start, to 0.6 s.
struct WatchedPort
{
    double least{1e9}; //!< packets
    double most{0};    //!< packets
    double mean{0};    //!< packets
};

WatchedPort
WatchPort(BurstStar& star)
{
    WatchedPort port;
    constexpr uint32_t LOOKS = 4000;
    for (uint32_t look = 0; look < LOOKS; ++look)
    {
        const double now = 0.2 + 1e-4 * look;
        star.Run(now);
        // what an ACK of the idle worker would wait behind
        const double waits = (*star).GetReturnWait(BurstStar::Pull(2), now);
        const double packets = waits * star.LinkRate() / FULL;
        port.least = std::min(port.least, packets);
        port.most = std::max(port.most, packets);
        port.mean += packets / LOOKS;
    }
    return port;
}

/// @return the port while two workers with the same control send
WatchedPort
WatchPair(const std::string& variant, bool exact)
{
    BurstStar::Options options = Marking(variant, variant);
    if (exact)
    {
        options.gsoSize = 0;
        options.tcp.ackJitter = Time(0);
    }
    BurstStar star(options);
    star.Send(BurstStar::Push(0), 100e6, 0);
    star.Send(BurstStar::Push(1), 100e6, 0);
    const WatchedPort port = WatchPort(star);
    EXPECT_EQ(star.CountDrops(), 0u) << variant;
    return port;
}

/**
 * N = 2 DCTCP connections in step keep a queue between K + N - A and K + N packets, where A =
 * sqrt(2 N (C RTT + K)) / 2 (Alizadeh et al.: Data Center TCP, SIGCOMM 2010, section 3.3). With K =
 * 65, and C RTT = 17 packets on their way in the 200 us of the links, A is 9: from 58 to 67. The
 * model is one of rates: here windows are whole packets, so some more or less are allowed for.
 */
TEST(BurstSharing, DctcpKeepsTheQueueAtTheThreshold)
{
    const WatchedPort port = WatchPair("dctcp", true);
    EXPECT_GT(port.least, 58 - 4);
    EXPECT_LT(port.most, 67 + 8);
    EXPECT_NEAR(port.mean, 63, 4);
    // bursts of ten packets and receivers that take their time spread it, about the same mean
    EXPECT_NEAR(WatchPair("dctcp", false).mean, 63, 6);
    // Reno halves its window at a mark, whatever part of its packets were marked
    const WatchedPort reno = WatchPair("linux-reno", true);
    EXPECT_LT(reno.least, 58 - 10);
    EXPECT_LT(reno.mean, port.mean - 5);
}

/// Each connection has its own control: who shrinks less at a mark gets more, whoever it is.
TEST(BurstSharing, ConnectionsMayHaveCongestionControlsOfTheirOwn)
{
    for (const uint32_t dctcp : {0, 1})
    {
        BurstStar star(
            Marking(dctcp == 0 ? "dctcp" : "linux-reno", dctcp == 1 ? "dctcp" : "linux-reno"));
        const auto mild = star.Send(BurstStar::Push(dctcp), 25e6, 0);
        const auto hard = star.Send(BurstStar::Push(1 - dctcp), 25e6, 0);
        star.Run();
        // 25 MB at three fourths of the link, or more; both together are done after twice 25 MB
        EXPECT_LT(star.Get(mild).arrived, star.Seconds(25e6) / 0.75);
        EXPECT_NEAR(star.Get(hard).arrived, star.Seconds(50e6), 0.05 * star.Seconds(50e6));
        EXPECT_EQ(star.CountDrops(), 0u);
    }
}

TEST(BurstSharing, AControlThatBurstsDoNotHaveIsRefused)
{
    FairShareNetwork network;
    network.rule = SharingRule::BURSTS;
    network.links = MakeStarFlowNetwork({2, 1}, 1e8, 1e8);
    network.links.delaysRequests = true;
    TcpNetwork tcp;
    for (LinkId link = 0; link < network.links.capacities.size(); ++link)
    {
        const bool atSwitch = link % 2 == 1;
        tcp.ports.push_back({0, {QueueSpec::Kind::FAIR, 0}, 15000, atSwitch});
    }
    tcp.variants = {"cubic", "ns3::TcpDctcp"};
    network.tcp = std::make_shared<TcpNetwork>(tcp);
    PrepareFairShareNetwork(network);
    EXPECT_NO_THROW(MakeBandwidthSharing(network, nullptr)) << "nobody has the other one";
    network.links.flows[3].control = 1;
    try
    {
        MakeBandwidthSharing(network, nullptr);
        FAIL() << "no error";
    }
    catch (const InputError& error)
    {
        EXPECT_NE(std::string(error.what())
                      .find("congestion control ns3::TcpDctcp, a class that only packets run"),
                  std::string::npos)
            << error.what();
    }
}

TEST(BurstSharing, ALaterOriginChangesNothing)
{
    std::vector<double> arrived;
    for (const bool moves : {false, true})
    {
        BurstStar star(Lossy(4, 250000));
        for (uint32_t worker = 0; worker < 4; ++worker)
        {
            star.Run(worker * 1e-3 / 7);
            star.Send(BurstStar::Push(worker), 25e6, worker * 1e-3 / 7);
        }
        star.Run(0.125);
        double origin = 0;
        if (moves)
        {
            (*star).MoveOrigin(0.125);
            origin = 0.125;
        }
        star.Run();
        arrived.push_back(star.Get(0).arrived + origin);
    }
    EXPECT_NEAR(arrived[0], arrived[1], 1e-9);
}

TEST(BurstSharing, LoneLosersOfAnIncastAreFoundByProbesBeforeTheTimer)
{
    // a short transfer that loses its tail is repaired by a probe, in far less than 200 ms
    BurstStar star(Lossy(32, 64000));
    for (uint32_t worker = 0; worker < 32; ++worker)
    {
        star.Send(BurstStar::Push(worker), 10 * SEGMENT, 0);
    }
    star.Run();
    EXPECT_GT(star.CountDrops(), 0u);
    uint32_t early = 0;
    for (uint32_t worker = 0; worker < 32; ++worker)
    {
        ASSERT_GE(star.Get(worker).arrived, 0);
        early += star.Get(worker).arrived < 0.19 ? 1 : 0;
    }
    EXPECT_GE(early, 24u);
}

/// Long transfers of four workers through a port of 4 MB.
BurstStar
RunThrough(const QueueSpec& queue)
{
    BurstStar::Options options = Lossy(4, 0);
    options.queue = queue;
    BurstStar star(options);
    for (uint32_t worker = 0; worker < 4; ++worker)
    {
        star.Send(BurstStar::Push(worker), 50e6, 0);
    }
    star.Run();
    return star;
}

TEST(BurstSharing, RedKeepsAPortShorterThanDropTail)
{
    const BurstStar tail = RunThrough({QueueSpec::Kind::DROP_TAIL, 4000000});
    const BurstStar red = RunThrough({QueueSpec::Kind::RED, 4000000});
    EXPECT_GT(tail.GetUse(1).fullest, 3.9e6);
    // from its upper threshold, 0.94 MB on average, to twice that it drops more and more
    EXPECT_GT(red.CountDrops(), 0u);
    EXPECT_LT(red.GetUse(1).fullest, 3e6);
    for (uint32_t worker = 0; worker < 4; ++worker)
    {
        EXPECT_GE(red.Get(worker).arrived, 0);
    }
}

TEST(BurstSharing, RedMarksWhatCanBeMarkedInsteadOfDroppingIt)
{
    QueueSpec queue{QueueSpec::Kind::RED, 4000000};
    queue.ecn = true;
    const BurstStar red = RunThrough(queue);
    EXPECT_EQ(red.CountDrops(), 0u);
    EXPECT_GT(red.GetUse(1).marked, 0u);
    EXPECT_LT(red.GetUse(1).fullest, 3e6);
}

TEST(BurstSharing, CodelActsOnQueuesThatStand)
{
    const BurstStar fair = RunThrough({QueueSpec::Kind::FAIR, 4000000});
    const BurstStar codel = RunThrough({QueueSpec::Kind::FQ_CODEL, 4000000});
    QueueSpec marking{QueueSpec::Kind::FQ_CODEL, 4000000};
    marking.ecn = true;
    const BurstStar marked = RunThrough(marking);
    EXPECT_GT(codel.CountDrops(), 0u);
    EXPECT_LT(codel.CountDrops(), fair.CountDrops());
    EXPECT_EQ(marked.CountDrops(), 0u);
    EXPECT_GT(marked.GetUse(1).marked, 0u);
    for (uint32_t worker = 0; worker < 4; ++worker)
    {
        EXPECT_LE(codel.Get(worker).arrived, 1.1 * codel.Seconds(200e6));
        EXPECT_LE(marked.Get(worker).arrived, 1.1 * marked.Seconds(200e6));
    }
}

} // namespace
