/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-expect-microseconds.h"
#include "dml-horovod-profile.h"
#include "dml-scratch-folder.h"

#include "ns3/dml-error.h"
#include "ns3/dml-import-formats.h"
#include "ns3/dml-importers.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

using namespace ns3::dml;

namespace
{

using TensorNames = std::vector<std::string>;

const std::string GRADIENT_A = "allreduce.a";
const std::string GRADIENT_B = "allreduce.b";
const std::string GRADIENT_C = "allreduce.c";

/**
 * A timeline as Horovod's newest source writes it, event by event: a list, whose first entries are
 * those of process 0, with the time at which it began, but no name. A tensor is a process, called
 * and sorted when its first event is written. Whole microseconds. The end of an event has no name,
 * an instant of a worker has a length of 0, a mark of a cycle has no process. The list is closed
 * behind each event, and opened again for the next one.
 */
class HorovodFile
{
  public:
    HorovodFile()
    {
        m_text = "[\n"
                 R"({"name": "process_name", "ph": "M", "pid": 0, "args": )"
                 R"({"start_time_since_epoch_in_micros":1766000000000000}},)"
                 "\n" +
                 Sort(0) + ",\n";
    }

    /// Everything at a time: what follows happens then.
    HorovodFile& At(int us)
    {
        m_now = us;
        return *this;
    }

    HorovodFile& Begin(const TensorNames& tensors, const std::string& event)
    {
        for (const std::string& tensor : tensors)
        {
            Write(tensor, "B", R"(, "name": ")" + event + "\"", "");
        }
        return *this;
    }

    HorovodFile& End(const TensorNames& tensors, const std::string& shape = "")
    {
        const std::string args =
            shape.empty() ? "" : R"(, "args": {"dtype": "float32", "shape": ")" + shape + "\"}";
        for (const std::string& tensor : tensors)
        {
            Write(tensor, "E", "", args);
        }
        return *this;
    }

    /// A worker says that it has a tensor.
    HorovodFile& Report(const std::string& tensor, int rank)
    {
        Write(tensor, "X", R"(, "name": ")" + std::to_string(rank) + "\"", R"(, "dur": 0)");
        return *this;
    }

    HorovodFile& MarkCycle()
    {
        return Append(R"({"ph": "i", "name": "CYCLE_START", "ts": )" + std::to_string(m_now) +
                      R"(, "s": "g"})");
    }

    /// Two workers have a tensor, this one @p mine us, the other one @p other.
    HorovodFile& Negotiate(const std::string& tensor, int mine, int other)
    {
        const bool first = mine <= other;
        At(std::min(mine, other)).Begin({tensor}, "NEGOTIATE_ALLREDUCE").Report(tensor, !first);
        return At(std::max(mine, other)).Report(tensor, first).End({tensor});
    }

    /// The answer is in the cache: nobody reports.
    HorovodFile& NegotiateByCache(const std::string& tensor, int begin, int end)
    {
        return At(begin).Begin({tensor}, "NEGOTIATE_ALLREDUCE").At(end).End({tensor});
    }

    /// What the background thread does before it gives a buffer to the GPU.
    HorovodFile& WaitForData(const TensorNames& tensors, int us)
    {
        At(us).Begin(tensors, "WAIT_FOR_DATA");
        for (const std::string& tensor : tensors)
        {
            End({tensor}).Begin({tensor}, "WAIT_FOR_OTHER_TENSOR_DATA");
        }
        return End(tensors);
    }

    /// A part on the GPU, whose times the thread writes that waits for it.
    HorovodFile& Run(const TensorNames& tensors, const std::string& part, int begin, int end)
    {
        return At(begin).Begin(tensors, part).At(end).End(tensors);
    }

    /// @return the file after the last event
    const std::string& GetText() const
    {
        return m_text;
    }

    /// @return the file after each event
    const std::vector<std::string>& GetHistory() const
    {
        return m_history;
    }

  private:
    static std::string Sort(int process)
    {
        const std::string number = std::to_string(process);
        return R"({"name": "process_sort_index", "ph": "M", "pid": )" + number +
               R"(, "args": {"sort_index": )" + number + "}}";
    }

    HorovodFile& Append(const std::string& event)
    {
        if (!m_history.empty())
        {
            m_text.back() = ',';
        }
        m_text += event + "]";
        m_history.push_back(m_text);
        return *this;
    }

    void Write(const std::string& tensor,
               const std::string& phase,
               const std::string& name,
               const std::string& rest)
    {
        std::size_t process = 0;
        while (process < m_tensors.size() && m_tensors[process] != tensor)
        {
            ++process;
        }
        const std::string number = std::to_string(process + 1);
        std::string text;
        if (process == m_tensors.size())
        {
            m_tensors.push_back(tensor);
            text = R"({"name": "process_name", "ph": "M", "pid": )" + number +
                   R"(, "args": {"name": ")" + tensor + "\"}},\n" + Sort(process + 1) + ",\n";
        }
        Append(text + R"({"ph": ")" + phase + "\"" + name + R"(, "ts": )" + std::to_string(m_now) +
               R"(, "pid": )" + number + rest + "}");
    }

    std::string m_text;                 //!< so far
    std::vector<std::string> m_history; //!< after each event
    TensorNames m_tensors;              //!< by process, from 1
    int m_now{0};                       //!< us
};

/// c alone, over NCCL, which runs @p begin to @p end us.
void
ReduceAlone(HorovodFile& file, int begin, int end)
{
    file.At(begin - 9).Begin({GRADIENT_C}, "ALLREDUCE").WaitForData({GRADIENT_C}, begin - 8);
    file.Run({GRADIENT_C}, "QUEUE", begin - 5, begin)
        .Run({GRADIENT_C}, "NCCL_ALLREDUCE", begin, end);
    file.End({GRADIENT_C}, "[3, 25]");
}

/// b and a in one buffer.
void
ReduceFused(HorovodFile& file, int begin, int end)
{
    file.At(begin - 9)
        .Begin({GRADIENT_B, GRADIENT_A}, "ALLREDUCE")
        .WaitForData({GRADIENT_B, GRADIENT_A}, begin - 8);
    file.Run({GRADIENT_B, GRADIENT_A}, "QUEUE", begin - 5, begin - 2);
    file.Run({GRADIENT_B, GRADIENT_A}, "MEMCPY_IN_FUSION_BUFFER", begin - 2, begin);
    file.Run({GRADIENT_B, GRADIENT_A}, "NCCL_ALLREDUCE", begin, end);
    file.Run({GRADIENT_B, GRADIENT_A}, "MEMCPY_OUT_FUSION_BUFFER", end, end + 2);
    file.End({GRADIENT_B}, "[2, 3]").End({GRADIENT_A}, "[6]");
}

/// A broadcast of parameters, a first step that the workers negotiate, and one out of the cache.
HorovodFile
MakeTraining()
{
    HorovodFile file;
    file.At(5).MarkCycle().At(10).Begin({"broadcast.c"}, "NEGOTIATE_BROADCAST");
    file.Report("broadcast.c", 0).Report("broadcast.c", 1).End({"broadcast.c"});
    file.At(20).Begin({"broadcast.c"}, "BROADCAST").Run({"broadcast.c"}, "NCCL_BCAST", 21, 30);
    file.End({"broadcast.c"}, "[3, 25]");
    file.At(90).MarkCycle().Negotiate(GRADIENT_C, 100, 130);
    ReduceAlone(file, 140, 200);
    file.MarkCycle().Negotiate(GRADIENT_B, 150, 160).Negotiate(GRADIENT_A, 170, 165);
    file.At(196)
        .Begin({GRADIENT_B, GRADIENT_A}, "ALLREDUCE")
        .Run({GRADIENT_B, GRADIENT_A}, "INIT_FUSION_BUFFER", 197, 200);
    file.WaitForData({GRADIENT_B, GRADIENT_A}, 202)
        .Run({GRADIENT_B, GRADIENT_A}, "NCCL_ALLREDUCE", 210, 260);
    file.End({GRADIENT_B}, "[2, 3]").End({GRADIENT_A}, "[6]");
    file.MarkCycle().NegotiateByCache(GRADIENT_C, 1090, 1100);
    ReduceAlone(file, 1110, 1170);
    file.NegotiateByCache(GRADIENT_B, 1150, 1160).NegotiateByCache(GRADIENT_A, 1165, 1170);
    ReduceFused(file, 1180, 1210);
    return file;
}

class HorovodFiles : public testing::Test
{
  protected:
    HorovodFiles()
    {
        options.profile = folder.Write("p.yaml", HOROVOD_PROFILE);
    }

    ImportResult Import(const std::string& text) const
    {
        return ImportTrace("auto", {folder.Write("t.json", text)}, options);
    }

    ScratchFolder folder;
    ImportOptions options;
};

using BucketTensors = std::vector<TensorIndex>;

} // namespace

TEST_F(HorovodFiles, TwoStepsAreRead)
{
    const ImportResult result = Import(MakeTraining().GetText());
    ASSERT_EQ(result.profile.buckets.size(), 2U);
    EXPECT_EQ(result.profile.buckets[0].tensors, (BucketTensors{2}));
    EXPECT_EQ(result.profile.buckets[1].tensors, (BucketTensors{1, 0}));
    // c: this worker had it at 100, exchanged 140-200; any worker at 1090, exchanged 1110-1170
    ExpectNear(result.profile.buckets[0].recorded, {100, 80});
    ExpectNear(result.profile.buckets[0].transfer, {60, 60});
    // b and a: the last at 170, 210-260; at 1165, 1180-1210
    ExpectNear(result.profile.buckets[1].recorded, {90, 45});
    ExpectNear(result.profile.buckets[1].transfer, {50, 30});
    EXPECT_EQ(result.protocol.backend, "Horovod, nccl");
    EXPECT_EQ(result.protocol.workers, 2U);
    EXPECT_EQ(result.protocol.collectives[1].bytes, 48U);
    EXPECT_TRUE(result.warnings.empty());
}

/// The thread that waits for the GPU writes parts of c between the beginnings of b and a.
TEST_F(HorovodFiles, AnotherThreadDoesNotSplitABuffer)
{
    HorovodFile file;
    file.Negotiate(GRADIENT_C, 100, 100)
        .Negotiate(GRADIENT_B, 110, 110)
        .Negotiate(GRADIENT_A, 120, 120);
    file.At(131).Begin({GRADIENT_C}, "ALLREDUCE").WaitForData({GRADIENT_C}, 132);
    file.At(133).Begin({GRADIENT_B}, "ALLREDUCE").Run({GRADIENT_C}, "QUEUE", 133, 134);
    file.Run({GRADIENT_C}, "NCCL_ALLREDUCE", 140, 150).End({GRADIENT_C}, "[75]");
    file.Begin({GRADIENT_A}, "ALLREDUCE").WaitForData({GRADIENT_B, GRADIENT_A}, 151);
    file.Run({GRADIENT_B, GRADIENT_A}, "NCCL_ALLREDUCE", 160, 180)
        .End({GRADIENT_B}, "[6]")
        .End({GRADIENT_A}, "[6]");
    const ImportResult result = Import(file.GetText());
    ASSERT_EQ(result.profile.buckets.size(), 2U);
    EXPECT_EQ(result.profile.buckets[1].tensors, (BucketTensors{1, 0}));
    ExpectNear(result.profile.buckets[1].transfer, {20});
}

/// Of a hierarchical all-reduce the exchange is all from its first part to its last.
TEST_F(HorovodFiles, PartsOfAHierarchicalExchangeAreOne)
{
    HorovodFile file;
    file.Negotiate(GRADIENT_C, 100, 100).At(110).Begin({GRADIENT_C}, "ALLREDUCE");
    file.Run({GRADIENT_C}, "NCCL_REDUCESCATTER", 120, 130)
        .Run({GRADIENT_C}, "NCCL_REDUCE", 130, 132);
    file.Run({GRADIENT_C}, "MEMCPY_IN_HOST_BUFFER", 132, 135)
        .Run({GRADIENT_C}, "MPI_ALLREDUCE", 135, 150);
    file.Run({GRADIENT_C}, "MEMCPY_OUT_HOST_BUFFER", 150, 155)
        .Run({GRADIENT_C}, "NCCL_ALLGATHER", 155, 170);
    const std::string cut = file.GetText(); // the rest is lost when a job is ended
    file.Run({GRADIENT_C}, "NCCL_BCAST", 170, 172)
        .Run({GRADIENT_C}, "MEMCPY_OUT_FUSION_BUFFER", 172, 180);
    file.End({GRADIENT_C}, "[75]");
    const ImportResult result = Import(file.GetText());
    ASSERT_EQ(result.profile.buckets.size(), 1U);
    ExpectNear(result.profile.buckets[0].transfer, {52}); // 120-172
    EXPECT_EQ(result.protocol.backend, "Horovod, nccl");
    EXPECT_EQ(folder.ErrorOf([&] { Import(cut); }),
              "t.json: found no step with complete ALLREDUCE events; accepted is a timeline of "
              "training");
}

/// hvd.start_timeline() while c is negotiated, b is exchanged, and a is about to be exchanged.
TEST_F(HorovodFiles, ATimelineMayBeginDuringTraining)
{
    HorovodFile file;
    file.At(50)
        .Report(GRADIENT_C, 1)
        .End({GRADIENT_C})
        .End({GRADIENT_B})
        .End({GRADIENT_B}, "[2, 3]");
    file.At(60)
        .Begin({GRADIENT_C, GRADIENT_A}, "ALLREDUCE")
        .Run({GRADIENT_C, GRADIENT_A}, "NCCL_ALLREDUCE", 70, 90);
    file.End({GRADIENT_C}, "[75]").End({GRADIENT_A}, "[6]");
    for (const int at : {1000, 2000})
    {
        file.NegotiateByCache(GRADIENT_C, at, at + 10).NegotiateByCache(GRADIENT_A, at, at + 20);
        file.At(at + 20).Begin({GRADIENT_C, GRADIENT_A}, "ALLREDUCE");
        file.Run({GRADIENT_C, GRADIENT_A}, "NCCL_ALLREDUCE", at + 30, at + 40)
            .End({GRADIENT_C}, "[75]")
            .End({GRADIENT_A}, "[6]");
    }
    const ImportResult result = Import(file.GetText());
    ASSERT_EQ(result.profile.buckets.size(), 1U);
    EXPECT_EQ(result.profile.buckets[0].tensors, (BucketTensors{2, 0}));
    // when the tensors of the first step were there is not in the file: only its exchange counts
    ExpectNear(result.profile.buckets[0].recorded, {20, 40, 40});
    EXPECT_EQ(result.protocol.workers, 0U);
    EXPECT_EQ(result.warnings.size(), 1U); // b is in no bucket
}

/// A job that is ended leaves a list that is closed behind some event.
TEST_F(HorovodFiles, AnyFileThatAJobLeavesIsReadOrRefused)
{
    const HorovodFile file = MakeTraining();
    std::size_t read = 0;
    for (const std::string& text : file.GetHistory())
    {
        try
        {
            const ImportResult result = ImportHorovod({folder.Write("t.json", text)}, options);
            result.profile.Validate();
            ++read;
        }
        catch (const InputError& error)
        {
            EXPECT_NE(std::string(error.what()).find("found no step with complete ALLREDUCE"),
                      std::string::npos)
                << error.what();
        }
    }
    EXPECT_GT(read, 40U); // from the end of the first reduction on
}
