/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scratch-folder.h"

#include "ns3/dml-run-trace.h"
#include "ns3/dml-step-path.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>

using namespace ns3::dml;

namespace
{

/// Traces that are written by hand, times in seconds. Threads of a worker's process: 1 steps, 2
/// downlink, 3 cpu, 4 uplink, 5 collectives, 6 messages from another worker; of the server's: 1 + w
/// for worker w.
class DmlStepPath : public ::testing::Test
{
  protected:
    /// @param ops lines of the job, after one device "cpu" and the tensors "w" and "v"
    /// @param more of each process
    void Begin(const std::string& ops, uint32_t workers, const std::string& more = "")
    {
        m_text << R"({"otherData":{"schema":"dml-trace/1"},"traceEvents":[
{"ph":"M","name":"dml_profile","pid":1,"args":{"schema":"dml-trace/1","model":"m","batch_size":4,"samples":1,"source":[]}},
{"ph":"M","name":"dml_device","pid":1,"args":{"name":"cpu","slots":1}},
{"ph":"M","name":"dml_tensor","pid":1,"args":{"name":"w","bytes":100}},
{"ph":"M","name":"dml_tensor","pid":1,"args":{"name":"v","bytes":100}})"
               << ops;
        m_server = workers + 1;
        for (uint32_t pid = 1; pid <= m_server; ++pid)
        {
            const bool worker = pid < m_server;
            m_text << ",\n"
                   << R"({"ph":"M","name":"process_name","pid":)" << pid
                   << R"(,"args":{"name":"x","run":1,"engine":"packet",)"
                   << (worker ? "\"worker\":" : "\"ps\":") << (worker ? pid - 1 : 0) << more
                   << "}}";
            const std::string peer = "peer worker " + std::to_string(pid == 1 ? 1 : 0);
            const std::string titles[] =
                {"steps", "downlink PS 0", "cpu", "uplink PS 0", "collectives", peer};
            for (uint32_t tid = 1; tid <= (worker ? 6 : workers); ++tid)
            {
                m_text << ",\n"
                       << R"({"ph":"M","name":"thread_name","pid":)" << pid << ",\"tid\":" << tid
                       << R"(,"args":{"name":")"
                       << (worker ? titles[tid - 1] : "for worker " + std::to_string(tid - 1))
                       << "\"}}";
            }
        }
    }

    void Event(uint32_t pid, uint32_t tid, double start, double end, const std::string& args)
    {
        m_text << ",\n"
               << R"({"ph":"X","name":"x","pid":)" << pid << ",\"tid\":" << tid
               << ",\"ts\":" << std::llround(1e6 * start)
               << ",\"dur\":" << std::llround(1e6 * (end - start)) << ",\"args\":{" << args << "}}";
    }

    void Step(uint32_t worker, uint32_t step, double start, double end)
    {
        Event(worker + 1, 1, start, end, "\"step\":" + std::to_string(step) + ",\"sample\":0");
    }

    static std::string Op(uint32_t step, uint32_t op, const std::string& more = "")
    {
        return "\"step\":" + std::to_string(step) + ",\"op\":" + std::to_string(op) + more;
    }

    void Update(uint32_t worker, uint32_t step, uint32_t op, double start, double end)
    {
        Event(m_server,
              worker + 1,
              start,
              end,
              Op(step, op, ",\"worker\":" + std::to_string(worker)));
    }

    void Arrival(uint32_t worker, uint32_t tid, double time, const std::string& args)
    {
        m_text << ",\n"
               << R"({"ph":"i","s":"t","name":"x","pid":)" << worker + 1 << ",\"tid\":" << tid
               << ",\"ts\":" << std::llround(1e6 * time) << ",\"args\":{" << args << ",\"ps\":0}}";
    }

    /// What the worker has received from its peer.
    void Message(uint32_t worker, double ready, double arrival, uint32_t op = 2)
    {
        Event(worker + 1, 6, ready, arrival, Op(0, op, ",\"bytes\":50"));
        Arrival(worker, 6, arrival, Op(0, op, ",\"ready\":" + std::to_string(1e6 * ready)));
    }

    RecordedJob Read(CollectiveDetail detail = CollectiveDetail::MOVES) const
    {
        const RunTraces traces =
            ReadRunTraces(m_folder.Write("trace.json", m_text.str() + "\n]}\n"));
        return MakeRecordedJob(traces.job, traces.runs.front(), ReceiveStarts::CORRECTED, detail);
    }

    static double Get(const StepPath& path, TimePart part)
    {
        return path.GetParts()[static_cast<std::size_t>(part)];
    }

    /// Segments stand one behind the other, from the beginning to the end of the step.
    static void ExpectWhole(const StepPath& path)
    {
        ASSERT_FALSE(path.segments.empty());
        double at = path.step.start;
        for (const auto& segment : path.segments)
        {
            EXPECT_EQ(segment.start, at);
            at = segment.end;
        }
        EXPECT_EQ(at, path.step.end);
    }

    /// pull w, forward, push w, update w
    static constexpr const char* CHAIN = R"(,
{"ph":"M","name":"dml_op","pid":1,"args":{"name":"pull/w","kind":"pull","tensor":0,"deps":[]}},
{"ph":"M","name":"dml_op","pid":1,"args":{"name":"fwd","kind":"forward","device":0,"deps":[0]}},
{"ph":"M","name":"dml_op","pid":1,"args":{"name":"push/w","kind":"push","tensor":0,"deps":[1]}},
{"ph":"M","name":"dml_op","pid":1,"args":{"name":"update/w","kind":"update","tensor":0,"deps":[2]}})";

    std::ostringstream m_text; //!< of the trace
    uint32_t m_server{0};      //!< process of the server
    ScratchFolder m_folder;    //!< for the file
};

} // namespace

// The chunk of the pull waits half a second for a message, leaves until 12 and is there at 12.2;
// parsing until 12.5, forward until 14, push until 15; the update begins 0.1 s later, takes 0.2 s.
TEST_F(DmlStepPath, DividesAStep)
{
    Begin(CHAIN, 1);
    Event(1, 2, 10.5, 12, Op(0, 0, ",\"bytes\":100"));
    Arrival(0, 2, 12.2, Op(0, 0));
    Event(1, 3, 12.2, 12.5, Op(0, 0, ",\"parse\":1"));
    Event(1, 3, 12.5, 14, Op(0, 1));
    Event(1, 4, 14, 15, Op(0, 2, ",\"bytes\":100"));
    Arrival(0, 4, 15, Op(0, 2));
    Update(0, 0, 3, 15.1, 15.3);
    Step(0, 0, 10, 15.3);
    const RecordedJob job = Read();
    ASSERT_EQ(job.steps.size(), 1U);
    EXPECT_EQ(job.contradicted, 0U);
    const StepPath path = StepPathFinder(job).Find(job.steps[0]);
    ExpectWhole(path);
    EXPECT_NEAR(Get(path, TimePart::GAP), 0.6, 1e-9);
    EXPECT_NEAR(Get(path, TimePart::PULL), 1.7, 1e-9);
    EXPECT_NEAR(Get(path, TimePart::PARSE), 0.3, 1e-9);
    EXPECT_NEAR(Get(path, TimePart::COMPUTE), 1.5, 1e-9);
    EXPECT_NEAR(Get(path, TimePart::PUSH), 1, 1e-9);
    EXPECT_NEAR(Get(path, TimePart::UPDATE), 0.2, 1e-9);
    EXPECT_EQ(path.GetQueued(), 0);
    // half the time for computing saves 0.75 s of 5.3 s
    for (const auto& set : FindWhatIfs(job, {path}, 0.5))
    {
        if (set.scope == WhatIf::Scope::COMPUTE)
        {
            EXPECT_NEAR(set.gain, 0.75 / 5.3, 1e-9);
        }
    }
}

// Two pulls that are ready at once: the second one waits in the queue while the first one is sent.
TEST_F(DmlStepPath, TellsWhatWaitsInAQueue)
{
    Begin(R"(,
{"ph":"M","name":"dml_op","pid":1,"args":{"name":"pull/w","kind":"pull","tensor":0,"deps":[]}},
{"ph":"M","name":"dml_op","pid":1,"args":{"name":"pull/v","kind":"pull","tensor":1,"deps":[]}},
{"ph":"M","name":"dml_op","pid":1,"args":{"name":"fwd","kind":"forward","device":0,"deps":[0,1]}})",
          1);
    Event(1, 2, 0, 2, Op(0, 0, ",\"bytes\":100"));
    Event(1, 2, 2, 5, Op(0, 1, ",\"bytes\":100"));
    Event(1, 3, 5, 6, Op(0, 2));
    Step(0, 0, 0, 6);
    const RecordedJob job = Read();
    const StepPath path = StepPathFinder(job).Find(job.steps[0]);
    ExpectWhole(path);
    EXPECT_NEAR(Get(path, TimePart::PULL), 5, 1e-9);
    EXPECT_NEAR(path.GetQueued(), 2, 1e-9);
}

// Updates for both workers: worker 1 pushes from 4 to 6, when worker 0 has nothing to do any more;
// from 3 to 4, where worker 1 computes, worker 0 still sends. Worker 0 did the update for both.
TEST_F(DmlStepPath, WaitsForAnotherWorkerOnlyWhileIdle)
{
    Begin(CHAIN, 2);
    for (const uint32_t worker : {0, 1})
    {
        const double forward = worker == 0 ? 3 : 4;
        Event(worker + 1, 2, 0, 1, Op(0, 0, ",\"bytes\":100"));
        Event(worker + 1, 3, 1, forward, Op(0, 1));
        Event(worker + 1, 4, forward, worker == 0 ? 4 : 6, Op(0, 2, ",\"bytes\":100"));
    }
    Update(0, 0, 3, 6, 7);
    Step(0, 0, 0, 7);
    Step(1, 0, 0, 7);
    const RecordedJob job = Read();
    ASSERT_EQ(job.steps.size(), 2U);
    const StepPathFinder finder(job);
    const StepPath first = finder.Find(job.steps[0]);
    ExpectWhole(first);
    EXPECT_NEAR(Get(first, TimePart::OTHERS), 2, 1e-9);
    EXPECT_NEAR(Get(first, TimePart::COMPUTE), 3, 1e-9); // worker 1's, as its own runs, too
    EXPECT_NEAR(Get(first, TimePart::PULL), 1, 1e-9);
    EXPECT_NEAR(Get(first, TimePart::UPDATE), 1, 1e-9);
    const StepPath second = finder.Find(job.steps[1]);
    ExpectWhole(second);
    EXPECT_EQ(Get(second, TimePart::OTHERS), 0);
    EXPECT_NEAR(Get(second, TimePart::PUSH), 2, 1e-9);
    // what worker 0 computes has slack
    for (const auto& set : FindWhatIfs(job, {first, second}, 0.5))
    {
        EXPECT_NE(set.name, "what worker 0 computes");
        if (set.name == "what worker 1 computes")
        {
            EXPECT_NEAR(set.gain, 1.5 / 7, 1e-9); // its push ends at 4.5, still the last one
        }
    }
}

// A collective that worker 0 enters at 2 and worker 1 at 5 takes 1 s, not 4.
TEST_F(DmlStepPath, ACollectiveBeginsWhenAllAreThere)
{
    Begin(CHAIN, 2);
    for (const uint32_t worker : {0, 1})
    {
        const double computed = worker == 0 ? 2 : 5;
        Event(worker + 1, 3, 0, computed, Op(0, 1));
        Event(worker + 1, 5, computed, 6, Op(0, 2, ",\"bytes\":100"));
        Event(worker + 1, 3, 6, 6.5, Op(0, 3));
        Step(worker, 0, 0, 6.5);
    }
    const RecordedJob job = Read();
    const StepPathFinder finder(job);
    for (const auto& step : job.steps)
    {
        const StepPath path = finder.Find(step);
        ExpectWhole(path);
        EXPECT_NEAR(Get(path, TimePart::COLLECTIVE), 1, 1e-9);
        EXPECT_NEAR(Get(path, TimePart::UPDATE), 0.5, 1e-9);
        EXPECT_NEAR(Get(path, TimePart::OTHERS), step.worker == 0 ? 3 : 0, 1e-9);
        EXPECT_NEAR(Get(path, TimePart::COMPUTE), step.worker == 0 ? 2 : 5, 1e-9);
    }
}

// In the first round, worker 0 receives at 6.5 and worker 1 at 7; so worker 1 can go on at 7, and
// worker 0 at 6.5, but then its channel is not free until 7.
TEST_F(DmlStepPath, MessagesOfACollectiveWaitForThoseThatTheirSenderReceived)
{
    Begin(CHAIN, 2);
    for (const uint32_t worker : {0, 1})
    {
        const double computed = worker == 0 ? 2 : 5;
        Event(worker + 1, 3, 0, computed, Op(0, 1));
        Event(worker + 1, 5, computed, worker == 0 ? 9 : 8.5, Op(0, 2, ",\"bytes\":100"));
        Event(worker + 1, 3, 9, 9.5, Op(0, 3));
        Step(worker, 0, 0, 9.5);
    }
    Message(0, 5, 6.5);
    Message(1, 5, 7);
    Message(0, 7, 8);
    Message(1, 6.5, 8.5);
    const RecordedJob job = Read();
    EXPECT_EQ(job.contradicted, 0U) << job.example;
    std::map<double, GlobalOp> moves; // by their starts, of which two are moved a little
    for (GlobalOp op = 0; op < job.graph.ops.size(); ++op)
    {
        if (job.graph.ops[op].kind == JobOpKind::MOVE)
        {
            EXPECT_EQ(job.graph.ops[op].bytes, 50U);
            moves[job.execution.ops[op].start + 0.1 * job.graph.ops[op].worker] = op;
        }
    }
    ASSERT_EQ(moves.size(), 4U);
    const GlobalOp first0 = moves.at(5);
    const GlobalOp first1 = moves.at(5.1);
    const GlobalOp second0 = moves.at(7);
    const GlobalOp second1 = moves.at(7.1);
    EXPECT_EQ(job.graph.devices[job.graph.ops[first1].device], "worker 1, peer worker 0");
    EXPECT_EQ(job.execution.ops[second1].end, 8.5);
    const auto waits = [&job](GlobalOp before, GlobalOp after) {
        const auto dependents = job.graph.graph.GetDependents(before);
        return std::count(dependents.begin(), dependents.end(), after) > 0;
    };
    EXPECT_TRUE(waits(first1, second0));
    EXPECT_TRUE(waits(first0, second1));
    EXPECT_TRUE(waits(first0, second0)) << "of the same channel, in its order";
    EXPECT_TRUE(waits(first1, second1));
    EXPECT_FALSE(waits(second0, second1));
    EXPECT_FALSE(waits(first0, first1));
    const StepPathFinder finder(job);
    for (const auto& step : job.steps)
    {
        // worker 1 computes until 5, and then messages go until 8, 8.5, and a result is there
        const StepPath path = finder.Find(step);
        ExpectWhole(path);
        EXPECT_NEAR(Get(path, TimePart::COLLECTIVE), step.worker == 0 ? 4 : 3.5, 1e-9);
    }
    for (const auto& op : Read(CollectiveDetail::WHOLE).graph.ops)
    {
        EXPECT_NE(op.kind, JobOpKind::MOVE);
    }
}

// Both gradients are there at 2. That of v, which the job lists last, is reduced first, until 5;
// that of w waits for it and is reduced until 9. Each is a message each way that takes all of the
// time.
TEST_F(DmlStepPath, ACollectiveWaitsForTheOneBeforeIt)
{
    Begin(R"(,
{"ph":"M","name":"dml_op","pid":1,"args":{"name":"bwd","kind":"backward","device":0,"deps":[]}},
{"ph":"M","name":"dml_op","pid":1,"args":{"name":"push/w","kind":"push","tensor":0,"deps":[0]}},
{"ph":"M","name":"dml_op","pid":1,"args":{"name":"push/v","kind":"push","tensor":1,"deps":[0]}},
{"ph":"M","name":"dml_op","pid":1,"args":{"name":"update/w","kind":"update","tensor":0,"deps":[1]}},
{"ph":"M","name":"dml_op","pid":1,"args":{"name":"update/v","kind":"update","tensor":1,"deps":[2]}})",
          2);
    for (const uint32_t worker : {0, 1})
    {
        Event(worker + 1, 3, 0, 2, Op(0, 0));
        Message(worker, 2, 5, 2);
        Event(worker + 1, 5, 2, 5, Op(0, 2, ",\"bytes\":100"));
        Message(worker, 5, 9, 1);
        Event(worker + 1, 5, 5, 9, Op(0, 1, ",\"bytes\":100"));
        Event(worker + 1, 3, 9, 10, Op(0, 3));
        Event(worker + 1, 3, 10, 11, Op(0, 4));
        Step(worker, 0, 0, 11);
    }
    const RecordedJob job = Read();
    EXPECT_EQ(job.contradicted, 0U) << job.example;
    const StepPathFinder finder(job);
    std::vector<StepPath> paths;
    for (const auto& step : job.steps)
    {
        paths.push_back(finder.Find(step));
        ExpectWhole(paths.back());
        EXPECT_NEAR(Get(paths.back(), TimePart::COMPUTE), 2, 1e-9);
        EXPECT_NEAR(Get(paths.back(), TimePart::COLLECTIVE), 7, 1e-9);
        EXPECT_NEAR(Get(paths.back(), TimePart::UPDATE), 2, 1e-9);
        EXPECT_NEAR(paths.back().GetQueued(), 4, 1e-9) << "w from 2 to 5, an update 1 s";
    }
    for (const auto& set : FindWhatIfs(job, paths, 0.5))
    {
        if (set.scope == WhatIf::Scope::NETWORK)
        {
            EXPECT_NEAR(set.gain, 3.5 / 11, 1e-9);
        }
    }
}

// The messages are those of a worker's first round; nothing tells what goes on from 6 to 9, but all
// have entered the collective.
TEST_F(DmlStepPath, WhatIsNotKnownOfACollectiveBelongsToIt)
{
    Begin(CHAIN, 2);
    for (const uint32_t worker : {0, 1})
    {
        Event(worker + 1, 3, 0, 5, Op(0, 1));
        Message(worker, 8, 9);
        Event(worker + 1, 5, 5, 9, Op(0, 2, ",\"bytes\":100"));
        Event(worker + 1, 3, 9, 9.5, Op(0, 3));
        Step(worker, 0, 0, 9.5);
    }
    const RecordedJob job = Read();
    const StepPath path = StepPathFinder(job).Find(job.steps[0]);
    ExpectWhole(path);
    EXPECT_NEAR(Get(path, TimePart::COLLECTIVE), 4, 1e-9);
    EXPECT_EQ(Get(path, TimePart::GAP), 0);
}

// Two slices of 1 s, ready at once, of which the second one is only handed over when the first one
// has come, 2 s later; 0.5 s more for the word that it has.
TEST_F(DmlStepPath, ASliceWaitsUntilTheOneBeforeHasCome)
{
    Begin(R"(,
{"ph":"M","name":"dml_op","pid":1,"args":{"name":"pull/w","kind":"pull","tensor":0,"deps":[]}},
{"ph":"M","name":"dml_op","pid":1,"args":{"name":"pull/v","kind":"pull","tensor":1,"deps":[]}},
{"ph":"M","name":"dml_op","pid":1,"args":{"name":"fwd","kind":"forward","device":0,"deps":[0,1]}})",
          1);
    Event(1, 2, 0, 1, Op(0, 0, ",\"bytes\":100"));
    Arrival(0, 2, 3, Op(0, 0, ",\"ready\":0"));
    Event(1, 2, 3.5, 4.5, Op(0, 1, ",\"bytes\":100"));
    Arrival(0, 2, 6.5, Op(0, 1, ",\"ready\":0"));
    Event(1, 3, 6.5, 7, Op(0, 2));
    Step(0, 0, 0, 7);
    const RecordedJob job = Read();
    const StepPath path = StepPathFinder(job).Find(job.steps[0]);
    ExpectWhole(path);
    EXPECT_NEAR(Get(path, TimePart::PULL), 6, 1e-9);
    EXPECT_NEAR(Get(path, TimePart::GAP), 0.5, 1e-9);
    for (const auto& set : FindWhatIfs(job, {path}, 0.5))
    {
        if (set.scope == WhatIf::Scope::NETWORK)
        {
            EXPECT_NEAR(set.gain, 3.0 / 7, 1e-9);
        }
    }
}

// Worker 0 has done its step at 4 and may not go on before worker 1 has, at 9, as with SSP.
TEST_F(DmlStepPath, AStepThatIsDoneWaitsForAnotherWorker)
{
    for (const bool waits : {true, false})
    {
        m_text.str("");
        Begin(CHAIN, 2, waits ? ",\"waits\":1" : "");
        for (const uint32_t worker : {0, 1})
        {
            const double forward = worker == 0 ? 2 : 7;
            Event(worker + 1, 2, 0, 1, Op(0, 0, ",\"bytes\":100"));
            Event(worker + 1, 3, 1, forward, Op(0, 1));
            Event(worker + 1, 4, forward, forward + 1, Op(0, 2, ",\"bytes\":100"));
            Update(worker, 0, 3, forward + 1, forward + 2);
            Step(worker, 0, 0, 9);
        }
        const RecordedJob job = Read();
        const StepPath path = StepPathFinder(job).Find(job.steps[0]);
        ExpectWhole(path);
        EXPECT_NEAR(Get(path, TimePart::OTHERS), waits ? 4 : 0, 1e-9);
        EXPECT_NEAR(Get(path, TimePart::GAP), waits ? 0 : 5, 1e-9);
    }
}

// The server has one processor: it updates w for worker 0 from 3 to 5 and then for worker 1, whose
// gradient came at 4.
TEST_F(DmlStepPath, AnUpdateWaitsForTheProcessorOfTheServer)
{
    Begin(CHAIN, 2);
    for (const uint32_t worker : {0, 1})
    {
        const double forward = worker == 0 ? 2 : 3;
        Event(worker + 1, 2, 0, 1, Op(0, 0, ",\"bytes\":100"));
        Event(worker + 1, 3, 1, forward, Op(0, 1));
        Event(worker + 1, 4, forward, forward + 1, Op(0, 2, ",\"bytes\":100"));
        Update(worker, 0, 3, worker == 0 ? 3 : 5, worker == 0 ? 5 : 7);
        Step(worker, 0, 0, worker == 0 ? 5 : 7);
    }
    const RecordedJob job = Read();
    const StepPath path = StepPathFinder(job).Find(job.steps[1]);
    ExpectWhole(path);
    EXPECT_EQ(Get(path, TimePart::GAP), 0);
    EXPECT_NEAR(Get(path, TimePart::UPDATE), 4, 1e-9);
}

// Worker 0 begins its second step one second after its first one ended, when worker 1's has ended.
TEST_F(DmlStepPath, AStepWaitsForAnotherWorkersStep)
{
    Begin(R"(,
{"ph":"M","name":"dml_op","pid":1,"args":{"name":"fwd","kind":"forward","device":0,"deps":[]}})",
          2);
    for (const uint32_t worker : {0, 1})
    {
        const double seconds = worker == 0 ? 2 : 3;
        Event(worker + 1, 3, 0, seconds, Op(0, 0));
        Step(worker, 0, 0, seconds);
        Event(worker + 1, 3, 3, 3 + seconds, Op(1, 0));
        Step(worker, 1, 3, 3 + seconds);
    }
    const RecordedJob job = Read();
    ASSERT_EQ(job.steps.size(), 4U);
    const auto path = FindCriticalPath(job.execution, job.steps[1].ends);
    ASSERT_FALSE(path.empty());
    EXPECT_EQ(job.graph.ops[path.front().op].worker, 1U);
    // half the time for what worker 1 computes: it is worker 0 that is waited for then
    for (const auto& set : FindWhatIfs(
             job,
             {StepPathFinder(job).Find(job.steps[1]), StepPathFinder(job).Find(job.steps[3])},
             0.5))
    {
        if (set.name == "what worker 1 computes")
        {
            // worker 0's step stays 2 s, worker 1's becomes 1.5 s: 3.5 s of 5 s
            EXPECT_NEAR(set.gain, 1 - 3.5 / 5, 1e-9);
        }
    }
}

// A gradient that was dropped arrives after its update: the update did not wait for it.
TEST_F(DmlStepPath, LeavesOutWhatTimesContradict)
{
    Begin(CHAIN, 1);
    Event(1, 2, 0, 1, Op(0, 0, ",\"bytes\":100"));
    Event(1, 3, 1, 2, Op(0, 1));
    Event(1, 4, 2, 5, Op(0, 2, ",\"bytes\":100"));
    Update(0, 0, 3, 3, 4);
    Step(0, 0, 0, 5);
    const RecordedJob job = Read();
    EXPECT_EQ(job.contradicted, 1U);
    EXPECT_EQ(job.example, "op 'push/w' ends after op 'update/w' has begun, in step 0 of worker 0");
    const StepPath path = StepPathFinder(job).Find(job.steps[0]);
    ExpectWhole(path);
    EXPECT_NEAR(Get(path, TimePart::PUSH), 3, 1e-9) << "the step still ends with it";
    EXPECT_EQ(Get(path, TimePart::GAP), 0);
}

TEST_F(DmlStepPath, RefusesEventsWithoutARow)
{
    Begin(CHAIN, 1);
    Event(1, 9, 0, 1, Op(0, 0));
    EXPECT_NE(m_folder.ErrorOf([&] { Read(); }).find("accepted is a thread with a name"),
              std::string::npos);
    m_text.str("");
    Begin(CHAIN, 1);
    Update(1, 0, 3, 0, 1);
    EXPECT_NE(m_folder.ErrorOf([&] { Read(); }).find("accepted is a"), std::string::npos);
}
