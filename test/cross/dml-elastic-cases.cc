/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Jobs without servers that go on when workers crash, and when they are back. All times are
// written down from the rounds and bytes of the algorithms; S is the buffer, B the rate of a link.

#include "dml-case-suite.h"
#include "dml-elastic-twin.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// @return worker, time, step, and whether it was in it and was ended, in order
std::vector<std::tuple<double, uint32_t, uint32_t, bool, bool>>
ListCrashRecords(const RunRecorder& recorder)
{
    std::vector<std::tuple<double, uint32_t, uint32_t, bool, bool>> list;
    for (const auto& crash : recorder.crashes)
    {
        list.emplace_back(crash.time,
                          crash.worker,
                          crash.step,
                          crash.start != UNKNOWN_TIME,
                          crash.ended);
    }
    std::sort(list.begin(), list.end());
    return list;
}

/// A run in the fair-share engine to 1e-9, and where it is asked for, in packets over both
/// transports to 2 % of its length.
class ElasticCase : public TestCase
{
  public:
    explicit ElasticCase(const std::string& name)
        : TestCase(name)
    {
    }

  protected:
    /// What is expected of each step.
    using Rounds = std::vector<Round>;

    void CheckRounds(const RunRecorder& recorder,
                     const Rounds& expected,
                     double tolerance,
                     const std::string& what)
    {
        const auto rounds = ListRounds(recorder);
        NS_TEST_EXPECT_MSG_EQ(rounds.size(), expected.size(), what << ": steps");
        for (const auto& [step, round] : rounds)
        {
            const Round& wanted = expected.at(step);
            NS_TEST_EXPECT_MSG_EQ_TOL(round.end,
                                      wanted.end,
                                      tolerance * expected.back().end,
                                      what << ": end of step " << step);
            NS_TEST_EXPECT_MSG_EQ(round.workers,
                                  wanted.workers,
                                  what << ": workers of step " << step);
        }
    }

    /// @param make the twin, without latency for packets @param expect of a twin
    void CheckEngines(const std::function<TwinRun()>& make,
                      const std::function<Rounds(const TwinRun&)>& expect,
                      const std::string& what)
    {
        const TwinRun ideal = make();
        CheckRounds(ideal.RunFairShare(), expect(ideal), 1e-9, what + ", fair-share");
        for (const char* transport : {"tcp", "grpc"})
        {
            TwinRun twin = make();
            twin.transfer.transport = transport;
            twin.network.mtu = 9000;
            twin.oneWayDelay = 0;
            CheckRounds(twin.RunPackets(), expect(twin), 0.02, what + ", " + transport);
        }
    }
};

/// Four workers; worker 1 crashes in the middle of the collective of step 1, and is back in the
/// middle of what three do in its place. S is such that a collective takes about as long as the
/// rest.
class CrashAndReturnCase : public ElasticCase
{
  public:
    CrashAndReturnCase()
        : ElasticCase("A ring is built again without a worker, and with it when it is back")
    {
    }

  private:
    void Check(const std::string& algorithm, const StepLength& four, const StepLength& three)
    {
        constexpr uint64_t BYTES = 2 * SMALL;
        const auto crashAt = [&](const TwinRun& twin) {
            const double all = four.Get(twin, BYTES);
            return all + COMPUTE + (all - COMPUTE - UPDATE) / 2;
        };
        const auto make = [&] {
            TwinRun twin = MakeElasticTwin(algorithm, 4, 4, BYTES);
            const double at = crashAt(twin);
            SetCrashes(twin, {{1, at, at + REBUILD + three.Get(twin, BYTES) / 2}});
            return twin;
        };
        const auto expect = [&](const TwinRun& twin) {
            const double at = twin.run.crashes.front().at;
            const double all = four.Get(twin, BYTES);
            // step 1 is done by three, and then all begin step 2 together
            const double first = at + REBUILD + three.Get(twin, BYTES);
            return Rounds{{all, 4},
                          {first, 3},
                          {first + REBUILD + all, 4},
                          {first + REBUILD + 2 * all, 4}};
        };
        CheckEngines(make, expect, algorithm);
    }

    void DoRun() override
    {
        Check("ring", RingOf(4), RingOf(3));
        // Three fold: one gives another all it has, S; half to the third, halves swapped, and the
        // result back: 0.5, 0.5 and 1.
        Check("halving-doubling", {4, 1.5}, {4, 3});
    }
};

/// Crashes for good, of worker 0 and in compute: those that are left are a ring of three.
class ForGoodCase : public ElasticCase
{
  public:
    ForGoodCase()
        : ElasticCase("Workers that have crashed for good are not waited for")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t BYTES = 2 * SMALL;
        const auto make = [&] {
            TwinRun twin = MakeElasticTwin("ring", 4, 5, BYTES);
            SetCrashes(twin, {{0, RingOf(4).Get(twin, BYTES) + COMPUTE / 2}});
            return twin;
        };
        const auto expect = [&](const TwinRun& twin) {
            const double begin = twin.run.crashes.front().at + REBUILD;
            const double three = RingOf(3).Get(twin, BYTES);
            return Rounds{{RingOf(4).Get(twin, BYTES), 4},
                          {begin + three, 3},
                          {begin + 2 * three, 3},
                          {begin + 3 * three, 3},
                          {begin + 4 * three, 3}};
        };
        CheckEngines(make, expect, "worker 0");
    }
};

/// While a ring is built again another one crashes, and it starts anew; then all but one are gone.
class SeveralCase : public ElasticCase
{
  public:
    SeveralCase()
        : ElasticCase("The newest members begin together, down to a single one")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t BYTES = SMALL;
        const auto make = [&] {
            TwinRun twin = MakeElasticTwin("ring", 4, 5, BYTES);
            const double four = RingOf(4).Get(twin, BYTES);
            const double first = four + COMPUTE + 0.01;
            const double second = first + REBUILD / 2;
            const double third = second + REBUILD + 1.5 * RingOf(2).Get(twin, BYTES);
            // worker 0 is back while the single one is still to begin, which begins with it
            SetCrashes(twin, {{1, first}, {3, second}, {0, third, third + REBUILD / 2}});
            return twin;
        };
        const auto expect = [&](const TwinRun& twin) {
            const auto& crashes = twin.run.crashes;
            const double two = RingOf(2).Get(twin, BYTES);
            const double begin = crashes[1].at + REBUILD;
            const double again = crashes[2].rejoin + REBUILD;
            return Rounds{{RingOf(4).Get(twin, BYTES), 4},
                          {begin + two, 2},
                          {again + two, 2},
                          {again + 2 * two, 2},
                          {again + 3 * two, 2}};
        };
        CheckEngines(make, expect, "two, and worker 0");

        const auto makeAlone = [&] {
            TwinRun twin = MakeElasticTwin("ring", 2, 3, BYTES);
            SetCrashes(twin, {{0, RingOf(2).Get(twin, BYTES) + 0.01}});
            return twin;
        };
        const auto expectAlone = [&](const TwinRun& twin) {
            const double begin = twin.run.crashes.front().at + REBUILD;
            const double step = COMPUTE + UPDATE; // there is nobody to talk to
            return Rounds{{RingOf(2).Get(twin, BYTES), 2},
                          {begin + step, 1},
                          {begin + 2 * step, 1}};
        };
        CheckEngines(makeAlone, expectAlone, "alone");

        // in packets the others are still connecting then
        const auto makeEarly = [&] {
            TwinRun twin = MakeElasticTwin("ring", 3, 3, BYTES);
            const double at = RingOf(3).Get(twin, BYTES) + 0.01;
            SetCrashes(twin, {{1, at, at + REBUILD + 1e-5}});
            return twin;
        };
        const auto expectEarly = [&](const TwinRun& twin) {
            const double three = RingOf(3).Get(twin, BYTES);
            const double end = twin.run.crashes.front().at + REBUILD + RingOf(2).Get(twin, BYTES);
            return Rounds{{three, 3}, {end, 2}, {end + REBUILD + three, 3}};
        };
        CheckEngines(makeEarly, expectEarly, "back at once");
    }
};

/// Halving and doubling of three: worker 1 folds all that it has into worker 0, then 0 and 2 swap
/// halves twice: 2 has all after 2 S/B and three latencies, worker 1 only after 3 S/B. When worker
/// 0 crashes between, 2 has the model after step 0, and 1 gets it from it.
class BehindCase : public ElasticCase
{
  public:
    BehindCase()
        : ElasticCase("A step that one has completed is not done again")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t BYTES = 2 * SMALL;
        const auto make = [&] {
            TwinRun twin = MakeElasticTwin("halving-doubling", 3, 3, BYTES);
            SetCrashes(twin, {{0, COMPUTE + UPDATE + 2.5 * BYTES / twin.GetRate()}});
            return twin;
        };
        const auto expect = [&](const TwinRun& twin) {
            const double second =
                COMPUTE + UPDATE + 3 * twin.oneWayDelay + 2 * BYTES / twin.GetRate();
            const double begin = twin.run.crashes.front().at + REBUILD;
            const double two = RingOf(2).Get(twin, BYTES); // swaps halves twice, as a ring of two
            return Rounds{{second, 1}, {begin + two, 2}, {begin + 2 * two, 2}};
        };
        CheckEngines(make, expect, "behind");
    }
};

/// Worker 2 has done the only step when worker 0 crashes: nobody is started again, so that a second
/// crash of worker 0, which would have been back by then, hits no process.
class OverCase : public ElasticCase
{
  public:
    OverCase()
        : ElasticCase("Nobody is started, or crashes again, once one has done the last step")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t BYTES = 2 * SMALL;
        TwinRun twin = MakeElasticTwin("halving-doubling", 3, 1, BYTES);
        const double at = COMPUTE + UPDATE + 2.5 * BYTES / twin.GetRate();
        SetCrashes(twin, {{0, at, at + REBUILD / 4}, {0, at + REBUILD, at + 2 * REBUILD}});
        for (const auto& recorder : {twin.RunFairShare(), twin.RunPackets()})
        {
            const auto rounds = ListRounds(recorder);
            NS_TEST_ASSERT_MSG_EQ(rounds.size(), 1, "steps");
            NS_TEST_EXPECT_MSG_EQ(rounds.at(0).workers, 1, "the one that was ahead");
            const auto crashes = ListCrashRecords(recorder);
            NS_TEST_ASSERT_MSG_EQ(crashes.size(), 2, "workers 0 and 1, once each");
            for (uint32_t i = 0; i < 2; ++i)
            {
                const auto& [time, worker, step, inStep, ended] = crashes[i];
                NS_TEST_EXPECT_MSG_EQ_TOL(time, at, 0.02 * at, "when " << i);
                NS_TEST_EXPECT_MSG_EQ(worker, i, "who");
                NS_TEST_EXPECT_MSG_EQ(ended, (i == 1), "who crashed " << i);
            }
            NS_TEST_EXPECT_MSG_EQ(recorder.rejoins.size(), 0, "nobody is started");
        }
    }
};

/// What is told of crashes and returns, and how much each network interface sends.
class ElasticRecordsCase : public ElasticCase
{
  public:
    ElasticRecordsCase()
        : ElasticCase("Crashes, ends and beginnings are told, and a smaller ring sends its bytes")
    {
    }

  private:
    void DoRun() override
    {
        TwinRun twin = MakeElasticTwin("ring", 4, 4, SMALL);
        twin.network.mtu = 9000;
        const double four = RingOf(4).Get(twin, SMALL);
        const double three = RingOf(3).Get(twin, SMALL);
        const double at = four + COMPUTE + 0.02;
        SetCrashes(twin, {{2, at, at + REBUILD + three / 2}});
        const double end = at + REBUILD + three;
        for (const auto& recorder : {twin.RunFairShare(), twin.RunPackets()})
        {
            const auto crashes = ListCrashRecords(recorder);
            NS_TEST_ASSERT_MSG_EQ(crashes.size(), 4 + 3, "all at the crash, three at the return");
            for (std::size_t i = 0; i < crashes.size(); ++i)
            {
                const auto& [time, worker, step, inStep, ended] = crashes[i];
                const bool first = i < 4;
                const double when = first ? at : end;
                NS_TEST_EXPECT_MSG_EQ_TOL(time, when, 0.02 * end, "when " << i);
                NS_TEST_EXPECT_MSG_EQ(step, (first ? 1 : 2), "in which step " << i);
                NS_TEST_EXPECT_MSG_EQ(inStep, first, "whether a step was lost " << i);
                NS_TEST_EXPECT_MSG_EQ(ended, (!first || worker != 2), "who crashed " << i);
            }
            NS_TEST_ASSERT_MSG_EQ(recorder.rejoins.size(), 3 + 4, "three, then all");
            for (std::size_t i = 0; i < recorder.rejoins.size(); ++i)
            {
                const RejoinRecord& rejoin = recorder.rejoins[i];
                const double when = (i < 3 ? at : end) + REBUILD;
                NS_TEST_EXPECT_MSG_EQ(rejoin.step, (i < 3 ? 1 : 2), "which step " << i);
                NS_TEST_EXPECT_MSG_EQ_TOL(rejoin.time, when, 0.02 * end, "when " << i);
            }
            std::map<std::pair<uint32_t, uint32_t>, uint64_t> sent; // by worker and step
            for (const auto& chunk : recorder.chunks)
            {
                if (chunk.resource.kind == ResourceKind::CHANNEL && chunk.start > at)
                {
                    sent[{chunk.resource.at.index, chunk.step}] += chunk.bytes;
                }
            }
            for (const uint32_t worker : {0U, 1U, 3U})
            {
                // messages have headers
                NS_TEST_EXPECT_MSG_EQ_TOL(sent[std::pair(worker, 1U)] / (4.0 / 3 * SMALL),
                                          1,
                                          1e-4,
                                          "three in step 1");
                NS_TEST_EXPECT_MSG_EQ_TOL(sent[std::pair(worker, 2U)] / (1.5 * SMALL),
                                          1,
                                          1e-4,
                                          "four in step 2");
            }
        }
    }
};

/// When nobody is left who has the model, the run fails; it is deterministic up to there.
class ModelLostCase : public ElasticCase
{
  public:
    ModelLostCase()
        : ElasticCase("A run fails when all who have the model have crashed")
    {
    }

  private:
    /// @return the error of a run
    template <typename Run>
    std::string ErrorOf(const Run& run)
    {
        try
        {
            run();
        }
        catch (const RunError& error)
        {
            return error.what();
        }
        return "none";
    }

    void DoRun() override
    {
        TwinRun twin = MakeElasticTwin("ring", 2, 9, SMALL);
        // worker 0 comes back while worker 1 is in a step, and has not got the model when it goes
        const double two = RingOf(2).Get(twin, SMALL);
        const double begin = 0.2 + REBUILD;
        SetCrashes(twin, {{0, 0.2, begin + 0.02}, {1, begin + 0.04, begin + 5 * two}});
        const std::string text = "all workers that had the model have crashed by 0.740000 s, so "
                                 "nobody can go on with it";
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([&] { twin.RunFairShare(); }), text, "fair-share");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([&] { twin.RunPackets(); }), text, "packets");
    }
};

/// The same run twice.
class RepeatedCase : public ElasticCase
{
  public:
    RepeatedCase()
        : ElasticCase("Runs with crashes are the same each time")
    {
    }

  private:
    void DoRun() override
    {
        TwinRun twin = MakeElasticTwin("tree", 5, 6, SMALL / 8);
        twin.network.mtu = 9000;
        SetCrashes(twin, {{0, 0.25, 1.1}, {3, 1.2, 2.5}, {4, 2.4}});
        const auto check = [this](const RunRecorder& one, const RunRecorder& other) {
            NS_TEST_ASSERT_MSG_EQ(one.steps.size(), other.steps.size(), "steps");
            NS_TEST_EXPECT_MSG_GT_OR_EQ(one.steps.size(), 4 * 6 - 2, "four do nearly all");
            for (std::size_t i = 0; i < one.steps.size(); ++i)
            {
                NS_TEST_EXPECT_MSG_EQ(one.steps[i].worker, other.steps[i].worker, "worker");
                NS_TEST_EXPECT_MSG_EQ(one.steps[i].end, other.steps[i].end, "end");
            }
        };
        check(twin.RunFairShare(), twin.RunFairShare());
        check(twin.RunPackets(), twin.RunPackets());
    }
};

/// @return the cases of this file
std::vector<TestCase*>
MakeElasticCases()
{
    return {new CrashAndReturnCase,
            new ForGoodCase,
            new SeveralCase,
            new BehindCase,
            new OverCase,
            new ElasticRecordsCase,
            new ModelLostCase,
            new RepeatedCase};
}

static CaseSuite g_elasticSuite("dml-elastic", MakeElasticCases()); //!< registers itself

} // namespace
