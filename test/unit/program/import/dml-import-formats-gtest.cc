/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scratch-folder.h"
#include "dml-test-files.h"

#include "ns3/dml-error.h"
#include "ns3/dml-import-formats.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <set>
#include <string>

using namespace ns3::dml;

namespace
{

/// @return name of the format of a file with this content
std::string
Detect(const std::string& content)
{
    const ScratchFolder folder;
    return DetectImportFormat(folder.Write("file", content)).name;
}

std::string
DetectionError(const std::string& content)
{
    const ScratchFolder folder;
    const std::string file = folder.Write("file", content);
    return folder.ErrorOf([&] { DetectImportFormat(file); });
}

} // namespace

TEST(ImportFormats, AreToldByContent)
{
    EXPECT_EQ(Detect(R"({"meta": {"x": 1}, "schema": "torch-layer-profile/1", "layers": []})"),
              "torch-layers");
    EXPECT_EQ(Detect(R"({"layers": [{"name": "a", "fwd_us": [1]}], "schema": "any"})"),
              "torch-layers");
    EXPECT_EQ(Detect(R"({"traceEvents": [{"ph": "M"}, {"ph": "X", "cat": "cpu_op"}]})"), "kineto");
    EXPECT_EQ(Detect(R"({"traceEvents": [{"ph": "X", "cat": "Operator"}]})"), "kineto");
    EXPECT_EQ(Detect(R"({"traceEvents": [], "schemaVersion": 1})"), "kineto");
    EXPECT_EQ(Detect(R"([{"name": "a", "ph": "X", "pid": "CPU functions"}])"), "torch-legacy");
    EXPECT_EQ(Detect(R"({"traceEvents": [{"ph": "M", "args": {"name": "Allocators"}}]})"),
              "tf-timeline");
    EXPECT_EQ(Detect(R"({"traceEvents": [{"ph": "X", "cat": "Op", "name": "MatMul"}]})"),
              "tf-timeline");
    EXPECT_EQ(Detect(R"({"schema": "1.0.1", "nodes": [{"id": 2, "name": "a", "rf_id": 0}]})"),
              "torch-et");
    EXPECT_EQ(Detect("step_stats {\n  dev_stats {\n"), "tf-runmetadata");
    EXPECT_EQ(Detect(std::string("\x0a\x0f\x0a\x0d\x0a\x0b/job:w/cpu:0", 17)), "tf-runmetadata");
    EXPECT_EQ(Detect("node1 -- Input0 -- forward_compute_time=0.000\n"), "pipedream");
    EXPECT_EQ(Detect(R"({"otherData":{"schema":"dml-trace/1"},"traceEvents":[)"), "dml-trace");
}

// The events decide, even if the file ends in the middle of one.
TEST(ImportFormats, AreToldOfAFileThatIsCut)
{
    EXPECT_EQ(Detect(R"({"traceEvents": [{"ph": "X", "cat": "cpu_op"}, {"ph": "X", "ca)"),
              "kineto");
}

TEST(ImportFormats, SayWhatAFileIsThatIsNone)
{
    EXPECT_EQ(DetectionError("").rfind("file: found an empty file; accepted: a PyTorch layer", 0),
              0u)
        << DetectionError("");
    EXPECT_EQ(DetectionError(" \n").rfind("file: found an empty file;", 0), 0u);
    EXPECT_EQ(DetectionError("model: x\n")
                  .rfind("file: found a file that is neither JSON nor of a known text or binary "
                         "form; accepted: ",
                         0),
              0u);
    EXPECT_EQ(DetectionError(R"({"schema": "x", "data": [1]})")
                  .rfind("file: found JSON with the members 'schema', 'data'; accepted: ", 0),
              0u);
    EXPECT_EQ(DetectionError("{\"a\": }").rfind("file:1:7: /a: is not JSON: Invalid value.", 0),
              0u);
    EXPECT_EQ(DetectionError("\x0a").rfind("file: found an empty file", 0), 0u);
}

TEST(ImportFormats, RefuseOptionsThatTheyDoNotTake)
{
    ImportOptions options;
    options.rate = 1000;
    const ScratchFolder folder;
    EXPECT_EQ(folder.ErrorOf([&] { ImportTrace("pipedream", {"x"}, options); }),
              "'pipedream' takes no --rate; accepted: --model, --batch-size, --order, --device");
    EXPECT_EQ(folder.ErrorOf([&] { ImportTrace("onnx", {"x"}, {}); }),
              "unknown format 'onnx'; accepted: torch-layers, kineto, torch-legacy, torch-et, "
              "tf-runmetadata, tf-timeline, pipedream, horovod, dml-trace, auto");
}

TEST(ImportFormats, RefuseAFileThatIsGivenTwice)
{
    const ScratchFolder folder;
    const std::string graph = folder.Write("g", "node1 -- Input0 -- forward_compute_time=0.000\n");
    EXPECT_EQ(folder.ErrorOf([&] {
        ImportTrace("pipedream", {graph, graph}, {});
    }),
              "g: is given twice; accepted: each file once");
}

TEST(ImportFormats, NameTheFileAndListItsSourceOnce)
{
    const std::string first = FindRepositoryFile("test/data/traces/alexnet-b8.kineto.json.gz");
    const ScratchFolder folder;
    const std::string second = folder.GetPath("again.json.gz");
    std::filesystem::copy_file(first, second);
    const auto result = ImportTrace("kineto", {first, second}, {});
    std::set<std::string> keys;
    for (const auto& [key, value] : result.profile.source)
    {
        EXPECT_TRUE(keys.insert(key).second) << key;
        if (key == "file")
        {
            EXPECT_EQ(value, "alexnet-b8.kineto.json.gz, again.json.gz");
        }
    }
    EXPECT_EQ(keys.count("file"), 1u);
    EXPECT_EQ(result.profile.source.back().first, "imported_by");
    EXPECT_EQ(result.profile.GetSampleCount(), 6u);
}

TEST(ImportFormats, RefuseFilesOfDifferentFormats)
{
    const ScratchFolder folder;
    const std::string kineto = folder.Write("k", R"({"traceEvents": [], "schemaVersion": 1})");
    const std::string graph = folder.Write("g", "node1 -- Input0 -- forward_compute_time=0.000\n");
    EXPECT_EQ(folder.ErrorOf([&] {
        ImportTrace("auto", {kineto, graph}, {});
    }),
              "g: found a layer graph of PipeDream (graph.txt), but k is a trace of PyTorch's "
              "profiler (Kineto, JSON); accepted: files of one format");
}
