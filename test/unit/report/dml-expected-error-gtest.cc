/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What is said of the errors of predictions, from real runs of the same kind.

#include "dml-scratch-folder.h"

#include "ns3/dml-expected-error.h"
#include "ns3/dml-result-summary.h"
#include "ns3/dml-scenario-reader.h"

#include <gtest/gtest.h>
#include <ostream>
#include <set>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

/// A scenario, and the kind of real runs that is like it.
struct Kind
{
    std::string job;                  //!< keys of the job
    std::string network;              //!< keys of the network
    uint32_t workers;                 //!< number of workers
    std::string name;                 //!< of the kind
    std::vector<std::string> outside; //!< what was not measured
};

void
PrintTo(const Kind& kind, std::ostream* out)
{
    *out << kind.job << "; " << kind.network;
}

ExpectedError
FindErrorOf(const std::string& job, const std::string& network, uint32_t workers)
{
    const ScratchFolder folder;
    folder.Write("p.yaml",
                 "schema: dml-profile/1\nmodel: test\nbatch_size: 1\n"
                 "tensors: [{name: a, bytes: 20000000}]\n"
                 "ops:\n"
                 "  - {name: pull/a, kind: pull, tensor: a}\n"
                 "  - {name: fa, kind: forward, deps: [pull/a], seconds: 1}\n"
                 "  - {name: push/a, kind: push, tensor: a, deps: [fa]}\n");
    const auto file = folder.Write("s.yaml",
                                   "job: {profile: p.yaml, workers: " + std::to_string(workers) +
                                       job + "}\nnetwork: {" + network + "}\n");
    return FindExpectedError(PrepareScenario(ReadScenario(file).front(), false), workers);
}

class ExpectedErrors : public testing::TestWithParam<Kind>
{
};

TEST_P(ExpectedErrors, AreThoseOfTheNearestKind)
{
    const auto& [job, network, workers, name, outside] = GetParam();
    const ExpectedError expected = FindErrorOf(job, network, workers);
    EXPECT_EQ(expected.kind->name, name);
    EXPECT_EQ(expected.outside, outside);
}

INSTANTIATE_TEST_SUITE_P(
    Scenarios,
    ExpectedErrors,
    testing::Values(
        Kind{"", "rate: 500Mbps", 1, "one worker", {}},
        Kind{"", "rate: 500Mbps", 2, "FIFO, M = 1", {}},
        Kind{", parameter_servers: 2", "queue: {fair: 0B}", 8, "fair, M = 2", {}},
        Kind{", parameter_servers: 3",
             "rate: 10Gbps",
             9,
             "FIFO, M = 2",
             {"9 workers (up to 8 were measured)",
              "3 servers (up to 2 were measured)",
              "10 Gbit/s (200 Mbit/s to 1 Gbit/s were measured)"}},
        Kind{", sync: {ssp: 2}",
             "queue: 64KB",
             4,
             "FIFO, M = 1",
             {"64 kB (256 kB to 4 MB were measured)", "sync ssp"}},
        Kind{"", "queue: 0B", 4, "FIFO, M = 1", {"ports that mark, drop early or never drop"}},
        Kind{"",
             "transport: plain, delay: 1ms",
             4,
             "FIFO, M = 1",
             {"transport plain", "delays of links above 100 us"}},
        Kind{", scale: 0.5", "", 4, "FIFO, M = 1", {"10 MB (12 MB to 67 MB were measured)"}},
        Kind{", protocol: all-reduce", "queue: {fair: 0B}", 4, "ring or hierarchical, fair", {}},
        Kind{", protocol: all-reduce, all_reduce: {algorithm: halving-doubling}",
             "",
             4,
             "exchange of pairs, FIFO",
             {}},
        Kind{", protocol: all-reduce, all_reduce: {algorithm: tree}", "", 4, "tree, FIFO", {}}));

TEST(ExpectedErrors, EveryKindHasErrorsOfAllEnginesThatPredict)
{
    std::set<std::string> names;
    for (const auto& kind : GetMeasuredKinds())
    {
        EXPECT_TRUE(names.insert(kind.name).second);
        EXPECT_GT(kind.cases, 0u);
        for (const auto engine : {EngineKind::FAIR_SHARE, EngineKind::BURST})
        {
            ASSERT_EQ(kind.errors.count(engine), 1u) << kind.name;
            EXPECT_LE(kind.errors.at(engine).mean, kind.errors.at(engine).largest) << kind.name;
        }
    }
    EXPECT_EQ(names.size(), 11u);
}

TEST(ExpectedErrors, AreToldOnceForConfigurationsOfAKind)
{
    RunSummary summary;
    const auto add = [&summary](uint32_t workers, const std::string& network, EngineKind engine) {
        CaseSummary item;
        item.workers = workers;
        item.expected = FindErrorOf("", network, workers);
        item.engines[engine];
        summary.cases.push_back(item);
    };
    add(2, "queue: 1MB", EngineKind::BURST);
    add(4, "queue: 1MB", EngineKind::BURST);
    add(4, "rate: 2Gbps", EngineKind::BURST);
    add(4, "queue: 1MB", EngineKind::HOST); // the truth
    const auto notes = MakeExpectedErrorNotes(summary);
    ASSERT_EQ(notes.size(), 2u);
    EXPECT_EQ(notes[0].find("expected error, W = 2, 4: burst "), 0u) << notes[0];
    EXPECT_EQ(notes[0].find("fair-share"), std::string::npos) << notes[0];
    EXPECT_EQ(notes[0].find("not measured"), std::string::npos) << notes[0];
    EXPECT_NE(
        notes[1].find("; not measured: 2 Gbit/s (200 Mbit/s to 1 Gbit/s were measured): there "
                      "it may be larger (dml certify)"),
        std::string::npos)
        << notes[1];
}

TEST(ExpectedErrors, AreInTheSummary)
{
    const auto json = FindErrorOf("", "rate: 2Gbps", 2).ToJson();
    EXPECT_EQ(json["kind"], "FIFO, M = 1");
    EXPECT_EQ(json["not_measured"][0], "2 Gbit/s (200 Mbit/s to 1 Gbit/s were measured)");
    EXPECT_TRUE(json["engines"]["burst"]["mean_percent"].is_number());
}

} // namespace
