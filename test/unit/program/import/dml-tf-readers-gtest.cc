/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-import.h"

#include <random>
#include <string>

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
    EXPECT_EQ(TextError(change("all_end_rel_micros: 100", "all_end_rel_micros: ten")),
              "step0:14:27: Expected integer, got: ten; accepted: a RunMetadata of TensorFlow in "
              "text form");
    EXPECT_EQ(TextError(change("all_end_rel_micros: 100", "all_end_rel_micros: -1")),
              "step0:12:7: /step_stats/dev_stats/node_stats: /all_end_rel_micros: found -1; "
              "accepted: 0 to 1000000000000");
    EXPECT_EQ(TextError(change("1600000000000010", "9223372036854775807")),
              "step0:12:7: /step_stats/dev_stats/node_stats: /all_start_micros: found "
              "9223372036854775807; accepted: 0 to 4000000000000000");
    EXPECT_EQ(TextError(change("\"RecvTensor\"", "\"RecvTensor")).substr(0, 9), "step0:12:");
    EXPECT_EQ(TextError(change("requested_bytes: 1000", "requested_bytes: -2")).substr(0, 10),
              "step0:12:7");
    EXPECT_EQ(TextError(change("    device: \"" + W + "\"\n", "")),
              "step0:4:5: /step_stats/dev_stats: found no device; accepted: the name of one");
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
              "NodeExecStats: /node_name: found bytes that are no UTF-8; accepted: text");
    // A node's record that says it is longer than its device's.
    EXPECT_EQ(
        TextError(TfTrace::Bytes(1, TfTrace::Bytes(1, TfTrace::Bytes(1, "/cpu:0") + "\x12\x7f"))),
        "step0: byte 13: found a length beyond the end of the message around it in "
        "NodeExecStats; accepted: a RunMetadata of TensorFlow, binary or text");
    EXPECT_EQ(TextError(TfTrace::Bytes(1, TfTrace::Bytes(1, TfTrace::Bytes(2, "\x0a\x01n")))),
              "step0: byte 3: found no device in DeviceStepStats; accepted: a RunMetadata of "
              "TensorFlow, binary or text");
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
