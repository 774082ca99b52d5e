/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-test-files.h"

#include "ns3/dml-command-line.h"
#include "ns3/dml-optimizer.h"

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
