/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-in-order-run.h"
#include "dml-profile-builder.h"
#include "dml-scratch-folder.h"
#include "dml-test-files.h"

#include "ns3/dml-importers.h"
#include "ns3/dml-profile-reader.h"
#include "ns3/dml-profile-writer.h"
#include "ns3/dml-trace-file.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sstream>

using namespace ns3::dml;

namespace
{

std::string
ReadText(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string
ToText(const Profile& profile)
{
    std::ostringstream text;
    WriteProfile(profile, text);
    return text.str();
}

/// @return the text of @p profile, with where it is from as an import keeps it
std::string
ToImportedText(Profile profile)
{
    for (auto& [key, value] : profile.source)
    {
        key = key == "imported_by" ? "first_imported_by" : key;
    }
    return ToText(profile);
}

/// Write the trace of a run.
void
WriteRun(TraceFile& trace,
         const Profile& profile,
         uint32_t workers,
         uint32_t servers,
         const std::string& engine = "fair-share")
{
    trace.BeginRun(engine, workers, servers);
    RunInOrder(profile, workers, servers, trace);
}

/// Two devices, one with slots; ops without time or bytes; names that JSON and others must quote.
Profile
MakeOddProfile()
{
    ProfileBuilder builder({{"gpu:0/stream \"7\"", 2}, {"cpu \u00e9", 1}});
    builder.Pull("a/weights:0", 1000)
        .Pull("b\\\n", 0)
        .Compute("first \u2192 \"x\"", {0.001, 0.002, 0}, {"pull/a/weights:0", "pull/b\\\n"}, 1)
        .Compute("second", {0, 0, 0.000000001}, {"first \u2192 \"x\"", "pull/a/weights:0"})
        .Compute("alone", {0.123456789, 0.1, 0.2})
        .Compute("parse pull/a", {0.25, 0.25, 0.25}, {"second"})
        .Push("a/weights:0", 1000, {"parse pull/a"})
        .Push("b\\\n", 0, {"alone", "second"})
        .Update("a/weights:0", 0.0001)
        .Update("b\\\n", 0);
    Profile profile = builder.Build();
    profile.model = "odd: \"model\"";
    profile.batchSize = 12;
    profile.source = {{"framework", "none"}, {"a: \"key\"", ""}};
    profile.inputBytes = 77;
    profile.residentBytes = 7;
    profile.graph.Add({"forward", OpKind::FORWARD, 0, NO_INDEX, {70, 60, 50}});
    profile.samples.push_back({0.5, 0.5, 0.5});
    return profile;
}

/// A trace's text made of lines, in a job of its own.
class DmlTraceImporter : public ::testing::Test
{
  protected:
    /// @param events that follow the job's; @return path of a trace
    std::string Write(const std::string& events, const std::string& name = "trace.json") const
    {
        return m_folder.Write(name, HEAD + events + "\n]}\n");
    }

    /// @return what the import of a trace says
    std::string GetError(const std::string& text, const ImportOptions& options = {}) const
    {
        const std::string path = m_folder.Write("trace.json", text);
        return m_folder.ErrorOf([&] { ImportDmlTrace({path}, options); });
    }

    /// One tensor, pulled, used, pushed and updated; one worker and one server.
    static constexpr const char* HEAD =
        R"({"displayTimeUnit":"ms","otherData":{"schema":"dml-trace/1"},"traceEvents":[
{"ph":"M","name":"dml_profile","pid":1,"args":{"schema":"dml-trace/1","model":"m","batch_size":4,"samples":2,"source":[]}},
{"ph":"M","name":"dml_device","pid":1,"args":{"name":"cpu","slots":1}},
{"ph":"M","name":"dml_tensor","pid":1,"args":{"name":"w","bytes":100}},
{"ph":"M","name":"dml_op","pid":1,"args":{"name":"pull/w","kind":"pull","tensor":0,"deps":[]}},
{"ph":"M","name":"dml_op","pid":1,"args":{"name":"fwd","kind":"forward","device":0,"deps":[0]}},
{"ph":"M","name":"dml_op","pid":1,"args":{"name":"push/w","kind":"push","tensor":0,"deps":[1]}},
{"ph":"M","name":"dml_op","pid":1,"args":{"name":"update/w","kind":"update","tensor":0,"deps":[2]}},
{"ph":"M","name":"process_name","pid":1,"args":{"name":"packet worker 0","run":1,"engine":"packet","worker":0}},
{"ph":"M","name":"process_name","pid":2,"args":{"name":"packet worker 1","run":1,"engine":"packet","worker":1}},
{"ph":"M","name":"process_name","pid":3,"args":{"name":"packet PS 0","run":1,"engine":"packet","ps":0}})";

    ScratchFolder m_folder; //!< of the test's files
};

} // namespace

TEST_F(DmlTraceImporter, RoundTripGivesTheSameProfile)
{
    const std::vector<std::pair<Profile, uint32_t>> jobs{
        {ReadProfile(FindRepositoryFile("test/data/tiny.profile.yaml")), 2},
        {ReadProfile(FindRepositoryFile("scenarios/profiles/alexnet-b8.yaml")), 1},
        {MakeOddProfile(), 3}};
    for (const auto& [profile, servers] : jobs)
    {
        for (const char* name : {"first.json", "second.json"})
        {
            TraceFile trace(m_folder.GetPath(name), profile, {});
            WriteRun(trace, profile, 3, servers);
            trace.Close();
        }
        EXPECT_EQ(ReadText(m_folder.GetPath("first.json")),
                  ReadText(m_folder.GetPath("second.json")));
        for (const char* worker : {"0", "2", "fair-share worker 1"})
        {
            ImportOptions options;
            options.worker = worker;
            const ImportResult result = ImportDmlTrace({m_folder.GetPath("first.json")}, options);
            EXPECT_EQ(ToText(result.profile), ToImportedText(profile))
                << profile.model << " " << worker;
            EXPECT_EQ(result.warnings, std::vector<std::string>());
            EXPECT_EQ(result.stepSeconds.size(), profile.GetSampleCount());
            EXPECT_EQ(result.bytesRead, ReadText(m_folder.GetPath("first.json")).size());
            const auto isTransfer = [&](OpIndex op) {
                return IsTransfer(profile.graph.Get(op).kind);
            };
            uint32_t transfers = 0;
            for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
            {
                transfers += isTransfer(op) ? profile.GetSampleCount() + 1 : 0;
            }
            EXPECT_EQ(result.transfers.size(), transfers);
        }
    }
}

// Hand-written: the pull has two chunks, 1-2 us and 4-6 us, arrives at 7 us and is parsed until 9
// us; fwd runs from 9 us for 1.5 us, its event rounded to 1.501 us; the push is ready at 10.5 us,
// arrives at 12 us, and is parsed until 12.25 us; the update takes 0.25 us. Nothing of worker 1
// counts.
TEST_F(DmlTraceImporter, JoinsChunksAndTellsTransfers)
{
    const std::string path = Write(R"(,
{"ph":"X","name":"a","pid":1,"ts":1,"dur":1,"args":{"step":0,"op":0,"bytes":40}},
{"ph":"X","name":"a","pid":2,"ts":1,"dur":99,"args":{"step":0,"op":1}},
{"ph":"X","name":"a","pid":1,"ts":4,"dur":2,"args":{"step":0,"op":0,"bytes":60}},
{"ph":"i","name":"a","pid":1,"ts":7,"args":{"step":0,"op":0,"ps":0,"ready":0.5}},
{"ph":"X","name":"a","pid":1,"ts":7,"dur":2,"args":{"step":0,"op":0,"parse":1}},
{"ph":"X","name":"a","pid":1,"ts":9,"dur":1.501,"args":{"step":0,"op":1,"ns":1500}},
{"ph":"X","name":"a","pid":1,"ts":10.5,"dur":1,"args":{"step":0,"op":2,"bytes":100}},
{"ph":"i","name":"a","pid":1,"ts":12,"args":{"step":0,"op":2,"ps":0,"ready":10.5}},
{"ph":"X","name":"a","pid":3,"ts":12,"dur":0.25,"args":{"step":0,"op":2,"parse":1,"worker":0}},
{"ph":"X","name":"a","pid":3,"ts":12.25,"dur":0.25,"args":{"step":0,"op":3,"worker":0}},
{"ph":"X","name":"a","pid":3,"ts":12.25,"dur":77,"args":{"step":0,"op":3,"worker":1}},
{"ph":"X","name":"waiting","pid":1,"ts":1,"dur":1,"args":{"step":0}},
{"ph":"X","name":"step 0","pid":1,"ts":0,"dur":13,"args":{"step":0,"sample":1}})");
    const ImportResult result = ImportDmlTrace({path}, {});
    ASSERT_EQ(result.profile.GetSampleCount(), 1u);
    EXPECT_DOUBLE_EQ(result.profile.samples[1][0], 1.5e-6);
    EXPECT_DOUBLE_EQ(result.profile.samples[3][0], 0.25e-6);
    EXPECT_EQ(result.stepSeconds, std::vector<double>{13e-6});
    // 0-1, 10.501-10.5 (none) and 12.5-13 us
    EXPECT_NEAR(result.unexplainedSeconds.at(0), 1.5e-6, 2e-9);
    ASSERT_EQ(result.transfers.size(), 2u);
    ASSERT_EQ(result.device.computes.size(), 1u);
    EXPECT_EQ(result.device.computes[0].machine, "worker0");
    EXPECT_EQ(result.device.computes[0].start, 9000);
    EXPECT_EQ(result.device.computes[0].end, 10501);
    const RecordedTransfer& pull = result.transfers[0];
    EXPECT_EQ(pull.tensor, "w");
    EXPECT_EQ(pull.bytes, 100u);
    EXPECT_TRUE(pull.downlink);
    EXPECT_EQ(pull.sender, "ps0");
    EXPECT_EQ(pull.receiver, "worker0");
    EXPECT_EQ(pull.start, 500);
    EXPECT_EQ(pull.ready, 500);
    EXPECT_EQ(pull.lastByte, 7000);
    EXPECT_EQ(pull.end, 9000);
    EXPECT_EQ(pull.used, 9000);
    const RecordedTransfer& push = result.transfers[1];
    EXPECT_FALSE(push.downlink);
    EXPECT_EQ(push.sender, "worker0");
    EXPECT_EQ(push.receiver, "ps0");
    EXPECT_EQ(push.ready, 10500);
    EXPECT_EQ(push.end, 12250);
    EXPECT_EQ(push.used, 12250);
    ASSERT_EQ(result.warnings.size(), 1u);
    EXPECT_NE(result.warnings[0].find("replayed 1 of the 2 samples"), std::string::npos);
    EXPECT_EQ(result.rules.at(0),
              "samples: 1 of 2, from 1 complete steps; the first step of each sample counts");
    EXPECT_NE(result.replayCaveat.find("2 workers"), std::string::npos);
}

namespace
{

/// @return events of a step of worker 0 without transfers' times, from @p start us
std::string
MakeTracedStep(uint32_t step,
               uint32_t sample,
               uint32_t start,
               const std::string& forward,
               bool update = true)
{
    const std::string args = ",\"args\":{\"step\":" + std::to_string(step);
    const std::string at = ",\"ts\":" + std::to_string(start) + ",\"dur\":";
    return ",\n{\"ph\":\"X\",\"pid\":1" + at + forward + args + ",\"op\":1}}" +
           (update ? ",\n{\"ph\":\"X\",\"pid\":3" + at + "2" + args + ",\"op\":3,\"worker\":0}}"
                   : "") +
           ",\n{\"ph\":\"X\",\"pid\":1" + at + "100" + args +
           ",\"sample\":" + std::to_string(sample) + "}}";
}

/// @return seconds of op 1 of each sample, in us
std::vector<double>
GetForward(const ImportResult& result)
{
    std::vector<double> forward = result.profile.samples[1];
    std::transform(forward.begin(), forward.end(), forward.begin(), [](double s) {
        return std::round(s * 1e9) / 1e3;
    });
    return forward;
}

} // namespace

TEST_F(DmlTraceImporter, OrdersStepsBySample)
{
    const auto path = Write(MakeTracedStep(0, 7, 0, "10") + MakeTracedStep(1, 2, 100, "20") +
                            MakeTracedStep(2, 7, 200, "10.001") + MakeTracedStep(3, 7, 300, "10"));
    const ImportResult result = ImportDmlTrace({path}, {});
    EXPECT_EQ(GetForward(result), (std::vector<double>{20, 10}));
    EXPECT_TRUE(result.warnings.empty());
}

// A second key of one name would not be read back.
TEST_F(DmlTraceImporter, KeepsWhereAnImportedProfileCameFrom)
{
    using Source = std::vector<std::pair<std::string, std::string>>;
    const auto import = [&](const std::string& source) {
        std::string text = HEAD + MakeTracedStep(0, 0, 0, "10") + "\n]}\n";
        text.replace(text.find("[]"), 2, source);
        return ImportDmlTrace({m_folder.Write("trace.json", text)}, {}).profile.source;
    };
    EXPECT_EQ(import(R"([["a","b"],["imported_by","dml import kineto"]])"),
              (Source{{"a", "b"}, {"first_imported_by", "dml import kineto"}}));
    EXPECT_EQ(import(R"([["imported_by","x"],["first_imported_by","y"]])"),
              (Source{{"first_imported_by", "y"}}));
}

TEST_F(DmlTraceImporter, TellsThatStepsOfOneSampleDiffer)
{
    const auto path = Write(MakeTracedStep(0, 0, 0, "10") + MakeTracedStep(1, 1, 100, "20") +
                            MakeTracedStep(2, 0, 200, "12") + MakeTracedStep(3, 1, 300, "21"));
    const ImportResult result = ImportDmlTrace({path}, {});
    EXPECT_EQ(GetForward(result), (std::vector<double>{10, 20}));
    ASSERT_EQ(result.warnings.size(), 1u);
    EXPECT_EQ(result.warnings[0],
              "2 steps took other times than the first step of their sample, such as op 'fwd' in "
              "step 2, 12000 ns, not 10000 ns: do devices or batch sizes vary?");
}

// The crash at 50 us loses step 1, which runs again.
TEST_F(DmlTraceImporter, ForgetsWhatACrashLost)
{
    const auto path = Write(MakeTracedStep(0, 0, 0, "10") +
                            ",\n{\"ph\":\"X\",\"pid\":3,\"ts\":100,\"dur\":9,\"args\":{\"step\":1,"
                            "\"op\":3,\"worker\":0}}"
                            ",\n{\"ph\":\"i\",\"pid\":1,\"ts\":150,\"args\":{\"crash\":1}}" +
                            MakeTracedStep(1, 1, 200, "20", false));
    const ImportResult result = ImportDmlTrace({path}, {});
    EXPECT_EQ(GetForward(result), std::vector<double>{10});
    ASSERT_EQ(result.warnings.size(), 2u);
    EXPECT_NE(result.warnings[0].find("step 1 of packet worker 0 is left out: it lacks the op "
                                      "'update/w'"),
              std::string::npos);
}

TEST_F(DmlTraceImporter, TakesJointUpdatesFromTheWorkerThatRanThem)
{
    const auto path = Write(",\n{\"ph\":\"X\",\"pid\":3,\"ts\":1,\"dur\":9,\"args\":{\"step\":0,"
                            "\"op\":3,\"worker\":1}}" +
                            MakeTracedStep(0, 0, 0, "10", false) + MakeTracedStep(1, 1, 100, "20"));
    const ImportResult result = ImportDmlTrace({path}, {});
    EXPECT_DOUBLE_EQ(result.profile.samples[3][0], 9e-6);
    EXPECT_DOUBLE_EQ(result.profile.samples[3][1], 2e-6);
    EXPECT_EQ(result.rules.at(1),
              "updates that another worker ran for all: 1, with the time that they took there");
}

TEST_F(DmlTraceImporter, SeveralFilesAndRuns)
{
    const Profile profile = ReadProfile(FindRepositoryFile("test/data/tiny.profile.yaml"));
    const auto both = m_folder.GetPath("both.json");
    {
        TraceFile trace(both, profile, {});
        WriteRun(trace, profile, 2, 1);
        WriteRun(trace, profile, 3, 1, "other");
        trace.Close();
    }
    ImportOptions options;
    options.worker = "other worker 2";
    EXPECT_EQ(ToText(ImportDmlTrace({both, both}, options).profile), ToText(profile));
    options.worker = "2"; // of the first run
    EXPECT_EQ(m_folder.ErrorOf([&] { ImportDmlTrace({both}, options); }),
              "both.json: has no worker '2'; accepted: fair-share worker 0, fair-share worker 1, "
              "other worker 0, other worker 1, other worker 2");
    const auto other = Write(MakeTracedStep(0, 0, 0, "10"), "other.json");
    EXPECT_EQ(m_folder.ErrorOf([&] {
        ImportDmlTrace({both, other}, {});
    }),
              "other.json: its job is not that of " + both.substr(both.rfind('/') + 1) +
                  "; accepted are traces of one job");
    // each file has a sample that the other one lacks
    const auto one = Write(MakeTracedStep(0, 1, 0, "10"), "one.json");
    const auto two = Write(MakeTracedStep(0, 0, 0, "20"), "two.json");
    EXPECT_EQ(GetForward(ImportDmlTrace({one, two}, {})), (std::vector<double>{20, 10}));
}

// What an interrupted run left gives the steps that it has, wherever it ends.
TEST_F(DmlTraceImporter, TakesWhatAnInterruptedRunLeft)
{
    const std::string text =
        HEAD + MakeTracedStep(0, 0, 0, "10") + MakeTracedStep(1, 1, 100, "20") + "\n]}\n";
    std::size_t before = 0;
    std::size_t partial = 0;
    for (std::size_t size = 0; size < text.size(); size += 7)
    {
        const auto path = m_folder.Write("cut.json", text.substr(0, size));
        std::size_t steps = 0;
        const std::string error = m_folder.ErrorOf([&] {
            const ImportResult result = ImportDmlTrace({path}, {});
            steps = result.stepSeconds.size();
            if (size + 2 < text.size())
            {
                EXPECT_NE(result.warnings.at(0).find("ends too early"), std::string::npos);
            }
        });
        EXPECT_EQ(error == "no error", steps > 0) << size << " " << error;
        EXPECT_GE(steps, before);
        partial += steps == 1 ? 1 : 0;
        before = steps;
    }
    EXPECT_EQ(before, 2u);
    EXPECT_GT(partial, 10u);
}

TEST_F(DmlTraceImporter, ErrorsTellWhere)
{
    const auto replace = [](const std::string& from, const std::string& to) {
        std::string text = HEAD + MakeTracedStep(0, 0, 0, "10") + "\n]}\n";
        text.replace(text.find(from), from.size(), to);
        return text;
    };
    EXPECT_EQ(GetError("{\"traceEvents\":[]}"),
              "trace.json: has no event 'dml_profile'; accepted is a trace.json that a run of this "
              "program wrote");
    EXPECT_EQ(GetError(std::string(HEAD) + "]}"),
              "trace.json: has no complete step of worker '0'; accepted is at least one");
    EXPECT_NE(GetError(replace("args\":{\"schema\":\"dml-trace/1\"",
                               "args\":{\"schema\":\"dml-trace/2\""))
                  .find("/traceEvents/0/args/schema: found 'dml-trace/2'; accepted is "
                        "'dml-trace/1'"),
              std::string::npos);
    EXPECT_NE(GetError(replace("\"tensor\":0", "\"tensor\":1")).find("trace.json:5:"),
              std::string::npos);
    EXPECT_NE(GetError(replace("\"forward\"", "\"sideways\""))
                  .find("/args/kind: found 'sideways'; accepted: pull, forward"),
              std::string::npos);
    EXPECT_EQ(GetError(replace("\"deps\":[2]", "\"deps\":[4]")),
              "trace.json: op 'update/w' waits for op number 4, where the job has 4");
    EXPECT_NE(GetError(replace("\"deps\":[2]", "\"deps\":[-1]")).find("/args/deps: found"),
              std::string::npos);
    EXPECT_NE(GetError(replace("\"deps\":[2]", "\"deps\":2")).find("accepted is a list"),
              std::string::npos);
    EXPECT_NE(GetError(replace("\"deps\":[]", "\"deps\":[3]")).find("cycle"), std::string::npos);
    EXPECT_NE(GetError(replace("\"source\":[]", "\"source\":[[1]]")).find("[key, value]"),
              std::string::npos);
    EXPECT_NE(
        GetError(replace("\"dur\":10,", "\"dur\":-1,")).find("/dur: found -1; accepted is a time"),
        std::string::npos);
    EXPECT_NE(GetError(replace("\"dur\":10,", "\"dur\":5e15,")).find("at most 4e15"),
              std::string::npos);
    EXPECT_NE(
        GetError(replace("\"op\":1}", "\"op\":4}")).find("accepted is a whole number from 0 to 3"),
        std::string::npos);
    EXPECT_NE(GetError(replace("\"ph\":\"X\",\"pid\":3", "\"ph\":\"X\",\"pid\":9"))
                  .find("/pid: found 9; accepted is a process with a name"),
              std::string::npos);
    EXPECT_NE(GetError(replace("\"pid\":2", "\"pid\":1")).find("that no other process has"),
              std::string::npos);
    EXPECT_NE(
        GetError(replace("\"dml_device\"", "\"dml_profile\"")).find("accepted is 'dml-trace/1'"),
        std::string::npos);
    EXPECT_EQ(GetError("[1"), "trace.json:1:3: /0: found a single value; accepted is an object");
}
