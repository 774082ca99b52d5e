/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-run-notes.h"
#include "ns3/dml-summary-json.h"
#include "ns3/dml-table.h"
#include "ns3/dml-value-text.h"

#include <gtest/gtest.h>
#include <limits>
#include <sstream>

using namespace ns3::dml;

namespace
{

/// @return replications 0, 1, .. with these throughputs (negative: undefined)
EngineSummary
MakeEngine(const std::vector<double>& throughputs, double down, double up)
{
    EngineSummary engine;
    for (const double throughput : throughputs)
    {
        ReplicationSummary run;
        run.replication = engine.replications.size();
        run.seed = 11;
        if (throughput >= 0)
        {
            run.throughput.samplesPerSecond = throughput;
            run.throughput.t0 = 1;
            run.throughput.t1 = 3;
        }
        else
        {
            run.throughput.reason = "no worker finished its last step";
        }
        run.downlink = {down / 2, down};
        run.uplink = {up, std::numeric_limits<double>::quiet_NaN()};
        run.ops = 100;
        run.simulatedBytes = 5000;
        run.cpuSeconds = 0.5;
        run.wallSeconds = 1;
        engine.replications.push_back(run);
    }
    return engine;
}

/// @return a study with the odd cases that a table meets
RunSummary
MakeOddSummary()
{
    RunSummary summary;
    summary.name = "study";
    summary.model = "AlexNet";
    summary.batch = 8;
    summary.scenario = {{"seed", 1}};
    CaseSummary one;
    one.model = "AlexNet";
    one.batch = 8;
    one.workers = 1;
    one.parameterServers = 2;
    one.engines[EngineKind::FAIR_SHARE] = MakeEngine({10, 14}, 0.5, 0.25);
    one.engines[EngineKind::PACKET] = MakeEngine({8}, 0.45, 0.2);
    one.cynthia = 9.87654;
    one.lin = 0.01234;
    CaseSummary two = one;
    two.workers = 128;
    two.engines[EngineKind::FAIR_SHARE] = MakeEngine({1234.5, -1, 1236.5, -1}, 0.994, 0.996);
    two.engines.erase(EngineKind::PACKET);
    two.cynthia.reset();
    two.lin = 123456;
    summary.cases = {one, two};
    return summary;
}

} // namespace

// Pairs: replication 0 only: 10 / 8 - 1 = 0.25; fair-share's replication 1 has no partner.
TEST(DmlSummary, RelativeErrorOverPairedReplications)
{
    const RunSummary summary = MakeOddSummary();
    Confidence error = summary.cases[0].GetRelativeError(MAIN_COMPARISON);
    EXPECT_EQ(error.count, 1u);
    EXPECT_DOUBLE_EQ(*error.mean, 0.25);
    EXPECT_FALSE(error.halfWidth);
    EXPECT_FALSE(summary.cases[1].GetRelativeError(MAIN_COMPARISON).mean);

    // 12/10 - 1 = 0.2 and 20/10 - 1 = 1, twice: the mean of the ratios is 0.6, s/2 = 0.4/sqrt(3)
    // and t(0.975, 3) = 3.18244631.
    CaseSummary item;
    item.engines[EngineKind::FAIR_SHARE] = MakeEngine({12, 20, 12, 20, 5}, 0, 0);
    item.engines[EngineKind::PACKET] = MakeEngine({10, 10, 10, 10, -1}, 0, 0);
    error = item.GetRelativeError(MAIN_COMPARISON);
    EXPECT_DOUBLE_EQ(*error.mean, 0.6);
    EXPECT_NEAR(*error.halfWidth, 3.18244631 * 0.4 / std::sqrt(3), 1e-6);
    EXPECT_EQ(error.skipped, 1u);
    item.engines[EngineKind::PACKET] = MakeEngine({0}, 0, 0);
    EXPECT_FALSE(item.GetRelativeError(MAIN_COMPARISON).mean); // never a division by zero
}

// Fair-share's sixth replication counts, too: packets that are all alike are not corrected, so the
// difference is that of the means of the decimal logarithms, 9 / 6 and 1.
TEST(DmlSummary, CountsTheReplicationsOfTheEngineThatRanMore)
{
    CaseSummary item;
    item.engines[EngineKind::FAIR_SHARE] = MakeEngine({10, 10, 10, 1, 100, 1e4}, 0, 0);
    item.engines[EngineKind::PACKET] = MakeEngine({10, 10, 10, 10, 10}, 0, 0);
    const RelativeDifference difference = item.GetDifference(MAIN_COMPARISON);
    EXPECT_EQ(difference.pairs, 5u);
    EXPECT_EQ(difference.further, 1u);
    EXPECT_NEAR(*difference.value, std::pow(10, 9.0 / 6 - 1) - 1, 1e-9);
}

// Four times 12 / 10: from +20 % to +20 %, which excludes 0. Twice tells no interval.
TEST(DmlSummary, DifferenceWithItsInterval)
{
    RunSummary summary;
    CaseSummary item;
    item.engines[EngineKind::FAIR_SHARE] = MakeEngine({12, 24, 12, 24, 7}, 0, 0);
    item.engines[EngineKind::PACKET] = MakeEngine({10, 20, 10, 20}, 0, 0);
    summary.cases = {item};
    auto json = ToJson(summary)["cases"][0]["relative_error"];
    EXPECT_EQ(json["pairs"], 4);
    for (const auto* key : {"estimate", "low95", "high95"})
    {
        EXPECT_NEAR(json[key].get<double>(), 0.2, 1e-12) << key;
    }
    EXPECT_EQ(json["significant"], true);
    summary.cases[0].engines[EngineKind::FAIR_SHARE] = MakeEngine({12, 26}, 0, 0);
    json = ToJson(summary)["cases"][0];
    for (const auto* key : {"ci95", "low95", "high95", "significant"})
    {
        EXPECT_TRUE(json["relative_error"][key].is_null()) << key << " of two pairs";
    }
    EXPECT_NEAR(json["relative_error"]["min"].get<double>(), 0.2, 1e-12);
    EXPECT_NEAR(json["relative_error"]["max"].get<double>(), 0.3, 1e-12);
    EXPECT_TRUE(json["engines"]["fair-share"]["ci95"].is_null());
    EXPECT_EQ(json["engines"]["fair-share"]["min"], 12);
    EXPECT_EQ(json["engines"]["fair-share"]["max"], 26);
}

// The mark stands before the number, the reason among the notes and in the run's object.
TEST(DmlSummary, SaysWhereTcpCollapsed)
{
    RunSummary summary;
    CaseSummary item;
    item.workers = 1;
    item.engines[EngineKind::PACKET] = MakeEngine({0.0002, 2, 2, 2}, 0, 0);
    item.engines[EngineKind::FAIR_SHARE] = MakeEngine({2, 2, 2, 2}, 0, 0);
    item.engines[EngineKind::PACKET].replications[0].collapse = "9 timeouts of TCP without a loss";
    summary.cases = {item};
    summary.notes = MakeCollapseNotes(summary);
    EXPECT_EQ(summary.notes,
              std::vector<std::string>({"collapsed (!): W=1, packet: 1 of 4 replications: 9 "
                                        "timeouts of TCP without a loss"}));
    const std::string table = FormatTable(summary);
    EXPECT_NE(table.find("   1  2.000 +-  0.000 !1.500 +-"), std::string::npos) << table;
    const auto json = ToJson(summary)["cases"][0]["engines"];
    EXPECT_EQ(json["packet"]["collapsed_replications"], 1);
    EXPECT_EQ(json["fair-share"]["collapsed_replications"], 0);
    EXPECT_EQ(json["packet"]["replications"][0]["collapse"], "9 timeouts of TCP without a loss");
    EXPECT_TRUE(json["packet"]["replications"][1]["collapse"].is_null());
}

TEST(DmlSummary, UtilisationIsThatOfTheBusiestServer)
{
    const EngineSummary engine = MakeEngine({1, 1}, 0.8, 0.3);
    EXPECT_DOUBLE_EQ(*engine.GetUtilisation(Direction::DOWNLINK), 0.8);
    EXPECT_DOUBLE_EQ(*engine.GetUtilisation(Direction::UPLINK), 0.3); // the other is unknown
    EXPECT_FALSE(EngineSummary().GetUtilisation(Direction::UPLINK));
}

TEST(DmlSummary, Json)
{
    const auto json = ToJson(MakeOddSummary());
    EXPECT_EQ(json["schema"], "dml-summary/1");
    EXPECT_EQ(json["scenario"]["seed"], 1);
    const auto& one = json["cases"][0];
    EXPECT_EQ(one["workers"], 1);
    EXPECT_EQ(one["model"], "AlexNet");
    EXPECT_EQ(one["batch_size"], 8);
    EXPECT_EQ(one["engines"]["fair-share"]["mean"], 12);
    EXPECT_EQ(one["engines"]["packet"]["mean"], 8);
    EXPECT_TRUE(one["engines"]["packet"]["ci95"].is_null());
    EXPECT_EQ(one["baselines"]["cynthia"], 9.87654);
    EXPECT_EQ(one["relative_error"]["mean"], 0.25);
    EXPECT_NEAR(one["relative_error"]["estimate"].get<double>(), 0.25, 1e-12);
    EXPECT_EQ(one["relative_error"]["pairs"], 1);
    for (const auto* key : {"low95", "high95", "significant"})
    {
        ASSERT_TRUE(one["relative_error"].contains(key)) << key;
        EXPECT_TRUE(one["relative_error"][key].is_null()) << key << " of a single pair";
    }
    const auto& run = one["engines"]["fair-share"]["replications"][1];
    EXPECT_EQ(run["throughput"], 14);
    EXPECT_EQ(run["t1"], 3);
    EXPECT_EQ(run["utilisation"]["downlink"][1], 0.5);
    EXPECT_TRUE(run["utilisation"]["uplink"][1].is_null());
    EXPECT_TRUE(run["drops"].is_null());
    EXPECT_EQ(run["timing"]["ops_per_cpu_second"], 200);
    const auto& two = json["cases"][1];
    EXPECT_FALSE(two["engines"].contains("packet"));
    EXPECT_TRUE(two["baselines"]["cynthia"].is_null());
    EXPECT_EQ(two["engines"]["fair-share"]["undefined_replications"], 2);
    EXPECT_TRUE(two["engines"]["fair-share"]["replications"][1]["throughput"].is_null());
    EXPECT_TRUE(two["engines"]["fair-share"]["replications"][1]["t0"].is_null());
    EXPECT_EQ(two["engines"]["fair-share"]["replications"][1]["undefined_because"],
              "no worker finished its last step");
    // Doubles are printed in the fewest digits that read back the same.
    EXPECT_NE(json.dump().find("\"lin\":0.01234}"), std::string::npos);
}

namespace
{

/// Remove every value under a key "timing". @param json any value
void
DropTiming(nlohmann::ordered_json& json)
{
    if (json.is_object())
    {
        json.erase("timing");
    }
    for (auto& item : json)
    {
        if (item.is_structured())
        {
            DropTiming(item);
        }
    }
}

} // namespace

// Two runs that differ in clock times only are the same bytes once "timing" is dropped.
TEST(DmlSummary, ClockTimesAreUnderTimingOnly)
{
    RunSummary summary = MakeOddSummary();
    auto first = ToJson(summary);
    summary.wallSeconds = 77;
    for (auto& item : summary.cases)
    {
        for (auto& run : item.engines[EngineKind::FAIR_SHARE].replications)
        {
            run.cpuSeconds = 3;
            run.wallSeconds = 4;
        }
    }
    auto second = ToJson(summary);
    EXPECT_NE(first.dump(), second.dump());
    DropTiming(first);
    DropTiming(second);
    EXPECT_EQ(first.dump(), second.dump());
}

TEST(DmlTable, ValuesHaveFourDigits)
{
    EXPECT_EQ(FormatValue(0), "0");
    EXPECT_EQ(FormatValue(0.012345), "0.0123");
    EXPECT_EQ(FormatValue(1.23456), "1.235");
    EXPECT_EQ(FormatValue(12.3456), "12.35");
    EXPECT_EQ(FormatValue(1234.56), "1235");
    EXPECT_EQ(FormatValue(123456.7), "123457");
    EXPECT_EQ(FormatValue(12345678), "1.2e+07");
}

namespace
{

/// @return a configuration whose packet engine lost something in its second replication
CaseSummary
MakeLossy(uint32_t workers, uint64_t retransmissions)
{
    CaseSummary item;
    item.workers = workers;
    item.engines[EngineKind::PACKET] = MakeEngine({8, 9}, 0, 0);
    ReplicationSummary& run = item.engines[EngineKind::PACKET].replications[0];
    run.drops = run.retransmissions = run.timeouts = run.recoveries = 0;
    ReplicationSummary& lossy = item.engines[EngineKind::PACKET].replications[1];
    lossy.drops = 3;
    lossy.retransmissions = retransmissions;
    lossy.timeouts = 1;
    lossy.recoveries = 2;
    return item;
}

} // namespace

TEST(DmlLossReport, NotesWhatWasLost)
{
    RunSummary summary = MakeOddSummary();
    EXPECT_TRUE(MakeLossNotes(summary).empty());
    summary.cases.push_back(MakeLossy(4, 5));
    summary.cases.push_back(MakeLossy(8, 6));
    const auto notes = MakeLossNotes(summary);
    ASSERT_EQ(notes.size(), 2u);
    EXPECT_EQ(notes[0],
              "losses: W=8: 3 drops, 6 retransmissions, 1 timeout, 2 fast recoveries in 1 of 2 "
              "replications");
    EXPECT_EQ(notes[1].substr(0, 38), "losses: W=4: 3 drops, 5 retransmission");
    const auto json = ToJson(summary)["cases"];
    EXPECT_EQ(json[0]["losses"]["drops"], 0);
    EXPECT_EQ(json[2]["losses"]["retransmissions"], 5);
    EXPECT_EQ(json[2]["losses"]["timeouts"], 1);
    EXPECT_EQ(json[2]["losses"]["fast_recoveries"], 2);
    EXPECT_EQ(json[2]["losses"]["replications"], 1);
    EXPECT_EQ(json[2]["engines"]["packet"]["replications"][1]["fast_recoveries"], 2);
    EXPECT_FALSE(json[1].contains("losses")) << "the packet engine did not run";
}

TEST(DmlLossReport, WarnsOfLargePackets)
{
    RunSummary summary;
    summary.cases = {MakeLossy(4, 5), MakeLossy(8, 5)};
    summary.cases[1].mtu = 9000;
    const auto notes = MakeLossNotes(summary);
    ASSERT_EQ(notes.size(), 3u);
    EXPECT_EQ(notes[0].find("warning: packets of up to 9000 bytes were lost in 1 configuration: "),
              0u);
    EXPECT_NE(notes[0].find("use network.mtu: 1500"), std::string::npos);
    EXPECT_NE(FormatTable(summary).find("warning:"), 0u);
    summary.notes = notes;
    EXPECT_NE(FormatTable(summary).find("\nlosses: W=4: 3 drops"), std::string::npos);
    summary.cases = {summary.cases[0]};
    summary.cases[0].engines[EngineKind::PACKET] = MakeEngine({8}, 0, 0);
    summary.cases[0].mtu = 9000;
    EXPECT_TRUE(MakeLossNotes(summary).empty()) << "large packets alone are no reason to warn";
}

TEST(DmlLossReport, StaysShort)
{
    RunSummary summary;
    summary.cases.assign(100, MakeLossy(4, 5));
    const auto notes = MakeLossNotes(summary);
    ASSERT_EQ(notes.size(), 13u);
    EXPECT_EQ(notes.back(), "losses: in 88 more configurations; see \"losses\" in summary.json");
}

// Two replications have no interval: {10, 14} and {1234.5, 1236.5} are shown as they are.
TEST(DmlTable, GoldenText)
{
    EXPECT_EQ(FormatTable(MakeOddSummary()),
              "study: AlexNet, batch 8, 2 PS\n"
              "           fair-share           packet             diff  Cynthia     Lin PS link\n"
              "   W        samples/s        samples/s     % (interval)           et al. dn/up %\n"
              "--------------------------------------------------------------------------------\n"
              "   1 12.00 10.0..14.0  8.000 +-      - +25.0          -?   9.877  0.0123   45/20\n"
              " 128  1236 1234..1236                -                -        -  123456  99/100\n"
              "+-: 95 % interval over replications: 2 (fair-share), 1 (packet); one replication\n"
              "  gives none\n"
              "diff: fair-share / packet - 1 and its 95 % interval over the replications that\n"
              "  both engines ran: 1; ?: may be 0; one replication gives none\n"
              "a..b: of fewer than 4 replications, which give no interval, the least and the\n"
              "  greatest; none is certain\n"
              "W=128, fair-share: 2 of 4 replications undefined (first: no worker finished its\n"
              "  last step)\n");
}

namespace
{

/// @return the table's line of a case @param predicted by fair-share @param measured by packets
std::string
FormatPairs(const std::vector<double>& predicted, const std::vector<double>& measured, bool grey)
{
    RunSummary summary;
    CaseSummary item;
    item.workers = 7;
    item.engines[EngineKind::FAIR_SHARE] = MakeEngine(predicted, 0, 0);
    item.engines[EngineKind::PACKET] = MakeEngine(measured, 0, 0);
    summary.cases = {item};
    const std::string table = FormatTable(summary, grey);
    const auto start = table.find("\n   7 ") + 1;
    return table.substr(start, table.find('\n', start) - start);
}

} // namespace

// Ratios 1.2 and 2, twice (DmlDifference): sqrt(2.4) - 1 = +54.9 %, from 1.549 e^-0.469 - 1 = -3.1
// % to +148 %: that includes 0, and is greyed on a terminal. Four times 1.2: +20 %, without a
// doubt. Two pairs are shown as they are, and may be chance.
TEST(DmlTable, MarksDifferencesThatMayBeZero)
{
    const std::vector<double> tens{10, 10, 10, 10};
    EXPECT_NE(FormatPairs({12, 20, 12, 20}, tens, false).find(" +54.9 -3.1..+148? "),
              std::string::npos)
        << FormatPairs({12, 20, 12, 20}, tens, false);
    EXPECT_NE(FormatPairs({12, 20, 12, 20}, tens, true).find("\033[2m +54.9 -3.1..+148?\033[0m "),
              std::string::npos);
    EXPECT_NE(FormatPairs({12, 24, 12, 12}, {10, 20, 10, 10}, true).find(" +20.0   +20..+20  "),
              std::string::npos);
    EXPECT_NE(FormatPairs({12, 20}, {10, 10}, false).find(" +54.9  +20..+100? "), std::string::npos)
        << FormatPairs({12, 20}, {10, 10}, false);
    EXPECT_NE(FormatPairs({12}, {10}, false).find(" +20.0          -? "), std::string::npos);
    // nothing to compare: no number
    EXPECT_NE(FormatPairs({12}, {-1}, false).find("                -                -  "),
              std::string::npos);
}

// Of 5 replications only one has a throughput in both engines with W = 8, two have with W = 4.
TEST(DmlTable, SaysOnHowManyReplicationsItStands)
{
    RunSummary summary;
    CaseSummary four;
    four.workers = 4;
    four.engines[EngineKind::FAIR_SHARE] = MakeEngine({10, 11, 12, 13, 14}, 0, 0);
    four.engines[EngineKind::PACKET] = MakeEngine({10, 11}, 0, 0);
    CaseSummary eight = four;
    eight.workers = 8;
    eight.engines[EngineKind::PACKET] = MakeEngine({10, -1}, 0, 0);
    summary.cases = {four};
    const std::string one = FormatTable(summary);
    EXPECT_NE(one.find("\n+-: 95 % interval over replications: 5 (fair-share), 2 (packet)\n"
                       "diff: fair-share / packet - 1 and its 95 % interval over the replications "
                       "that\n  both engines ran: 2; ?: may be 0\n"),
              std::string::npos)
        << one;
    summary.cases = {four, eight};
    const std::string both = FormatTable(summary);
    EXPECT_NE(both.find("5 (fair-share), 1 to 2 (packet)"), std::string::npos) << both;
    EXPECT_NE(both.find("both engines ran: 1 to 2; ?"), std::string::npos) << both;
    for (auto& item : summary.cases)
    {
        item.engines.erase(EngineKind::PACKET);
    }
    EXPECT_EQ(FormatTable(summary).find("diff: "), std::string::npos) << "nothing to explain";
}

TEST(DmlTable, EachVariantHasItsModel)
{
    RunSummary summary = MakeOddSummary();
    summary.cases[1].variant = {{"job.profile", "vgg.yaml"}};
    summary.cases[1].model = "VGG-11";
    summary.cases[1].batch = 4;
    const std::string table = FormatTable(summary);
    EXPECT_EQ(table.find("study: AlexNet, batch 8, 2 PS\n"), 0u);
    EXPECT_NE(table.find("study: VGG-11, batch 4, 2 PS, job.profile=vgg.yaml\n"),
              std::string::npos);
}

TEST(DmlCaseSummary, NamesOfLongValuesAreShortAndDifferent)
{
    CaseSummary one;
    one.variant = {{"job.sync", "{ssp: 3}"}, {"seed", "2"}};
    EXPECT_EQ(one.GetVariantName(), "job.sync={ssp: 3}, seed=2");
    // 81 bytes are too many; the 60th is the second half of a character, which stays whole
    const std::string beginning = std::string(59, 'x');
    one.variant = {{"job.placement", beginning + "\u00e4" + std::string(20, 'y')}};
    CaseSummary other;
    other.variant = {{"job.placement", beginning + "\u00e4" + std::string(20, 'z')}};
    EXPECT_EQ(one.GetVariantName().substr(0, 76), "job.placement=" + beginning + "...");
    EXPECT_EQ(one.GetVariantName().size(), 76U + 8U);
    EXPECT_NE(one.GetVariantName(), other.GetVariantName());
}

TEST(DmlTable, FitsATerminalWhateverTheNumbers)
{
    RunSummary summary = MakeOddSummary();
    for (const double scale : {1e-9, 1e-3, 1.0, 1e3, 1e6, 1e9, 1e12})
    {
        CaseSummary item;
        item.workers = 4096;
        item.engines[EngineKind::FAIR_SHARE] =
            MakeEngine({1.234567 * scale, 9.87654 * scale}, 1, 1);
        item.engines[EngineKind::PACKET] = MakeEngine({0.1 * scale, 1e3 * scale}, 1, 1);
        summary.cases.push_back(item);
        item.engines[EngineKind::PACKET] = MakeEngine({1e-5 * scale, 1e-5 * scale}, 1, 1);
        item.cynthia = 9.9999999 * scale;
        item.lin = 9.9999999 * scale;
        summary.cases.push_back(item);
    }
    CaseSummary variant;
    variant.variant = {{"network.rate", "10Gbps"}};
    summary.cases.push_back(variant);
    variant.engines[EngineKind::FAIR_SHARE] = MakeEngine({-1}, 0, 0);
    summary.cases.push_back(variant);
    const std::string table = FormatTable(summary);
    std::istringstream lines(table);
    std::string line;
    while (std::getline(lines, line))
    {
        EXPECT_LE(line.size(), 80u) << line;
    }
    EXPECT_NE(table.find("2 PS\n"), std::string::npos);
    EXPECT_NE(table.find("1 PS, network.rate=10Gbps\n"), std::string::npos);
    EXPECT_EQ(table.find("     undefined"), std::string::npos) << "cells have a dash";
}
