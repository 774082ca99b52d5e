/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-chakra-nodes.h"
#include "dml-expect-microseconds.h"
#include "dml-scratch-folder.h"
#include "dml-test-files.h"

#include "ns3/dml-import-report.h"
#include "ns3/dml-importers.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using namespace ns3::dml;
using nlohmann::json;

namespace
{

/*
 * The two steps of test/data/traces/linear.{et,kineto}.json (see dml-torch-et-fixture.h) as
 * DistributedDataParallel records them: gradients come as parameter_3_1x4 (16 bytes, us 107-110 of
 * a step), parameter_2_4 (16 bytes, 146-148) and parameter_1_4x3 (48 bytes, 150-155). Within the
 * second accumulation a bucket of the first two is asked for, within the third one the other
 * bucket.
 */
class TorchEtBuckets : public testing::Test
{
  protected:
    TorchEtBuckets()
    {
        std::ifstream(FindRepositoryFile("test/data/traces/linear.et.json")) >> et;
        std::ifstream(FindRepositoryFile("test/data/traces/linear.kineto.json")) >> kineto;
        for (json& node : et["nodes"]) // room for nodes within others
        {
            node["id"] = 10 * node["id"].get<int>();
            node["parent"] = 10 * node["parent"].get<int>();
        }
        options.batchSize = 2;
        options.idle = IdleTime::DROP;
    }

    /// Add a node, and its event @p start to @p end us. @return its id
    int Add(const std::string& name, int id, int parent, int floats, double start, double end)
    {
        const bool isRequest = name.find("::") != std::string::npos;
        const bool isDescription = name == "record_param_comms";
        const bool isAnnotation = !isRequest && !isDescription;
        const json tensor = json::array({id, 900 + floats, 0, floats, 4, "cuda:0"});
        json inputs = json::array({json::array({tensor})});
        json shapes = json::array({json::array({json::array({floats})})});
        json types = json::array({"GenericList[" + type + "]"});
        if (isDescription)
        {
            for (const json& more : {json(3), json("0"), json(collective)})
            {
                inputs.push_back(more);
                shapes.push_back(json::array());
                types.push_back(more.is_string() ? "String" : "Int");
            }
        }
        et["nodes"].push_back({{"name", name},
                               {"id", id},
                               {"rf_id", id},
                               {"parent", parent},
                               {"fw_parent", 0},
                               {"seq_id", -1},
                               {"scope", isAnnotation ? 7 : 0},
                               {"tid", 2},
                               {"fw_tid", 0},
                               {"op_schema", ""},
                               {"inputs", inputs},
                               {"input_shapes", shapes},
                               {"input_types", types},
                               {"outputs", json::array()},
                               {"output_shapes", json::array()},
                               {"output_types", json::array()}});
        AddEvent(isAnnotation ? "user_annotation" : "cpu_op",
                 name,
                 12,
                 start,
                 end,
                 {{"Record function id", id}});
        if (isDescription && group > 0)
        {
            kineto["traceEvents"].back()["args"]["Group size"] = group;
        }
        return id;
    }

    void AddEvent(const std::string& category,
                  const std::string& name,
                  int thread,
                  double start,
                  double end,
                  const json& args)
    {
        kineto["traceEvents"].push_back({{"ph", "X"},
                                         {"cat", category},
                                         {"name", name},
                                         {"pid", thread == 7 ? 0 : 11},
                                         {"tid", thread},
                                         {"ts", start},
                                         {"dur", end - start},
                                         {"args", args}});
    }

    /**
     * Ask for an all-reduce within the node @p id at @p at us, which runs @p begin to @p end us, by
     * a kernel or on a thread of Gloo.
     */
    void Reduce(int id, int floats, double at, double begin, double end)
    {
        int within = id;
        if (asks)
        {
            within = Add("c10d::" + collective + "_", id + 12, within, floats, at, at + 0.8);
        }
        if (describes)
        {
            within = Add("record_param_comms", id + 13, within, floats, at + 0.1, at + 0.7);
        }
        const std::string annotation =
            backend + ":" + (collective == "allreduce" ? "all_reduce" : collective);
        if (backend == "gloo")
        {
            Add(annotation, id + 14, 40, floats, begin, end);
            return;
        }
        if (annotates)
        {
            Add(annotation, id + 14, within, floats, at + 0.2, at + 0.6);
        }
        AddEvent("cuda_runtime", "cudaLaunch", 12, at + 0.3, at + 0.4, {{"correlation", id}});
        AddEvent("kernel", "ncclKernel", 7, begin, end, {{"correlation", id}, {"device", 0}});
    }

    /// Both buckets of both steps.
    void ReduceAll()
    {
        for (const int step : {0, 1})
        {
            const int start = 1000 + 200 * step;
            Reduce(10000 * step + 1400, 8, start + 146.5, start + 160, start + 185);
            Reduce(10000 * step + 1460, 12, start + 150.5, start + 185, start + 195);
        }
    }

    ImportResult Import() const
    {
        return ImportTorchEt({folder.Write("linear.et.json", et.dump(1)),
                              folder.Write("linear.kineto.json", kineto.dump(1))},
                             options);
    }

    /// Check that both buckets of both steps were found, 25 and 10 us long in each.
    void ExpectBuckets(const ImportResult& result) const
    {
        EXPECT_EQ(result.protocol.name, "all-reduce");
        EXPECT_EQ(result.protocol.backend, backend);
        ASSERT_EQ(result.profile.buckets.size(), 2U);
        EXPECT_EQ(result.profile.buckets[0].tensors, (std::vector<TensorIndex>{2, 1}));
        EXPECT_EQ(result.profile.buckets[1].tensors, (std::vector<TensorIndex>{0}));
        EXPECT_EQ(result.protocol.collectives[0].bytes, 32U);
        EXPECT_EQ(result.protocol.collectives[1].bytes, 48U);
        ExpectNear(result.profile.buckets[0].recorded, {25, 25});
        ExpectNear(result.profile.buckets[1].recorded, {10, 10});
        EXPECT_TRUE(result.warnings.empty());
    }

    /// @return the sentence of the report about the protocol, on one line
    std::string DescribeProtocol() const
    {
        std::string text = FormatImportReport(Import(), {});
        std::replace(text.begin(), text.end(), '\n', ' ');
        const std::size_t at = text.find("protocol: ");
        text = text.substr(at, text.find("(job.protocol)") - at);
        text.erase(std::unique(text.begin(),
                               text.end(),
                               [](char a, char b) { return a == ' ' && b == ' '; }),
                   text.end());
        return text;
    }

    json et;                             //!< the Execution Trace
    json kineto;                         //!< its twin
    std::string backend{"nccl"};         //!< that reduces
    std::string collective{"allreduce"}; //!< what is done
    std::string type{"Tensor(float)"};   //!< of what is reduced
    int group{0};                        //!< workers of an all-reduce, 0: the trace does not tell
    bool asks{true};                     //!< the trace has c10d::allreduce_
    bool describes{true};                //!< it has record_param_comms
    bool annotates{true};                //!< it has nccl:all_reduce
    ScratchFolder folder;
    ImportOptions options;
};

} // namespace

TEST_F(TorchEtBuckets, LeaveTheMapOfUnusedParametersOut)
{
    ReduceAll();
    type = "Tensor(int)";
    for (const int step : {0, 1})
    {
        const int start = 1000 + 200 * step;
        Reduce(10000 * step + 1470, 3, start + 151.5, start + 195, start + 196);
    }
    const ImportResult result = Import();
    ExpectBuckets(result);
    const std::string others = "other collectives: left out (2 all_reduce of whole numbers)";
    EXPECT_EQ(std::count(result.rules.begin(), result.rules.end(), others), 1);
}

TEST_F(TorchEtBuckets, AreThoseThatTheStepsReduce)
{
    ReduceAll();
    kineto["distributedInfo"] = {{"backend", "nccl"}, {"rank", 1}, {"world_size", 4}};
    const ImportResult result = Import();
    ExpectBuckets(result);
    EXPECT_EQ(result.protocol.workers, 4U);
    EXPECT_EQ(
        DescribeProtocol(),
        "protocol: all-reduce (nccl) of 4 workers, 2 collectives a step, 80 bytes; a scenario "
        "may choose another one ");
}

// Models are replicated in groups of four; eight take part in the mean of a metric, by Gloo, which
// is the last to be reduced.
TEST_F(TorchEtBuckets, AreOfTheGroupThatReducesGradients)
{
    group = 4;
    ReduceAll();
    group = 8;
    backend = "gloo";
    Reduce(30000, 1, 1399.5, 1399.6, 1399.9);
    kineto["distributedInfo"] = {{"backend", "cpu:gloo,cuda:nccl"}, {"rank", 1}, {"world_size", 8}};
    const ImportResult result = Import();
    EXPECT_EQ(result.protocol.workers, 4U);
    EXPECT_EQ(result.protocol.backend, "nccl");
}

/// The network decides how long an exchange takes: its kernel is no part of the accumulation.
TEST_F(TorchEtBuckets, KernelsOfExchangesAreNoComputation)
{
    ReduceAll();
    const ImportResult result = Import();
    ASSERT_EQ(result.profile.devices.size(), 1U); // no op runs on the GPU
    const Profile& profile = result.profile;
    for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
    {
        if (profile.graph.Get(op).name == "accumulate/parameter_2_4")
        {
            ExpectNear(profile.samples[op], {2, 2});
        }
    }
    EXPECT_NE(std::find(result.rules.begin(),
                        result.rules.end(),
                        "kernels of collectives that an op asks for are no part of its time (4)"),
              result.rules.end());
}

TEST_F(TorchEtBuckets, AreFoundByAnyOfTheThree)
{
    kineto["distributedInfo"] = {{"backend", "nccl"}};
    const json bareEt = et;
    const json bareKineto = kineto;
    for (bool* const has : {&asks, &describes, &annotates})
    {
        asks = describes = annotates = false;
        *has = true;
        et = bareEt;
        kineto = bareKineto;
        ReduceAll();
        ExpectBuckets(Import());
    }
}

TEST_F(TorchEtBuckets, ChakraSchemasSayTheSame)
{
    kineto["distributedInfo"] = {{"backend", "nccl"}};
    asks = annotates = false; // so that the description's list of inputs tells what it is about
    ReduceAll();
    MakeChakraNodes(et);
    ExpectBuckets(Import());
}

TEST_F(TorchEtBuckets, GlooTellsTimesOnThreadsOfItsOwn)
{
    backend = "gloo";
    ReduceAll();
    ExpectBuckets(Import());
}

/// An all-reduce of a loss before the first gradient, and of a metric after the optimizer began.
TEST_F(TorchEtBuckets, AreAboutGradientsOnly)
{
    ReduceAll();
    for (const int step : {0, 10000})
    {
        Add("c10d::allreduce_",
            step + 1005,
            step + 1000,
            1,
            1000 + step / 50 + 5,
            1006 + step / 50);
        Add("c10d::allreduce_", step + 1555, step + 1000, 1, 1190 + step / 50, 1191 + step / 50);
    }
    ExpectBuckets(Import());
}

TEST_F(TorchEtBuckets, WithoutCollectivesTheTraceIsOfOneProcess)
{
    EXPECT_EQ(Import().protocol.name, "");
    EXPECT_EQ(DescribeProtocol(),
              "protocol: none found, as of one worker alone; a scenario chooses one ");
}

TEST_F(TorchEtBuckets, OtherCollectivesAreCounted)
{
    collective = "broadcast";
    ReduceAll();
    EXPECT_EQ(DescribeProtocol(),
              "protocol: none found, although the trace is of several workers: none of its "
              "collectives reduces gradients; a scenario chooses one ");
    EXPECT_EQ(Import().rules.back(), "other collectives: left out (4 broadcast)");
}
