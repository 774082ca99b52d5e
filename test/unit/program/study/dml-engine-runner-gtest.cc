/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-engine-runner.h"
#include "ns3/dml-error.h"
#include "ns3/dml-run-observer.h"

#include <gtest/gtest.h>

using namespace ns3::dml;

namespace
{

/// Only packet.replications says otherwise, and only of the packet engine; 0 says nothing.
TEST(EngineRunner, KnowsHowOftenItsEngineRuns)
{
    Scenario scenario;
    scenario.replications = 5;
    for (const auto& engine : GetEngines())
    {
        EXPECT_EQ(GetEngineRunner(engine.kind).GetReplications(scenario), 5U) << engine.name;
    }
    scenario.packet.replications = 2;
    EXPECT_EQ(GetEngineRunner(EngineKind::FAIR_SHARE).GetReplications(scenario), 5U);
    EXPECT_EQ(GetEngineRunner(EngineKind::PACKET).GetReplications(scenario), 2U);
}

/// A study asks an engine to join a run only if the table says that it splits.
TEST(EngineRunner, RefusesRanksWhereTheTableSaysSo)
{
    const PreparedScenario prepared;
    const StudyCase work;
    ASSERT_FALSE(GetEngine(EngineKind::FAIR_SHARE).Has(EngineTrait::SPLITS_OVER_RANKS));
    EXPECT_THROW(GetEngineRunner(EngineKind::FAIR_SHARE).Join({prepared, work, {}, "", {}, {}}),
                 RunError);
}

} // namespace
