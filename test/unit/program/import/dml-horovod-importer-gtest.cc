/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-expect-microseconds.h"
#include "dml-horovod-profile.h"
#include "dml-scratch-folder.h"

#include "ns3/dml-import-formats.h"
#include "ns3/dml-importers.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

std::string
Event(const std::string& phase, int process, int time, const std::string& name = "")
{
    return R"({"ph":")" + phase + R"(","ts":)" + std::to_string(time) + R"(,"pid":)" +
           std::to_string(process) + (phase == "X" ? R"(,"dur":0)" : "") +
           (name.empty() ? "" : R"(,"name":")" + name + "\"") + "},\n";
}

std::string
End(int process, int time, const std::string& shape)
{
    return R"({"ph":"E","ts":)" + std::to_string(time) + R"(,"pid":)" + std::to_string(process) +
           R"(,"args":{"dtype":"float32","shape":")" + shape + "\"}},\n";
}

std::string
Name(int process, const std::string& name)
{
    return R"({"name":"process_name","ph":"M","pid":)" + std::to_string(process) +
           R"(,"args":{"name":")" + name + "\"}},\n";
}

/// Worker 0 has a tensor at @p mine us, worker 1 at @p other; then negotiation ends.
std::string
Negotiate(int process, int mine, int other)
{
    const int begin = std::min(mine, other);
    return Event("B", process, begin, "NEGOTIATE_ALLREDUCE") + Event("X", process, mine, "0") +
           Event("X", process, other, "1") + Event("E", process, std::max(mine, other));
}

/// The tensor 1 alone, exchanged from @p start to @p end us.
std::string
Alone(int start, int end)
{
    return Event("B", 1, start - 2, "ALLREDUCE") + Event("B", 1, start - 1, "QUEUE") +
           Event("E", 1, start) + Event("B", 1, start, "NCCL_ALLREDUCE") + Event("E", 1, end) +
           End(1, end + 1, "[75]");
}

/// Tensors 2 and 3 in one buffer.
std::string
Fused(int start, int end)
{
    return Event("B", 2, start - 2, "ALLREDUCE") + Event("B", 3, start - 2, "ALLREDUCE") +
           Event("B", 2, start - 1, "MEMCPY_IN_FUSION_BUFFER") +
           Event("B", 3, start - 1, "MEMCPY_IN_FUSION_BUFFER") + Event("E", 2, start) +
           Event("E", 3, start) + Event("B", 2, start, "NCCL_ALLREDUCE") +
           Event("B", 3, start, "NCCL_ALLREDUCE") + Event("E", 2, end) + Event("E", 3, end) +
           Event("B", 2, end, "MEMCPY_OUT_FUSION_BUFFER") + Event("E", 2, end + 1) +
           End(2, end + 2, "[2, 3]") + End(3, end + 2, "[6]");
}

std::string
HorovodNames(const std::string& first, const std::string& second, const std::string& third)
{
    return "[\n" + Name(0, "") + Name(1, first) + Name(2, second) + Name(3, third);
}

/// Two steps: c at 100 us, of which worker 1 is 30 us later, then b and a.
std::string
Steps()
{
    return Negotiate(1, 100, 130) + Alone(140, 200) + Negotiate(2, 150, 160) +
           Negotiate(3, 170, 165) + Fused(210, 260) + Negotiate(1, 1100, 1090) + Alone(1110, 1170) +
           Negotiate(2, 1150, 1160) + Negotiate(3, 1170, 1165) + Fused(1180, 1210);
}

class Horovod : public testing::Test
{
  protected:
    Horovod()
    {
        options.profile = folder.Write("p.yaml", HOROVOD_PROFILE);
    }

    /// @param events of a timeline, each with a comma after it
    ImportResult Import(const std::string& events) const
    {
        const auto file = folder.Write("t.json", events.substr(0, events.rfind(',')) + "]");
        return ImportTrace("auto", {file}, options);
    }

    std::string ErrorOf(const std::string& events) const
    {
        return folder.ErrorOf([&] { Import(events); });
    }

    ScratchFolder folder;
    ImportOptions options;
};

} // namespace

TEST_F(Horovod, GivesAProfileItsBuckets)
{
    const ImportResult result =
        Import(HorovodNames("allreduce.c", "allreduce.b", "allreduce.a") + Steps());
    ASSERT_EQ(result.profile.buckets.size(), 2U);
    EXPECT_EQ(result.profile.buckets[0].tensors, (std::vector<TensorIndex>{2}));
    EXPECT_EQ(result.profile.buckets[1].tensors, (std::vector<TensorIndex>{1, 0}));
    // worker 0 had c at 100 and 1100; it was exchanged at 140-200 and 1110-1170
    ExpectNear(result.profile.buckets[0].recorded, {100, 70});
    ExpectNear(result.profile.buckets[0].transfer, {60, 60});
    // it had the last of b and a at 170 and 1170; 210-260 and 1180-1210
    ExpectNear(result.profile.buckets[1].recorded, {90, 40});
    ExpectNear(result.profile.buckets[1].transfer, {50, 30});
    EXPECT_EQ(result.protocol.name, "all-reduce");
    EXPECT_EQ(result.protocol.backend, "Horovod, nccl");
    EXPECT_EQ(result.protocol.workers, 2U);
    EXPECT_EQ(result.protocol.collectives[1].bytes, 48U);
    EXPECT_EQ(result.profile.batchSize, 4U);
    EXPECT_TRUE(result.warnings.empty());
}

TEST_F(Horovod, SizesTellTensorsOfOtherNames)
{
    // of the same size, in the order in which gradients come: b, then a
    const ImportResult result = Import(HorovodNames("grads_0", "grads_1", "grads_2") + Steps());
    EXPECT_EQ(result.profile.buckets[0].tensors, (std::vector<TensorIndex>{2}));
    EXPECT_EQ(result.profile.buckets[1].tensors, (std::vector<TensorIndex>{1, 0}));
}

/// NCCL ends in a thread of its own: the next buffer begins before the one before it has ended.
TEST_F(Horovod, BuffersMayOverlap)
{
    const ImportResult result =
        Import(HorovodNames("c", "b", "a") + Negotiate(1, 1, 1) + Negotiate(2, 1, 1) +
               Event("B", 1, 8, "ALLREDUCE") + Event("B", 1, 9, "NCCL_ALLREDUCE") +
               Event("B", 2, 10, "ALLREDUCE") + Event("B", 2, 11, "QUEUE") + Event("E", 1, 20) +
               End(1, 21, "[75]") + Event("E", 2, 22) + Event("B", 2, 22, "NCCL_ALLREDUCE") +
               Event("E", 2, 30) + End(2, 31, "[6]"));
    ASSERT_EQ(result.profile.buckets.size(), 2U);
    ExpectNear(result.profile.buckets[0].transfer, {11});
    ExpectNear(result.profile.buckets[1].transfer, {8});
    EXPECT_EQ(result.warnings.size(), 1U); // a is in no bucket
}

TEST_F(Horovod, MostStepsDecide)
{
    const std::string apart = Negotiate(1, 2000, 2000) + Alone(2010, 2020) +
                              Negotiate(2, 2030, 2030) + Event("B", 2, 2031, "ALLREDUCE") +
                              Event("B", 2, 2032, "NCCL_ALLREDUCE") + Event("E", 2, 2040) +
                              End(2, 2041, "[2, 3]");
    const ImportResult result = Import(HorovodNames("c", "b", "a") + apart + Steps());
    EXPECT_EQ(result.profile.buckets.size(), 2U);
    EXPECT_EQ(result.profile.buckets[1].tensors.size(), 2U);
    EXPECT_EQ(result.profile.buckets[1].recorded.size(), 2U);
    EXPECT_NE(result.rules[1].find("(2 of 3; all steps: 2 to 2 buckets)"), std::string::npos)
        << result.rules[1];
}

TEST_F(Horovod, AnUnfinishedFileIsRead)
{
    const std::string whole = HorovodNames("c", "b", "a") + Steps();
    const auto file =
        folder.Write("t.json",
                     whole + Event("B", 1, 3000, "NEGOTIATE_ALLREDUCE") + Event("E", 1, 3001) +
                         Event("B", 1, 3002, "ALLREDUCE") + "{\"ph\":");
    EXPECT_EQ(ImportHorovod({file}, options).profile.buckets[0].recorded.size(), 2U);
}

TEST_F(Horovod, BadInputIsRefused)
{
    const std::string names = HorovodNames("c", "b", "a");
    EXPECT_EQ(ErrorOf(HorovodNames("x", "y", "z") + Negotiate(1, 1, 1) + Alone(10, 20)),
              "no error");
    EXPECT_EQ(ErrorOf(HorovodNames("c", "x", "z") + Negotiate(2, 1, 1) +
                      Event("B", 2, 5, "ALLREDUCE") + Event("B", 2, 6, "MPI_ALLREDUCE") +
                      Event("E", 2, 7) + End(2, 8, "[5]")),
              "t.json: found the tensor 'x' of 20 bytes, which is none of the profile's by its "
              "name, and 1 such where the profile has 0 of that size; accepted: a profile of the "
              "same job");
    EXPECT_NE(ErrorOf(names + Negotiate(1, 1, 1) + Event("E", 1, 2)).find("left out: t.json:10:"),
              std::string::npos);
    EXPECT_NE(ErrorOf(names + Event("B", 7, 1, "NEGOTIATE_ALLREDUCE"))
                  .find("accepted is a process that a process_name before it calls"),
              std::string::npos);
    EXPECT_EQ(ErrorOf(names + Negotiate(1, 1, 1)),
              "t.json: found no step with complete ALLREDUCE events; accepted is a timeline of "
              "training");
    EXPECT_NE(
        ErrorOf(HorovodNames("c", "b", "a") +
                "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":4,\"args\":{\"name\":3}},\n" +
                Steps())
            .find("/args/name: found 3"),
        std::string::npos);
    std::string most = names + Steps();
    for (std::size_t at = most.find("\"ts\":"); at != std::string::npos;
         at = most.find("\"ts\":", at + 1))
    {
        most.insert(at + 5, "-");
    }
    EXPECT_NE(ErrorOf(most).find(" records with a value that cannot be right; accepted is a trace "
                                 "of which at most half are left out; left out: t.json:6:"),
              std::string::npos)
        << ErrorOf(most);
}

/// A step whose times are not all known is left out; a size is told by other steps, too.
TEST_F(Horovod, ADamagedRecordCostsOneStep)
{
    const std::string text = HorovodNames("c", "b", "a") + Steps();
    const auto change = [&](const std::string& from, const std::string& to, std::size_t after = 0) {
        std::string changed = text;
        const std::size_t at = changed.find(from, after);
        EXPECT_NE(at, std::string::npos) << from;
        return Import(changed.replace(at, from.size(), to));
    };
    const auto tells = [](const ImportResult& result, const std::string& part) {
        return std::any_of(
            result.warnings.begin(),
            result.warnings.end(),
            [&](const std::string& warning) { return warning.find(part) != std::string::npos; });
    };

    struct Case
    {
        std::string from;
        std::string to;
        const char* reason;
    };

    const std::size_t second = text.find(Event("B", 1, 1090, "NEGOTIATE_ALLREDUCE"));
    for (const auto& [from, to, reason] : {Case{"\"B\",\"ts\":1110",
                                                "\"B\",\"ts\":-1110",
                                                "/ts: found -1110; accepted are microseconds"},
                                           {"\"ts\":1170", "\"ts\":\"late\"", "/ts: found 'late'"},
                                           {"\"ts\":1090", "\"ts\":null", "/ts: found null"},
                                           {"\"NEGOTIATE_ALLREDUCE\"", "7", "/name: found 7"},
                                           {"\"NCCL_ALLREDUCE\"", "null", "/name: found null"}})
    {
        const ImportResult result = change(from, to, second);
        ASSERT_EQ(result.profile.buckets.size(), 2U) << to;
        ExpectNear(result.profile.buckets[0].recorded, {100});
        ExpectNear(result.profile.buckets[1].recorded, {90});
        EXPECT_TRUE(tells(result, "t.json: 1 record is left out, as a value in it cannot be"));
        EXPECT_TRUE(tells(result, "t.json: 1 step with such records left out")) << to;
        EXPECT_TRUE(tells(result, reason)) << to;
    }
    for (const auto& [from, to, reason] : {Case{"[75]", "75", "accepted is a list of dimensions"},
                                           {"float32", "float31", "accepted is a type of Horovod"}})
    {
        const ImportResult result = change(from, to);
        ExpectNear(result.profile.buckets[0].recorded, {100, 70});
        EXPECT_EQ(result.protocol.collectives[0].bytes, 300U);
        EXPECT_TRUE(tells(result, reason)) << to;
    }
}

TEST_F(Horovod, NeedsAProfile)
{
    options.profile.reset();
    EXPECT_EQ(ErrorOf(HorovodNames("c", "b", "a") + Steps()),
              "t.json: a timeline of Horovod has no computation; accepted: it with a profile of "
              "the same job, which gets its buckets (--profile)");
}
