/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-profile-builder.h"

#include "ns3/dml-import-report.h"
#include "ns3/dml-overhead-fit.h"

#include <gtest/gtest.h>
#include <sstream>
#include <string>

using namespace ns3::dml;

namespace
{

/// pull w (1000 bytes), forward 1 s and 2 s, push w, update 0.5 s.
Profile
MakeProfile()
{
    return ProfileBuilder()
        .Pull("w", 1000)
        .Compute("forward", {1, 2}, {"pull/w"})
        .Push("w", 1000, {"forward"})
        .Update("w", 0.5)
        .Build();
}

} // namespace

// At 1000 byte/s a transfer takes 1 s: 1 + (1 or 2) + 1 + 0.5. Parsing 0.001 s per byte and 0.25 s
// per tensor adds 1.25 s to each transfer.
TEST(ImportReport, ReplaysEachSampleOnce)
{
    const Profile profile = MakeProfile();
    const auto free = ReplayOneWorker(profile, {});
    ASSERT_EQ(free.size(), 2u);
    EXPECT_NEAR(free[0], 1.5, 1e-9);
    EXPECT_NEAR(free[1], 2.5, 1e-9);
    const auto slow = ReplayOneWorker(profile, {1000, 0, 0, 0});
    EXPECT_NEAR(slow[0], 3.5, 1e-9);
    EXPECT_NEAR(slow[1], 4.5, 1e-9);
    const auto parsed = ReplayOneWorker(profile, {1000, 0, 0.001, 0.25});
    EXPECT_NEAR(parsed[0], 6.0, 1e-9);
}

TEST(ImportReport, TellsWhatIsInTheProfileAndWhatIsNot)
{
    ImportResult result;
    result.profile = MakeProfile();
    result.stepSeconds = {1.6, 2.6};
    result.unexplainedSeconds = {0.1, 0.3};
    result.rules = {"sizes: as recorded"};
    result.warnings = {"step 3 is left out"};
    EXPECT_EQ(FormatImportReport(result, {}),
              "tensors: 1, 1000 bytes\n"
              "         1000 bytes; the size of the model 'test' is not known\n"
              "ops:     4: 1 pull, 1 push, 1 update, 1 compute\n"
              "graph:   no cycle\n"
              "protocol: none found, as of one worker alone; a scenario chooses one\n"
              "          (job.protocol)\n"
              "steps:   2 sampled, 2100 ms on average; in 200.0 ms of that (9.52 %) no recorded\n"
              "         op ran, at most 300.0 ms in one step\n"
              "replay:  2000 ms a step by the fair-share engine, with an infinitely fast\n"
              "         network: -4.76 % against the measured 2100 ms\n"
              "inferred:\n"
              "  - sizes: as recorded\n"
              "warnings:\n"
              "  - step 3 is left out\n");
}

TEST(ImportReport, ExplainsAReplayThatIsFarOff)
{
    ImportResult result;
    result.profile = MakeProfile();
    result.stepSeconds = {4, 4};
    EXPECT_NE(FormatImportReport(result, {}).find("This is more than 5 %"), std::string::npos);
    result.replayCaveat = "the optimizer ran alone";
    const std::string text = FormatImportReport(result, {});
    EXPECT_NE(text.find("The optimizer"), std::string::npos) << text;
    EXPECT_EQ(text.find("more than 5 %"), std::string::npos) << text;
}

TEST(ImportReport, KeepsToLinesOf80Columns)
{
    ImportResult result;
    result.profile = MakeProfile();
    for (int length = 1; length < 30; ++length)
    {
        std::string rule;
        for (int i = 0; i < 20; ++i)
        {
            rule += std::string(length, 'x') + " ";
        }
        result.rules.push_back(rule);
    }
    std::istringstream lines(FormatImportReport(result, {1e6, 1000, 1e-9, 1e-6}));
    for (std::string line; std::getline(lines, line);)
    {
        EXPECT_LE(line.size(), 80u) << line;
    }
}

TEST(ImportReport, WritesPartOfAScenario)
{
    OverheadFit fit;
    fit.link.rate = 119.5e6;
    fit.link.alpha = 1e-9;
    fit.link.beta = 5e-5;
    fit.link.window = 28000000;
    fit.link.latency = 7e-4;
    fit.latency = {7e-4, 6e-4, 8e-4, true};
    fit.secondsPerByte = {1 / 119.5e6, 1 / 119.6e6, 1 / 119.4e6, true};
    fit.alpha = {1e-9, 9e-10, 1.1e-9, true};
    fit.beta = {5e-5, 0, 6e-5, true};
    fit.window = WindowEstimate{20000000, 30000000, 4, 0};
    fit.deviance = 123;
    EXPECT_EQ(WriteOverheadYaml(fit, 0.956),
              "transfer: {window: 28000000B}   # 20000000 to 29999999 bytes\n"
              "overhead:\n"
              "  alpha: 1e-09   # seconds per byte; 95 %: 9e-10 to 1.1e-09\n"
              "  beta: 5e-05   # seconds; 95 %: at most 6e-05\n"
              "  parallel: false   # the deviance of the other model is 123 more\n"
              "network: {rate: 1000000kbps}   # 95 %: 999163 to 1000837 kbit/s\n"
              "# 0.0007 s from request to first byte; 95 %: 0.0006 to 0.0008\n");
    fit.windowBytes = {28000000, 27000000, 28500000, true};
    EXPECT_EQ(WriteOverheadYaml(fit, 1).find(
                  "transfer: {window: 28000000B}   # 95 %: 27000000 to 28500000 bytes\n"),
              0u);
    fit.window.upper.reset();
    EXPECT_EQ(WriteOverheadYaml(fit, 1).find("# transfer: {window: ...}   # no evidence: at least "
                                             "20000000 bytes\n"),
              0u);
    fit.secondsPerByte.lower = 0;
    fit.refusals = {"a", "b", "c", "d"};
    EXPECT_EQ(WriteOverheadYaml(fit, 1),
              "# transfer: {window: ...}   # no evidence: at least 20000000 bytes\n"
              "# overhead:\n"
              "  # alpha: ...   # seconds per byte; 95 %: 9e-10 to 1.1e-09\n"
              "  #   not told: b\n"
              "  # beta: ...   # seconds; 95 %: at most 6e-05\n"
              "  #   not told: c\n"
              "  # parallel: ...\n"
              "  #   not told: d\n"
              "# network: {rate: ...}   # 95 %: at least 955200 kbit/s\n"
              "#   not told: a\n"
              "# 0.0007 s from request to first byte; 95 %: 0.0006 to 0.0008\n");
}
