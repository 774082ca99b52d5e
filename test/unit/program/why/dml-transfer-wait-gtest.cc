/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-transfer-wait.h"

#include <gtest/gtest.h>
#include <map>
#include <utility>
#include <vector>

using namespace ns3::dml;

namespace
{

/// A run of step 1 of two workers, whose transfers were all ready after an op that ended at 1 s.
class DmlTransferWait : public testing::Test
{
  protected:
    DmlTransferWait()
    {
        Add(JobOpKind::BACKWARD, 3, 0, 3, 0, 1);
    }

    /// An op of step 1.
    void Add(JobOpKind kind,
             uint32_t name,
             uint32_t worker,
             uint32_t device,
             double start,
             double end)
    {
        JobOp op{kind, name, worker, 1};
        op.device = device;
        m_ops.push_back(op);
        m_times.push_back({start, end});
        if (kind == JobOpKind::PUSH)
        {
            m_dependencies.emplace_back(m_last.count({name, worker}) ? m_last[{name, worker}] : 0,
                                        m_times.size() - 1);
            m_last[{name, worker}] = m_times.size() - 1;
        }
    }

    TransferState Measure(const std::string& name)
    {
        std::vector<uint32_t> devices;
        for (const auto& op : m_ops)
        {
            devices.push_back(op.device);
        }
        JobGraph graph{{"push/a", "push/b", "push/c", "backward"},
                       {"worker 0, uplink PS 0",
                        "worker 0, uplink PS 0, wire",
                        "worker 1, uplink PS 0",
                        "worker 0, cpu",
                        "worker 1, uplink PS 1"},
                       m_ops,
                       GlobalGraph(devices, m_dependencies)};
        ExecutionGraph execution = MakeExecution(graph.graph, m_times);
        return MeasureState({"packet", 2, 2, std::move(graph), std::move(execution), {}, 0, ""},
                            {name, JobOpKind::PUSH});
    }

    std::vector<JobOp> m_ops;                                 //!< of the run
    std::vector<OpTimes> m_times;                             //!< by op
    GlobalGraph::Dependencies m_dependencies;                 //!< of the run
    std::map<std::pair<uint32_t, uint32_t>, GlobalOp> m_last; //!< by name and worker
};

} // namespace

// a: 1 to 4 s; b: 4 to 5 s, nothing until 7 s, 7 to 8 s, and on its way until 10 s.
TEST_F(DmlTransferWait, TellsItsStates)
{
    Add(JobOpKind::PUSH, 0, 0, 0, 1, 4);
    Add(JobOpKind::PUSH, 1, 0, 0, 4, 5);
    Add(JobOpKind::PUSH, 1, 0, 0, 7, 8);
    Add(JobOpKind::PUSH, 1, 0, 1, 9, 10);
    const TransferState state = Measure("push/b");
    EXPECT_DOUBLE_EQ(state.queued, 3);
    EXPECT_DOUBLE_EQ(state.sending, 2);
    EXPECT_DOUBLE_EQ(state.held, 2);
    EXPECT_DOUBLE_EQ(state.onItsWay, 2);
    EXPECT_EQ(state.ahead, "push/a");
    EXPECT_TRUE(state.aheadIsOwn);
    EXPECT_DOUBLE_EQ(state.aheadCount, 3.0 / 9);
}

// What is handed over at once waits on its way behind the other worker's, from 2 to 6 s of 8; what
// comes later (c), and what goes to another server, is not ahead of it.
TEST_F(DmlTransferWait, NamesWhatIsAheadOnTheLink)
{
    Add(JobOpKind::PUSH, 1, 0, 0, 1, 2);
    Add(JobOpKind::PUSH, 1, 0, 1, 8, 9);
    Add(JobOpKind::PUSH, 0, 1, 2, 1, 6);
    Add(JobOpKind::PUSH, 2, 1, 2, 6, 20);
    Add(JobOpKind::PUSH, 2, 0, 4, 2, 9);
    const TransferState state = Measure("push/b");
    EXPECT_DOUBLE_EQ(state.queued, 0);
    EXPECT_DOUBLE_EQ(state.sending, 1);
    EXPECT_DOUBLE_EQ(state.held, 0);
    EXPECT_DOUBLE_EQ(state.onItsWay, 7);
    EXPECT_EQ(state.ahead, "push/a");
    EXPECT_FALSE(state.aheadIsOwn);
    EXPECT_DOUBLE_EQ(state.aheadCount, 4.0 / 8);
}

TEST_F(DmlTransferWait, AloneItWaitsForNothing)
{
    Add(JobOpKind::PUSH, 1, 0, 0, 1, 3);
    const TransferState state = Measure("push/b");
    EXPECT_DOUBLE_EQ(state.queued + state.held + state.onItsWay, 0);
    EXPECT_DOUBLE_EQ(state.sending, 2);
    EXPECT_EQ(state.ahead, "");
}
