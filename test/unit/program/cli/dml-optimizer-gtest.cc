/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-test-files.h"

#include "ns3/dml-command-line.h"
#include "ns3/dml-optimizer.h"
#include "ns3/dml-recorded-job.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

using namespace ns3::dml;

namespace
{

/// @param setting of a scenario @return a strategy of nothing else
Strategy
MakeStrategy(const std::string& setting)
{
    return {setting, {setting}, ""};
}

CommandOptions
MakeOptions()
{
    CommandOptions options;
    options.jobs = 1;
    options.settings = {"job.workers=2"};
    options.operands = {"optimize", FindRepositoryFile("test/data/tiny.yaml")};
    return options;
}

} // namespace

// One is refused when its scenario is read, the other when its profile is.
TEST(Optimizer, TriesTheOthersIfSomeAreRefused)
{
    const std::vector<Strategy> strategies = {MakeStrategy("job.steps=8"),
                                              MakeStrategy("transfer.policy=nonsense"),
                                              MakeStrategy("job.workers=1"),
                                              MakeStrategy("network.rate=100Mbps"),
                                              MakeStrategy("transfer.order=[nobody]")};
    const auto options = MakeOptions();
    Optimizer optimizer(options, EngineKind::FAIR_SHARE);
    const auto tried = optimizer.TryAll(strategies);
    ASSERT_EQ(tried.size(), strategies.size());
    EXPECT_NE(optimizer.GetRefusal().find("nobody"), std::string::npos) << optimizer.GetRefusal();
    for (std::size_t i = 0; i < tried.size(); ++i)
    {
        EXPECT_EQ(tried[i].strategy.name, strategies[i].name);
        Optimizer alone(options, EngineKind::FAIR_SHARE);
        EXPECT_EQ(tried[i].score, alone.Try(&strategies[i])) << strategies[i].name;
        EXPECT_EQ(tried[i].score.has_value(), i != 1 && i != 4) << strategies[i].name;
    }
    EXPECT_NE(tried[0].score, tried[2].score);
    EXPECT_NE(tried[0].score, tried[3].score);
}

// Messages are most of a trace of all-reduces: what is wanted of collectives as a whole is the same
// without them.
TEST(Optimizer, NeedsNoMessagesOfCollectives)
{
    CommandOptions options = MakeOptions();
    options.settings.insert(options.settings.end(),
                            {"job.protocol=all-reduce",
                             "job.parameter_servers=0",
                             "job.gradient_groups=off",
                             "overhead={}"});
    Optimizer optimizer(options, EngineKind::FAIR_SHARE);
    ScratchStudy study(1);
    std::vector<GradientTimeline> timelines;
    for (const bool messages : {true, false})
    {
        const RunTraces traces =
            ReadRunTraces(study.Record(optimizer.Read(nullptr), EngineKind::FAIR_SHARE, messages));
        EXPECT_EQ(traces.runs.front().arrivals.empty(), !messages);
        std::vector<std::string> tensors;
        for (const auto& op : traces.job.GetOps())
        {
            tensors.push_back(op.kind == OpKind::PUSH ? op.tensor : "");
        }
        timelines.push_back(MakeTimeline(MakeRecordedJob(traces.job,
                                                         traces.runs.front(),
                                                         ReceiveStarts::CORRECTED,
                                                         CollectiveDetail::WHOLE,
                                                         WaitDetail::DATA),
                                         tensors));
    }
    ASSERT_FALSE(timelines[0].gradients.empty());
    EXPECT_EQ(timelines[0].latency, timelines[1].latency);
    EXPECT_EQ(timelines[0].secondsPerByte, timelines[1].secondsPerByte);
    EXPECT_EQ(timelines[0].gradients.back().ready, timelines[1].gradients.back().ready);
    EXPECT_EQ(optimizer.Measure().timeline.latency, timelines[0].latency);
}
