/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-error-of.h"
#include "dml-test-files.h"

#include "ns3/dml-case-command.h"
#include "ns3/dml-command-line.h"
#include "ns3/dml-error.h"
#include "ns3/dml-own-json.h"
#include "ns3/dml-scenario-reader.h"
#include "ns3/dml-shell-word.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

TEST(QuoteShell, QuotesOnlyWhatNeedsIt)
{
    EXPECT_EQ(QuoteShell("results/a-1.5_b"), "results/a-1.5_b");
    EXPECT_EQ(QuoteShell("network.rate=1Gbps"), "network.rate=1Gbps");
    EXPECT_EQ(QuoteShell("a b"), "'a b'");
    EXPECT_EQ(QuoteShell("it's $HOME"), "'it'\\''s $HOME'");
    EXPECT_EQ(QuoteShell("~"), "'~'");
    EXPECT_EQ(QuoteShell(""), "''");
    EXPECT_EQ(QuoteShell("=ls"), "'=ls'"); // which some shells take for the path of ls
    EXPECT_EQ(QuoteShellPath("-x"), "./-x");
    EXPECT_EQ(QuoteShellPath("x"), "x");
}

TEST(QuoteShell, MakesOneLineOfPlainCharacters)
{
    // octal codes: line end 10, quote 39, backslash 92, ESC 27; the two bytes of U+009B
    EXPECT_EQ(QuoteShell("a\n'b'\\ $c"), "$'a\\012\\047b\\047\\134 $c'");
    EXPECT_EQ(QuoteShell("\x1b[2J\xc2\x9b"), "$'\\033[2J\\302\\233'");
    EXPECT_EQ(QuoteShell("\xff"), "$'\\377'");
    EXPECT_EQ(QuoteShell("caf\xc3\xa9"), "'caf\xc3\xa9'");
}

TEST(CaseCommand, IsALineForAShell)
{
    const CaseCommand command{"/home/a b", "my.yaml", {"seed=2", "sweep={seed: [1]}"}, "packet"};
    const std::string line = command.MakeLine("out 1", "0123", {7, 9});
    EXPECT_EQ(line.rfind("cd '/home/a b' && ", 0), 0U);
    const std::string end = " run my.yaml --engine=packet --set seed=2 --set 'sweep={seed: [1]}' "
                            "--out 'out 1' --study 0123 --case 7,9";
    ASSERT_GT(line.size(), end.size());
    EXPECT_EQ(line.substr(line.size() - end.size()), end);
}

TEST(CaseCommand, ComesBackFromItsText)
{
    const CaseCommand command{"/home/a b", "my.yaml", {"name=\"x\"", "seed=2"}, "packet", 2};
    const CaseCommand read = CaseCommand::FromJson(command.ToJson());
    EXPECT_EQ(read.ToJson(), command.ToJson());
    EXPECT_EQ(read.settings, command.settings);
    EXPECT_EQ(read.ranks, 2U);
    EXPECT_THROW(CaseCommand::FromJson("{\"folder\": 1}"), InputError);
    EXPECT_THROW(CaseCommand::FromJson("{\"folder\": "), InputError);
}

TEST(CaseCommand, NamesLibrariesToLoad)
{
    const CaseCommand command{"/", "my.yaml", {"seed=2"}, "both", 1, {"/a b/my.so", "/c.so"}};
    const std::string options = " --plugin '/a b/my.so' --plugin /c.so --set seed=2 ";
    EXPECT_NE(command.MakeLine("out", "0123", {0}).find(options), std::string::npos);
    EXPECT_EQ(CaseCommand::FromJson(command.ToJson()).plugins, command.plugins);
    const std::string list = R"("/a b/my.so")";
    std::string text = command.ToJson();
    text.replace(text.find(list), list.size(), "1");
    EXPECT_EQ(ErrorOf([&] { CaseCommand::FromJson(text); }),
              "plugins is damaged; accepted: a list of texts");
}

TEST(CaseCommand, QuotesWhatSomebodyElseWrote)
{
    const CaseCommand command{"/", "-x.yaml", {"name=a\nb"}, "both; touch x"};
    const std::string line = command.MakeLine("-o", "; touch y", {0});
    const std::string end =
        " run ./-x.yaml --engine='both; touch x' --set $'name=a\\012b' --out -o "
        "--study '; touch y' --case 0";
    ASSERT_GT(line.size(), end.size());
    EXPECT_EQ(line.substr(line.size() - end.size()), end);
}

TEST(ParseOwnJson, RefusesWhatDmlNeverWrites)
{
    EXPECT_EQ(ParseOwnJson("{\"a\": [1, \"[[[\"]}")["a"][0], 1);
    EXPECT_TRUE(ParseOwnJson("{\"a\": ").is_null());
    EXPECT_FALSE(ParseOwnJson(std::string(64, '[') + std::string(64, ']')).is_null());
    EXPECT_TRUE(ParseOwnJson(std::string(65, '[') + std::string(65, ']')).is_null());
    EXPECT_TRUE(ParseOwnJson(std::string(1000000, '[')).is_null());
    EXPECT_TRUE(IsFileName("steps.csv"));
    for (const std::string& name :
         {std::string(), std::string(".."), std::string("a/b"), std::string(1, '\0')})
    {
        EXPECT_FALSE(IsFileName(name)) << name;
    }
}

/// A small study: 2 variants, W = 1 and 3, 2 engines, 2 replications.
StudyPlan
MakePlan()
{
    StudyPlan plan(
        ReadScenario(FindRepositoryFile("test/data/tiny.yaml"), {"sweep={seed: [1, 2]}"}),
        ChooseEngines("both"));
    plan.PrepareAll();
    return plan;
}

TEST(StudyPlan, NumbersRunsInTheOrderOfTheFiles)
{
    const StudyPlan plan = MakePlan();
    ASSERT_EQ(plan.GetRuns().size(), 16U);
    EXPECT_EQ(plan.GetLabel(0), "fair-share W=1, seed=1");
    EXPECT_EQ(plan.GetLabel(7), "packet W=3 r1, seed=1");
    EXPECT_EQ(plan.GetLabel(9), "fair-share W=1 r1, seed=2");
    EXPECT_EQ(plan.MakeSummary().cases.size(), 4U);
    EXPECT_EQ(plan.GetRuns()[9].summary, 2U);
    // runs of the quick engine start first, then the longest
    const auto order = plan.GetOrder();
    EXPECT_EQ(plan.GetRuns()[order[7]].work.engine, EngineKind::FAIR_SHARE);
    EXPECT_EQ(order[8], 6U) << "packet W=3 of the first variant";
}

TEST(StudyPlan, EstimatesTheDiskOfItsRows)
{
    // 4 tensors in two directions: 8 transfers of 100 bytes and a row of 65 bytes for each of the 6
    // steps of a worker; 3000 bytes of the run in the summary, and 400 of each worker
    constexpr double SUMMARY = 3000 + 3 * 400;
    const auto estimate = [](const std::vector<std::string>& settings) {
        StudyPlan plan(ReadScenario(FindRepositoryFile("test/data/tiny.yaml"), settings),
                       ChooseEngines("both"));
        plan.PrepareAll();
        return plan.GetRuns().back();
    };
    EXPECT_EQ(estimate({}).work.workers, 3U);
    EXPECT_EQ(estimate({"output.links=false"}).disk, 3 * 6 * (65 + 8 * 100) + SUMMARY);
    EXPECT_EQ(estimate({}).transfers, 3 * 6 * 8 * 100);
    const std::string rows = "output={transfers: false, links: false}";
    EXPECT_EQ(estimate({rows}).disk, 3 * 6 * 65 + SUMMARY);
    EXPECT_EQ(estimate({rows}).transfers, 0);
    // the bins of a server's two links: a row of 48 bytes each, at most 600 or so
    const double links = estimate({}).disk - estimate({"output.links=false"}).disk;
    EXPECT_GT(links, 2 * 100 * 48);
    EXPECT_LE(links, 2 * 600 * 48);
    EXPECT_EQ(estimate({"job.steps=auto"}).disk, 0) << "the most it does is no estimate";
}

TEST(StudyPlan, PreparesVariantsOfSomeRunsOnly)
{
    StudyPlan plan(
        ReadScenario(FindRepositoryFile("test/data/tiny.yaml"), {"sweep={seed: [1, 2]}"}),
        ChooseEngines("both"));
    plan.PrepareFor({9, 10, 9});
    EXPECT_EQ(plan.GetRuns()[7].disk, 0) << "of the first variant";
    EXPECT_GT(plan.GetRuns()[8].disk, 0) << "of the second one";
}

TEST(ReadCommandLine, JoinsCases)
{
    EXPECT_EQ(ReadCommandLine({"run", "x", "--case", "7-9,2", "--case=1,8,11"}).cases,
              (std::vector<uint32_t>{1, 2, 7, 8, 9, 11}));
}

TEST(ReadCommandLine, AsksForHelpWhateverElseIsWrong)
{
    for (const std::vector<std::string>& line : {std::vector<std::string>{"run", "--engin=x", "-h"},
                                                 {"run", "--set", "--help"},
                                                 {"run", "a", "b", "--help", "--", "c"}})
    {
        const CommandOptions options = ReadCommandLine(line);
        EXPECT_TRUE(options.help);
        EXPECT_EQ(options.operands, std::vector<std::string>{"run"});
    }
    EXPECT_TRUE(ReadCommandLine({"--help"}).operands.empty());
    const CommandOptions behind = ReadCommandLine({"check", "--", "-h"});
    EXPECT_FALSE(behind.help) << "it is the name of a file";
    EXPECT_EQ(behind.operands, (std::vector<std::string>{"check", "-h"}));
    EXPECT_TRUE(ReadCommandLine({"--version"}).version);
}

TEST(StudyPlan, IsNamedByAllThatItsResultsDependOn)
{
    const auto name = [](const std::vector<std::string>& settings, bool packet) {
        return StudyPlan(ReadScenario(FindRepositoryFile("test/data/tiny.yaml"), settings),
                         ChooseEngines(packet ? "both" : "fair-share"))
            .MakeQuestion()
            .GetName();
    };
    EXPECT_EQ(name({}, true), name({}, true));
    EXPECT_EQ(name({}, true), name({"seed=3"}, true)) << "3 is its seed";
    EXPECT_NE(name({}, true), name({"seed=4"}, true));
    EXPECT_NE(name({}, true), name({}, false));
    EXPECT_NE(name({}, true), name({"sweep={seed: [3]}"}, true)) << "rows have a variant";
}

TEST(ShareOut, GivesCommandsAboutAsMuch)
{
    const StudyPlan plan = MakePlan();
    const auto all = plan.GetOrder();
    const auto cost = [&](uint32_t run) { return plan.GetRuns()[run].cost.cpuSeconds; };
    const auto each = ShareOut(plan, all, 0);
    ASSERT_EQ(each.size(), 16U);
    for (std::size_t i = 1; i < each.size(); ++i)
    {
        EXPECT_GE(cost(each[i - 1].at(0)), cost(each[i].at(0)));
    }
    double total = 0;
    for (const uint32_t run : all)
    {
        total += cost(run);
    }
    for (const std::size_t lines : {1, 2, 3, 5})
    {
        const auto shares = ShareOut(plan, all, lines);
        ASSERT_EQ(shares.size(), lines);
        std::multiset<uint32_t> runs;
        for (const auto& share : shares)
        {
            double load = 0;
            for (const uint32_t run : share)
            {
                load += cost(run);
                runs.insert(run);
            }
            // Graham: when a command got its last run it had the least to do, total / lines at most
            EXPECT_LE(load, total / lines + cost(each[0][0]));
        }
        EXPECT_EQ(runs, std::multiset<uint32_t>(all.begin(), all.end()));
    }
    EXPECT_EQ(ShareOut(plan, {3}, 5).size(), 1U);
    EXPECT_TRUE(ShareOut(plan, {}, 5).empty());
}

} // namespace
