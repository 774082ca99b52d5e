/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-error.h"
#include "ns3/dml-summary-comparison.h"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>

using namespace ns3::dml;

namespace
{

/// A configuration of one engine whose replications have the seed 1 and the numbers 0, 1, ...
StoredCase
MakeCase(uint32_t workers,
         const std::vector<double>& throughputs,
         const std::map<std::string, std::string>& variant = {},
         uint64_t seed = 1)
{
    StoredCase item;
    item.workers = workers;
    item.variant = variant;
    StoredRuns& runs = item.engines["packet"];
    for (std::size_t i = 0; i < throughputs.size(); ++i)
    {
        runs.throughputs.push_back({{seed, i}, throughputs[i]});
    }
    return item;
}

StoredSummary
MakeStored(const std::vector<StoredCase>& cases,
           const std::map<std::string, std::string>& settings = {})
{
    return {"x/summary.json", "dml 1, ns-3 3.37", true, settings, cases};
}

StoredSummary
ReadText(const std::string& text)
{
    const std::string path = testing::TempDir() + "/dml-stored-summary.json";
    std::ofstream(path) << text;
    const StoredSummary summary = ReadStoredSummary(path);
    std::remove(path.c_str());
    return summary;
}

} // namespace

// Means are 20 % apart and each spreads by 50 %, but each pair is exactly 20 % apart.
TEST(DmlSummaryComparison, PairsReplicationsOfTheSameSeed)
{
    const auto a = MakeStored({MakeCase(4, {100, 200, 150, 100})});
    const auto b = MakeStored({MakeCase(4, {120, 240, 180, 120})});
    const SummaryComparison comparison = CompareSummaries(a, b);
    ASSERT_EQ(comparison.cases.size(), 1u);
    const ComparedCase& item = comparison.cases.front();
    EXPECT_TRUE(item.sameDraws);
    EXPECT_NEAR(*item.difference.value, 0.2, 1e-12);
    EXPECT_NEAR(*item.difference.low, 0.2, 1e-9);
    EXPECT_NEAR(*item.difference.high, 0.2, 1e-9);
    EXPECT_TRUE(item.difference.IsSignificant());
}

// Only numbers 1 and 2 of B are in A: 100 / 50 = 2 and 90 / 45 = 2.
TEST(DmlSummaryComparison, LeavesOutReplicationsThatOneHas)
{
    auto b = MakeCase(4, {1, 100, 90, 7});
    b.engines["packet"].throughputs.erase(b.engines["packet"].throughputs.begin());
    const auto one = MakeStored({MakeCase(4, {1000, 50, 45})});
    const auto other = MakeStored({b});
    const SummaryComparison comparison = CompareSummaries(one, other);
    EXPECT_EQ(comparison.cases.front().difference.pairs, 2u);
    EXPECT_NEAR(*comparison.cases.front().difference.value, 1, 1e-12);
}

// With other seeds ratios are 1.1 and 0.9: their geometric mean, and an interval with 0 in it.
TEST(DmlSummaryComparison, SaysThatSeedsDiffer)
{
    const auto a = MakeStored({MakeCase(4, {100, 100})});
    const auto b = MakeStored({MakeCase(4, {110, 90}, {}, 2)});
    const SummaryComparison comparison = CompareSummaries(a, b);
    const ComparedCase& item = comparison.cases.front();
    EXPECT_FALSE(item.sameDraws);
    EXPECT_NEAR(*item.difference.value, std::sqrt(1.1 * 0.9) - 1, 1e-12);
    EXPECT_FALSE(item.difference.IsSignificant());
    EXPECT_NE(FormatComparison(comparison, false).find("other seeds in A and B"),
              std::string::npos);
    const auto same = MakeStored({MakeCase(4, {110, 90})});
    EXPECT_EQ(FormatComparison(CompareSummaries(a, same), false).find("other seeds"),
              std::string::npos);
}

TEST(DmlSummaryComparison, MatchesBySweptValuesThatBothHave)
{
    const auto a = MakeStored({MakeCase(1, {1}, {{"x", "1"}, {"y", "1"}}),
                               MakeCase(1, {2}, {{"x", "2"}, {"y", "1"}}),
                               MakeCase(2, {3}, {{"x", "1"}, {"y", "1"}})});
    const auto b = MakeStored({MakeCase(1, {10}, {{"x", "2"}, {"z", "5"}}),
                               MakeCase(1, {20}, {{"x", "2"}, {"z", "6"}}),
                               MakeCase(8, {30}, {{"x", "1"}, {"z", "5"}})});
    const SummaryComparison comparison = CompareSummaries(a, b);
    ASSERT_EQ(comparison.cases.size(), 2u);
    EXPECT_NEAR(*comparison.cases[0].difference.value, 4, 1e-12);
    EXPECT_NEAR(*comparison.cases[1].difference.value, 9, 1e-12);
    EXPECT_EQ(comparison.onlyInA, std::vector<std::string>({"W=1, x=1, y=1", "W=2, x=1, y=1"}));
    EXPECT_EQ(comparison.onlyInB, std::vector<std::string>({"W=8, x=1, z=5"}));
    const std::string text = FormatComparison(comparison, false);
    EXPECT_NE(text.find("\nx=2; A: y=1; B: z=6\n"), std::string::npos) << text;
}

// B has run packets with one worker, and A with both.
TEST(DmlSummaryComparison, ListsEnginesThatOneHas)
{
    auto alone = MakeCase(1, {10});
    alone.engines["host"] = alone.engines["packet"];
    auto other = MakeCase(2, {20});
    other.engines = {{"fair-share", other.engines["packet"]}};
    const auto a = MakeStored({MakeCase(1, {10}), MakeCase(2, {20})});
    const auto b = MakeStored({alone, other});
    const SummaryComparison comparison = CompareSummaries(a, b);
    EXPECT_EQ(comparison.cases.size(), 1u);
    EXPECT_EQ(comparison.onlyInA, std::vector<std::string>({"W=2, packet"}));
    EXPECT_EQ(comparison.onlyInB, std::vector<std::string>({"W=1, host", "W=2, fair-share"}));
}

TEST(DmlSummaryComparison, ListsSettingsThatDiffer)
{
    const auto a =
        MakeStored({MakeCase(1, {1}, {{"network.rate", "1Gbps"}, {"queue", "{fair: 0B}"}})},
                   {{"network.rate", "1Gbps"},
                    {"queue.fair", "0B"},
                    {"job.steps", "5"},
                    {"seed", "1"},
                    {"old", "x"}});
    const auto b = MakeStored({MakeCase(1, {1}, {{"queue", "1MB"}})},
                              {{"network.rate", "2Gbps"},
                               {"queue", "1MB"},
                               {"job.steps", "6"},
                               {"seed", "1"},
                               {"job.workers", "[2]"},
                               {"output.trace", "true"}});
    std::vector<std::string> lines;
    for (const auto& change : CompareSummaries(a, b).ListChanges())
    {
        lines.push_back(change.key + " " + change.a + " " + change.b);
    }
    // what one sweeps has a value in the other; what both sweep is in the tables
    EXPECT_EQ(lines,
              std::vector<std::string>({"job.steps 5 6", "network.rate swept 2Gbps", "old x "}));
}

// A quarter of the differences is certain in each direction; three pairs never are.
TEST(DmlSummaryComparison, CountsWhatIsCertain)
{
    const auto a = MakeStored({MakeCase(1, {100, 100, 100, 100}),
                               MakeCase(2, {100, 100, 100, 100}),
                               MakeCase(3, {100, 100, 100, 100}),
                               MakeCase(4, {100, 100, 100})});
    const auto b = MakeStored({MakeCase(1, {110, 111, 112, 111}),
                               MakeCase(2, {90, 91, 92, 91}),
                               MakeCase(3, {90, 100, 111, 100}),
                               MakeCase(4, {200, 200, 201})});
    const std::string text = FormatComparison(CompareSummaries(a, b), false);
    EXPECT_NE(text.find("B is faster in 1 of 4, slower in 1; the others may be equal."),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("3 to 4 of them"), std::string::npos) << text;
}

// RFC 4180: what has commas is quoted.
TEST(DmlSummaryComparison, WritesCsv)
{
    const auto a = MakeStored({MakeCase(1, {100}, {{"x", "1"}, {"y", "2"}})});
    const auto b = MakeStored({MakeCase(1, {150})});
    EXPECT_EQ(FormatComparisonCsv(CompareSummaries(a, b)),
              "variant_a,variant_b,workers,servers_a,servers_b,engine,a,a_half_width,b,"
              "b_half_width,pairs,difference,low,high,significant,a_min,a_max,b_min,b_max\n"
              "\"x=1, y=2\",,1,0,0,packet,100,,150,,1,0.5,,,0,100,100,150,150\n");
}

TEST(DmlStoredSummary, ReadsWhatIsCompared)
{
    const auto summary = ReadText(R"({"schema": "dml-summary/1",
        "program": {"dml": "0.1", "commit": "abc", "ns3": "3.37"}, "model": "m", "batch_size": 4,
        "scenario": {"job": {"workers": [1, 2], "steps": 5}, "tcp": {}},
        "cases": [{"variant": {"network.rate": "1Gbps"}, "model": "m", "batch_size": 4,
                   "workers": 2, "parameter_servers": 1, "engines": {"host": {"replications": [
                     {"replication": 1, "seed": 7, "throughput": 2.5},
                     {"replication": 2, "seed": 7, "throughput": null}]}}}]})");
    EXPECT_EQ(summary.program, "dml 0.1 (commit abc), ns-3 3.37");
    const std::map<std::string, std::string> settings{{"job.workers", "[1,2]"},
                                                      {"job.steps", "5"},
                                                      {"tcp", "{}"},
                                                      {"model", "m"},
                                                      {"batch_size", "4"}};
    EXPECT_TRUE(summary.finished);
    EXPECT_EQ(summary.settings, settings);
    const StoredCase& item = summary.cases.at(0);
    EXPECT_EQ(item.variant.at("network.rate"), "1Gbps");
    const auto& runs = item.engines.at("host").throughputs;
    EXPECT_EQ(runs.at(0).first, (StoredRuns::Draw{7, 1}));
    EXPECT_EQ(runs.at(0).second, 2.5);
    EXPECT_FALSE(runs.at(1).second);
}

TEST(DmlStoredSummary, KnowsThatRunsAreMissing)
{
    const auto summary =
        ReadText(R"({"schema": "dml-summary/1", "program": {"dml": "0.1", "ns3": "3.37"},
        "model": "m", "batch_size": 4, "scenario": {}, "missing_runs": 3, "cases": []})");
    EXPECT_FALSE(summary.finished);
}

TEST(DmlStoredSummary, NamesMistakes)
{
    const auto expect = [](const std::string& text, const std::string& part) {
        try
        {
            ReadText(text);
            FAIL() << text;
        }
        catch (const InputError& error)
        {
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
        }
    };
    expect("{", "is the file complete?");
    expect("[]", ":1:1: /: found a list; accepted is an object with the key 'schema'");
    expect(R"({"schema": "dml-summary/9"})", "found 'dml-summary/9'; accepted: 'dml-summary/1'");
    expect(R"({"schema": "dml-summary/1", "program": {"dml": "1"}})", "the key 'ns3' is missing");
}
