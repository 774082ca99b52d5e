/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-import.h"

#include <array>
#include <random>
#include <string>
#include <tuple>

using namespace tftest;

namespace
{

using TensorFlowReaders = TfImport;

TEST_F(TensorFlowReaders, PrefersNanoseconds)
{
    std::string text = MakeTrace().MakeText();
    const std::string loss = "all_end_rel_micros: 20\n";
    text.replace(text.find(loss), loss.size(), loss + "all_end_rel_nanos: 19750\n");
    EXPECT_DOUBLE_EQ(GetSeconds(ImportText({text}).profile, "loss"), 19750e-9);
}

TEST_F(TensorFlowReaders, NamesWhatATextLacks)
{
    const std::string text = MakeTrace().MakeText();
    const auto change = [&](const std::string& from, const std::string& to) {
        std::string changed = text;
        const auto at = changed.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        return changed.replace(at, from.size(), to);
    };
    EXPECT_EQ(TextError(change("    node_stats {", "    node_stats [")),
              "step0:6:16: found ':'; accepted: ',' or ']'");
    const std::string transfer = "; the record of a transfer cannot be left out";
    EXPECT_EQ(TextError(change("all_end_rel_micros: 100", "all_end_rel_micros: ten")),
              "step0:14:27: Expected integer, got: ten; accepted: a RunMetadata of TensorFlow in "
              "text form" +
                  transfer);
    EXPECT_EQ(TextError(change("all_end_rel_micros: 100", "all_end_rel_micros: -1")),
              "step0:12:7: /step_stats/dev_stats/node_stats: /all_end_rel_micros: found -1; "
              "accepted: 0 to 1000000000000" +
                  transfer);
    EXPECT_EQ(TextError(change("1600000000000010", "9223372036854775807")),
              "step0:12:7: /step_stats/dev_stats/node_stats: /all_start_micros: found "
              "9223372036854775807; accepted: 0 to 4000000000000000" +
                  transfer);
    EXPECT_EQ(TextError(change("\"RecvTensor\"", "\"RecvTensor")).substr(0, 9), "step0:12:");
    EXPECT_EQ(TextError(change("    device: \"" + W + "\"\n", "")),
              "step0: found 9 of 17 records with a value that cannot be right; accepted is a trace "
              "of which at most half are left out; left out: step0:4:5: /step_stats/dev_stats: "
              "found no device; accepted: the name of one");
    EXPECT_EQ(TextError("step_stats { }"),
              "step0: found a RunMetadata without any op; accepted: one that was written with "
              "trace_level FULL_TRACE");
    EXPECT_EQ(TextError("step_stats { dev_stats { } > }").substr(0, 9), "step0:1:2");
    EXPECT_EQ(TextError("step_stats: 3 dev_stats"),
              "step0:1:24: found the end of the file; accepted: a value of the field 'dev_stats'");
}

TEST_F(TensorFlowReaders, NamesWhatABinaryLacks)
{
    const std::string binary = MakeTrace().MakeBinary();
    EXPECT_EQ(TextError("\x0a\x7f"),
              "step0: byte 2: found the end of the file in StepStats; accepted: a RunMetadata of "
              "TensorFlow, binary or text");
    EXPECT_EQ(TextError("{\"traceEvents\": []}").substr(0, 13), "step0: byte 0");
    EXPECT_EQ(TextError("").substr(0, 36), "step0: found a RunMetadata without a");
    EXPECT_EQ(TextError("\x0a\x7f\x0a").substr(0, 34), "step0: byte 3: found a broken leng");
    std::string strange = binary;
    strange.replace(strange.find("fc"), 2, "f\xff");
    EXPECT_EQ(TextError(strange).substr(TextError(strange).find("NodeE")),
              "NodeExecStats: /node_name: found bytes that are no UTF-8; accepted: text; the "
              "record cannot be left out: 'loss' waits for 'fc'");
    // A node's record that says it is longer than its device's.
    EXPECT_EQ(
        TextError(TfTrace::Bytes(1, TfTrace::Bytes(1, TfTrace::Bytes(1, "/cpu:0") + "\x12\x7f"))),
        "step0: byte 13: found a length beyond the end of the message around it in "
        "NodeExecStats; accepted: a RunMetadata of TensorFlow, binary or text");
    EXPECT_EQ(TextError(TfTrace::Bytes(1, TfTrace::Bytes(1, TfTrace::Bytes(2, "\x0a\x01n")))),
              "step0: found a RunMetadata without any op; accepted: one that was written with "
              "trace_level FULL_TRACE; left out: step0: byte 3: found no device in "
              "DeviceStepStats; accepted: a RunMetadata of TensorFlow, binary or text");
}

TEST_F(TensorFlowReaders, NamesWhatATimelineLacks)
{
    const auto timeline = MakeTrace().MakeTimeline();
    const auto change = [&](const char* key, const nlohmann::json& value) {
        auto changed = timeline;
        changed["traceEvents"][5][key] = value; // pull of w
        return TimelineError(changed.dump());
    };
    EXPECT_NE(change("ts", -1).find("/traceEvents/5/ts: found -1"), std::string::npos)
        << change("ts", -1);
    EXPECT_NE(change("dur", "long").find("/traceEvents/5/dur: found "), std::string::npos)
        << change("dur", "long");
    EXPECT_NE(change("dur", 1e300).find("/traceEvents/5/dur: found "), std::string::npos)
        << change("dur", 1e300);
    EXPECT_NE(change("pid", 77).find("/traceEvents/5/pid: found 77; accepted: a process that"),
              std::string::npos)
        << change("pid", 77);
    EXPECT_EQ(TimelineError("{\"traceEvents\": []}"),
              "step0: /traceEvents: found no op of TensorFlow; accepted: events with \"ph\": \"X\" "
              "and \"cat\": \"Op\"");
    EXPECT_EQ(
        TimelineError(timeline.dump(), MakeOptions()),
        "step0: found no size of the tensor 'b' and of 'w' (a timeline's RecvTensor tells none); "
        "accepted: sizes from a profile that has it (--sizes PROFILE), or the rate of the "
        "link, to estimate them (--rate RATE)");
}

/// @return PROFILE without the op that no other one reads
std::string
MakeProfileWithoutDone()
{
    std::string profile = PROFILE;
    const std::size_t at = profile.find("  - {name: done,");
    return profile.erase(at, profile.find('\n', at) + 1 - at);
}

// What it took is idle time, which nothing follows.
TEST_F(TensorFlowReaders, LeavesOutADamagedOpThatNoneReads)
{
    const std::string text = MakeTrace().MakeText();
    const std::size_t done = text.find("node_name: \"done\"");
    for (const auto& [from, to, reason] :
         {std::array<std::string, 3>{"rel_micros: 5\n", "rel_micros: -5\n", "found -5; accepted"},
          {"rel_micros: 5\n", "rel_micros: five\n", "Expected integer, got: five"},
          {"1600000000000280", "-1600000000000280", "/all_start_micros: found -16"},
          {"\"done\"", "\"\"", "/node_name: found none"}})
    {
        std::string changed = text;
        changed.replace(changed.find(from, done), from.size(), to);
        const ImportResult result = ImportText({changed});
        EXPECT_EQ(Print(result.profile), MakeProfileWithoutDone()) << to;
        EXPECT_TRUE(Tell(result.warnings, "step0: 1 record is left out, as a value in it cannot"));
        EXPECT_TRUE(Tell(result.warnings, reason)) << to;
    }
    const std::string binary = MakeTrace().MakeBinary();
    std::string strange = binary;
    strange.replace(strange.find("\x0a\x04"
                                 "done") +
                        2,
                    4,
                    "d\xffne");
    const ImportResult result = ImportText({strange});
    EXPECT_EQ(Print(result.profile), MakeProfileWithoutDone());
    EXPECT_TRUE(Tell(result.warnings, "/node_name: found bytes that are no UTF-8"));

    const auto timeline = MakeTrace().MakeTimeline();
    for (const auto& [path, value, reason] :
         {std::tuple<const char*, nlohmann::ordered_json, const char*>{"/dur", -5, "found -5"},
          {"/dur", nullptr, "/dur: found null"},
          {"/ts", "late", "/ts: found 'late'"},
          {"/pid", 77, "/pid: found 77; accepted: a process that"},
          {"/args/name", 3, "/args/name: found 3"},
          {"/args/input0", 3, "/args/input0: found 3"}})
    {
        auto changed = timeline;
        for (auto& event : changed["traceEvents"])
        {
            if (event["args"]["name"] == "done")
            {
                event[nlohmann::ordered_json::json_pointer(path)] = value;
            }
        }
        const ImportResult imported = ImportTimeline(changed.dump(), MakeSizes());
        EXPECT_EQ(Print(imported.profile), MakeProfileWithoutDone()) << path;
        EXPECT_TRUE(Tell(imported.warnings, "step0: 1 record is left out")) << path;
        EXPECT_TRUE(Tell(imported.warnings, reason)) << path;
    }
}

// A graph without the op would run what waits for it too early.
TEST_F(TensorFlowReaders, RefusesADamagedOpThatOthersNeed)
{
    TfTrace trace = MakeTrace();
    const std::string end = "; accepted: 0 to 1000000000000; the record cannot be left out: ";
    const auto error = [&](std::size_t node) {
        TfTrace damaged = trace;
        damaged.nodes[node].length = -1;
        const std::string text = TextError(damaged.MakeText());
        const std::size_t at = text.find(end);
        const std::string timeline = TimelineError(damaged.MakeTimeline().dump());
        EXPECT_EQ(at == std::string::npos,
                  timeline.find("; the record cannot be left out: ") == std::string::npos);
        return at == std::string::npos ? text : text.substr(at + end.size());
    };
    EXPECT_EQ(error(4), "'gradients/loss_grad/Fill' waits for 'loss'");
    EXPECT_EQ(error(6), "what 'gradients/w_grad/d' makes is sent to another machine");
    EXPECT_EQ(error(12), "what 'b/read' makes is sent to another machine");
    EXPECT_NE(error(15).find("; the record of an update cannot be left out"), std::string::npos);
    EXPECT_NE(error(1).find("; the record of a transfer cannot be left out"), std::string::npos);
    // Ops without work are none that need it, but pass on what they wait for.
    trace.nodes.insert(trace.nodes.begin() + 9,
                       {{W, "summary", "summary = Scalar(loss)", 285, 3},
                        {W, "group", "group = NoOp(^summary)", 288, 0}});
    EXPECT_EQ(error(9), "no error");
    trace.nodes.insert(trace.nodes.begin() + 11, {W, "x", "x = Identity(loss, ^group)", 289, 1});
    EXPECT_EQ(error(9), "'x' waits for 'summary'");
}

// A file is a step: beside others it is left out.
TEST_F(TensorFlowReaders, LeavesOutADamagedStepOfSeveral)
{
    for (const std::size_t node : {1, 4, 15}) // a transfer, the loss, an update
    {
        TfTrace damaged = MakeTrace();
        damaged.nodes[node].length = -1;
        const std::string good = MakeTrace().MakeText();
        const std::string bad = damaged.MakeText();
        const ImportResult result = ImportText({good, bad});
        EXPECT_EQ(Print(result.profile), PROFILE) << node;
        EXPECT_TRUE(Tell(result.warnings, "step1 is left out: "));
        EXPECT_TRUE(Tell(result.warnings, "/all_end_rel_micros: found -1; accepted"));
        EXPECT_FALSE(Tell(result.warnings, "1 record is left out"));
        EXPECT_EQ(Print(ImportText({bad, good}).profile), PROFILE);
        EXPECT_EQ(m_folder.ErrorOf([&] { ImportText({bad, good, bad}); }).substr(0, 6), "step2:");
    }
}

TEST_F(TensorFlowReaders, RefusesATraceThatIsMostlyDamaged)
{
    TfTrace trace = MakeTrace();
    for (const std::size_t most : {17, 18})
    {
        while (trace.nodes.size() < 17 + most)
        {
            const std::string name = "summary" + std::to_string(trace.nodes.size());
            trace.nodes.push_back({P, name, name + " = Scalar(loss)", 5, -1});
        }
        const std::string error =
            most == 17 ? "no error"
                       : "step0: found 18 of 35 records with a value that cannot be right; "
                         "accepted is a trace of which at most half are left out; left out: step0:";
        EXPECT_EQ(TextError(trace.MakeText()).substr(0, error.size()), error);
        EXPECT_EQ(TimelineError(trace.MakeTimeline().dump()).substr(0, error.size()), error);
    }
}

/// Imports what may be damaged: any result and InputError are fine, all else ends the test.
template <typename Import>
void
Try(const Import& import)
{
    try
    {
        import();
    }
    catch (const InputError&)
    {
    }
}

TEST_F(TensorFlowReaders, SurvivesTruncationAtEveryByte)
{
    const std::string binary = MakeTrace().MakeBinary();
    std::size_t accepted = 0;
    for (std::size_t size = 0; size < binary.size(); ++size)
    {
        Try([&] {
            ImportText({binary.substr(0, size)});
            ++accepted;
        });
    }
    // The graphs after the statistics may be missing.
    EXPECT_EQ(accepted, 1u);
    const std::string text = MakeTrace().MakeText();
    for (std::size_t size = 0; size < text.find("}\npartition_graphs"); size += 3)
    {
        EXPECT_THROW(ImportText({text.substr(0, size)}), InputError) << size;
    }
    const std::string timeline = MakeTrace().MakeTimeline().dump();
    for (std::size_t size = 0; size < timeline.size(); size += 3)
    {
        EXPECT_THROW(ImportTimeline(timeline.substr(0, size), MakeSizes()), InputError) << size;
    }
}

TEST_F(TensorFlowReaders, SurvivesDamage)
{
    std::mt19937 random(1);
    for (const std::string& original : {MakeTrace().MakeBinary(), MakeTrace().MakeText()})
    {
        for (int i = 0; i < 1000; ++i)
        {
            std::string damaged = original;
            for (int n = random() % 4; n >= 0; --n)
            {
                damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
            }
            Try([&] { ImportText({damaged}); });
        }
    }
}

TEST_F(TensorFlowReaders, TakesInputsOfTimelinesInAnyOrder)
{
    auto timeline = MakeTrace().MakeTimeline();
    for (auto& event : timeline["traceEvents"])
    {
        if (event["args"]["name"] == "loss")
        {
            // 3 follows a gap; 01 is no number.
            event["args"] = nlohmann::ordered_json{{"input3", "w/read_S1"},
                                                   {"input01", "w/read_S1"},
                                                   {"input1", "fc"},
                                                   {"input0", "b/read_S3"},
                                                   {"op", "Sum"},
                                                   {"name", "loss"}};
        }
    }
    const std::string text = Print(ImportTimeline(timeline.dump(), MakeSizes()).profile);
    EXPECT_NE(text.find("name: loss, kind: forward, device: cpu:0, deps: [pull/b, fc]"),
              std::string::npos)
        << text;
    timeline["traceEvents"][9]["args"]["input1"] = 3;
    EXPECT_NE(TimelineError(timeline.dump()).find("/args/input1: found 3; accepted is a string"),
              std::string::npos)
        << TimelineError(timeline.dump());
}

// A quadratic reader would take a minute.
TEST_F(TensorFlowReaders, TakesManyInputs)
{
    std::string inputs;
    for (int i = 1; i < 100000; ++i)
    {
        inputs += ",\"input" + std::to_string(i) + "\":\"fc\"";
    }
    std::string text = MakeTrace().MakeTimeline().dump();
    const std::string first = "\"input0\":\"fc:0\",\"input1\":\"axis\"";
    ASSERT_NE(text.find(first), std::string::npos);
    text.replace(text.find(first), first.size(), "\"input0\":\"fc\"" + inputs);
    EXPECT_EQ(Print(ImportTimeline(text, MakeSizes()).profile), PROFILE);
}

} // namespace
