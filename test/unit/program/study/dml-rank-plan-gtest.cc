/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-error-of.h"
#include "dml-test-files.h"

#include "ns3/dml-prepared-scenario.h"
#include "ns3/dml-rank-plan.h"
#include "ns3/dml-scenario-reader.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Ranks of a run of 4 workers.
uint32_t
Plan(uint32_t ranks, const std::vector<std::string>& settings)
{
    const auto scenarios = ReadScenario(FindRepositoryFile("test/data/tiny.yaml"), settings);
    return PlanRanks(PrepareScenario(scenarios.front(), true), 4, ranks);
}

} // namespace

TEST(PlanRanks, TakesNoMoreThanHostsCanUse)
{
    EXPECT_EQ(Plan(1, {}), 1U);
    EXPECT_EQ(Plan(3, {}), 3U);
    EXPECT_EQ(Plan(9, {}), 5U) << "one for the servers, and one for each of 4 workers";
}

TEST(PlanRanks, RefusesWhatOneProcessMustDo)
{
    const auto error = [](uint32_t ranks, const std::vector<std::string>& settings) {
        return ErrorOf([&] { Plan(ranks, settings); });
    };
    for (const auto& [key, value] : {std::pair<std::string, std::string>{"output.netanim", "true"},
                                     {"output.flows", "true"},
                                     {"network.tcp.variant", "bbr"},
                                     {"packet.fast_forward", "true"},
                                     {"job.steps", "auto"}})
    {
        std::vector<std::string> settings{key + "=" + value};
        if (value == "auto")
        {
            settings.push_back("job.warmup=auto");
        }
        EXPECT_NE(error(2, settings).find(key + ": found "), std::string::npos)
            << error(2, settings);
        EXPECT_EQ(error(1, settings), "no error") << key;
    }
}

TEST(PlanRanks, RefusesALauncherOfAllWorkers)
{
    const std::vector<std::string> settings{"job.protocol=all-reduce",
                                            "job.parameter_servers=0",
                                            "overhead.alpha=0",
                                            "overhead.beta=0",
                                            "job.all_reduce.on_crash.rebuild=1s"};
    const std::string error = ErrorOf([&] { Plan(2, settings); });
    EXPECT_NE(error.find("job.all_reduce.on_crash: found {rebuild: DURATION}, whose launcher is in "
                         "one process, and --ranks 2; accepted: stop, or a run without --ranks"),
              std::string::npos)
        << error;
    EXPECT_EQ(ErrorOf([&] { Plan(1, settings); }), "no error");
}
