/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What a certificate says of results that are made up, what it leaves of the summary that it is put
// into, and why there is none.

#include "dml-one-layer-profile.h"
#include "dml-scratch-folder.h"

#include "ns3/dml-certificate.h"
#include "ns3/dml-html-report.h"
#include "ns3/dml-input-file.h"
#include "ns3/dml-profile-writer.h"
#include "ns3/dml-scenario-keys.h"
#include "ns3/dml-scenario-reader.h"
#include "ns3/dml-summary-json.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <string>

using namespace ns3::dml;
using Json = nlohmann::ordered_json;

namespace
{

/// Runs of one number of workers.
CaseSummary
MakeCase(uint32_t workers, const std::vector<double>& fairShare, const std::vector<double>& real)
{
    CaseSummary item;
    item.model = "test";
    item.workers = workers;
    const auto add = [&item](EngineKind kind, const std::vector<double>& throughputs) {
        for (const double throughput : throughputs)
        {
            ReplicationSummary run;
            run.replication = item.engines[kind].replications.size();
            if (throughput > 0)
            {
                run.throughput.samplesPerSecond = throughput;
            }
            if (kind == EngineKind::HOST)
            {
                run.host = HostConditions{throughput > 0 ? 0.01 : 1.0, 0, 0, {}, {"a note"}};
            }
            item.engines[kind].Add(run);
        }
    };
    add(EngineKind::FAIR_SHARE, fairShare);
    add(EngineKind::HOST, real);
    return item;
}

class CertificateTest : public testing::Test
{
  protected:
    /// @param keys of the scenario besides its job @param job keys of it, behind a comma
    std::vector<Scenario> Read(const std::string& keys = "", const std::string& job = "") const
    {
        m_folder.Write("p.yaml", FormatProfile(MakeOneLayerProfile(1448000, 0.02, 0.01)));
        return ReadScenario(m_folder.Write(
            "s.yaml",
            "name: mine\njob: {profile: p.yaml, steps: 8, warmup: 2, workers: [1, 4]" + job +
                "}\n" + keys + "\n"));
    }

    static CertificatePlan MakePlan(double stretch)
    {
        CertificatePlan plan;
        plan.engines = {EngineKind::FAIR_SHARE, EngineKind::HOST};
        plan.scenarios.resize(1);
        plan.workers = {1, 4};
        plan.repeats = 5;
        plan.stretch = stretch;
        return plan;
    }

    /// @return a certificate of W = 1, whose errors are +2 % in each pair, and W = 4, -10 %
    Certificate MakeExample(double stretch = 20) const
    {
        RunSummary summary;
        summary.cases = {MakeCase(1, {10.2, 20.4, 10.2, 20.4}, {10, 20, 10, 20}),
                         MakeCase(4, {36, 36, 36, 36}, {40, 40, 40, 40})};
        return MakeCertificate(MakePlan(stretch), Read().front(), summary, "there");
    }

    /// Write results of the scenario. @return their folder
    std::string WriteResults(const std::vector<Scenario>& scenarios) const
    {
        RunSummary summary;
        summary.name = "mine";
        summary.scenario = ScenarioToJson(scenarios.front());
        summary.notes = {"first", "second"};
        for (const auto& scenario : scenarios)
        {
            for (const uint32_t workers : scenario.job.workers)
            {
                summary.cases.push_back(MakeCase(workers, {1.0 / 3}, {}));
                summary.cases.back().engines.erase(EngineKind::HOST);
                summary.cases.back().variant = scenario.variant;
            }
        }
        m_folder.Write("results/none", "");
        WriteSummary(m_folder.GetPath("results/summary.json"), summary);
        m_folder.Write("results/report.html", FormatHtmlReport(summary, "nowhere"));
        return m_folder.GetPath("results");
    }

    std::string ReadFile(const std::string& name) const
    {
        return ReadBytes(m_folder.GetPath(name)).value_or("none");
    }

    ScratchFolder m_folder; //!< of scenarios and results
};

} // namespace

TEST_F(CertificateTest, SaysWhereAnEngineIsFarthestOff)
{
    EXPECT_EQ(MakeExample().GetSentence(),
              "checked against reality in small (20 times slower, largest errors of 2 cases): "
              "fair-share -10.0 % (-10.0..-10.0) with W=4");
    Certificate one = MakeExample(1);
    one.cases.pop_back();
    EXPECT_EQ(one.GetSentence(),
              "checked against reality (at full size and rate): fair-share +2.0 % "
              "(+2.0..+2.0)");
    one.plan.shrink = 1.6;
    EXPECT_NE(one.GetSentence().find("(1.6 times smaller)"), std::string::npos)
        << one.GetSentence();
}

TEST_F(CertificateTest, TellsWhatRealProcessesHadOtherwise)
{
    const Certificate certificate = MakeExample();
    EXPECT_EQ(certificate.remarks, std::vector<std::string>{"a note"});
    const Json json = ToJson(certificate);
    EXPECT_EQ(json.at("schema"), "dml-certificate/1");
    EXPECT_EQ(json.at("stretch"), 20);
    EXPECT_EQ(json.at("cases").size(), 2U);
    EXPECT_NEAR(json.at("cases").at(1).at("errors").at("fair-share").at("percent").get<double>(),
                -10,
                1e-9);
    EXPECT_EQ(json.at("cases").at(0).at("real").at("throughput"), 15);
    EXPECT_EQ(json.at("scenario").at("name"), "mine");
    for (const char* text : {"\n      1", "\n      4", "+2.0", "-10.0", "note: a note"})
    {
        EXPECT_NE(FormatCertificate(certificate).find(text), std::string::npos)
            << FormatCertificate(certificate);
    }
}

// Of five runs, two count: there are no intervals, but the least and the greatest.
TEST_F(CertificateTest, LeavesOutDisturbedRuns)
{
    RunSummary summary;
    summary.cases = {MakeCase(4, {11, 11, 11, 11, 11}, {0, 10, 0, 11, 0})};
    CertificatePlan plan = MakePlan(1);
    plan.workers = {4};
    const Certificate certificate = MakeCertificate(plan, Read().front(), summary, "there");
    EXPECT_EQ(certificate.cases.front().disturbed, 3U);
    EXPECT_EQ(certificate.cases.front().errors.at(EngineKind::FAIR_SHARE).pairs, 2U);
    EXPECT_EQ(certificate.remarks.back().rfind("3 of 5 runs of real processes do not count", 0),
              0U);
    EXPECT_FALSE(ToJson(certificate)
                     .at("cases")
                     .at(0)
                     .at("errors")
                     .at("fair-share")
                     .at("interval")
                     .get<bool>());
    summary.cases = {MakeCase(4, {11, 11}, {0, 0})};
    try
    {
        MakeCertificate(plan, Read().front(), summary, "there");
        FAIL() << "a certificate of nothing";
    }
    catch (const RunError& error)
    {
        EXPECT_EQ(std::string(error.what()).rfind("no certificate: 2 of 5 runs", 0), 0U)
            << error.what();
    }
}

// All else in the summary stays, byte for byte; a second certificate takes the place of the first.
TEST_F(CertificateTest, IsPutIntoResults)
{
    const auto scenarios = Read();
    const std::string folder = WriteResults(scenarios);
    const Json before = Json::parse(ReadFile("results/summary.json"));
    const std::string page = ReadFile("results/report.html");
    CheckCertified(folder, scenarios, {1, 4});
    AttachCertificate(folder, MakeExample(40));
    AttachCertificate(folder, MakeExample(20));
    const std::string sentence = MakeExample().GetSentence();
    Json after = Json::parse(ReadFile("results/summary.json"));
    EXPECT_EQ(after.at("notes"), Json({sentence, "first", "second"}));
    EXPECT_EQ(after.at("certificate").at("sentence"), sentence);
    EXPECT_EQ(Json::parse(ReadFile("results/certificate.json")).at("sentence"), sentence);
    after.erase("certificate");
    after["notes"] = before.at("notes");
    EXPECT_EQ(after.dump(2), before.dump(2));
    const std::string checked = ReadFile("results/report.html");
    EXPECT_EQ(checked.size(),
              page.size() + std::string("<p class=\"checked\"></p>\n").size() + sentence.size());
    EXPECT_NE(checked.find(sentence + "</p>\n</div>\n<h2>Throughput"), std::string::npos);
    EXPECT_EQ(SetCheckedSentence("no page of dml's", sentence), "no page of dml's");
}

TEST_F(CertificateTest, IsOfTheSameScenario)
{
    const auto scenarios = Read("network: {rate: 1Gbps}");
    const std::string folder = WriteResults(scenarios);
    const auto check = [&](const std::vector<Scenario>& asked,
                           const std::vector<uint32_t>& workers) {
        return m_folder.ErrorOf([&] { CheckCertified(folder, asked, workers); });
    };
    EXPECT_EQ(check(scenarios, {1, 4}), "no error");
    EXPECT_EQ(check(Read("network: {rate: 1Gbps}\nseed: 9\noutput: {trace: false}\npacket: "
                         "{replications: 1}"),
                    {4}),
              "no error");
    EXPECT_EQ(check(scenarios, {2}),
              "--for: results/summary.json: found no W = 2; accepted: results with all cases that "
              "are certified");
    EXPECT_EQ(
        check(Read("network: {rate: 2Gbps}"), {4}),
        "--for: results/summary.json: found network.rate = \"1000000000bps\"; accepted: results of "
        "the scenario that is certified, which has \"2000000000bps\"");
    EXPECT_EQ(m_folder.ErrorOf([&] { CheckCertified(m_folder.GetPath("nowhere"), scenarios, {4}); })
                  .rfind("nowhere/summary.json: ", 0),
              0U);
    std::filesystem::create_directory(m_folder.GetPath("results/unfinished"));
    m_folder.Write("results/unfinished/study.json", "{}");
    EXPECT_NE(check(scenarios, {4}).find("not finished"), std::string::npos)
        << check(scenarios, {4});
}

// One of the variants of a sweep alone, which other keys make.
TEST_F(CertificateTest, IsOfAVariant)
{
    const std::string sweep = "sweep: {network.rate: [1Gbps, 2Gbps]}";
    const std::string folder = WriteResults(Read(sweep));
    const auto check = [&](const std::vector<Scenario>& asked) {
        return m_folder.ErrorOf([&] { CheckCertified(folder, asked, {1, 4}); });
    };
    EXPECT_EQ(check(Read(sweep)), "no error");
    EXPECT_EQ(check(Read("network: {rate: 2Gbps}")), "no error");
    EXPECT_EQ(check(Read("network: {rate: 3Gbps}")),
              "--for: results/summary.json: found 2 variants, of which none is the scenario; "
              "accepted: results of the scenario that is certified");
}

// What is refused before this machine is asked whether it has namespaces.
TEST_F(CertificateTest, IsRefusedWithTheReason)
{
    const auto refuse = [this](const std::vector<Scenario>& scenarios,
                               CertificateLimits limits = {300, 2, {}}) {
        return m_folder.ErrorOf([&] { PlanCertificate(scenarios, limits); });
    };
    EXPECT_EQ(refuse(Read("sweep: {seed: [1, 2, 3, 4, 5]}")),
              "s.yaml: has a sweep of 5 variants; accepted: at most 4 for a certificate, such as "
              "one with --set sweep={}");
    EXPECT_EQ(
        refuse(Read("", ", parameter_servers: 20")),
        "s.yaml:2:54: job.workers: found no number that all variants have with at most 16 "
        "processes, 8 for each core of this machine; accepted: fewer workers and servers, for "
        "a certificate");
    // a step takes 2.9 MB at 1 Mbit/s, 23 s for one worker and 93 s for four, of which there are
    // six
    const std::string slow = refuse(Read("network: {rate: 1Mbps}"), {60, 2, {}});
    EXPECT_EQ(slow.rfind("--minutes: found 1; accepted: from ", 0), 0U) << slow;
}
