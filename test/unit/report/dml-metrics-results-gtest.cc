/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-channel-words.h"
#include "dml-folder-fixture.h"

#include "ns3/dml-csv-name.h"
#include "ns3/dml-file-error.h"
#include "ns3/dml-observer-list.h"
#include "ns3/dml-result-csv.h"
#include "ns3/dml-result-file.h"
#include "ns3/dml-trace-file.h"

#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sys/resource.h>

using namespace ns3::dml;

namespace
{

/// While it lives, no file of this process becomes larger.
class SizeLimit
{
  public:
    explicit SizeLimit(rlim_t bytes)
    {
        getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit limit{bytes, m_before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
        m_signal = std::signal(SIGXFSZ, SIG_IGN);
    }

    ~SizeLimit()
    {
        setrlimit(RLIMIT_FSIZE, &m_before);
        std::signal(SIGXFSZ, m_signal);
    }

  private:
    rlimit m_before{};     //!< limit until now
    void (*m_signal)(int); //!< handler until now
};

class DmlResults : public FolderFixture
{
  protected:
    /// @param operation to do; @return text of the InputError or RunError that it throws
    template <typename Error, typename Operation>
    static std::string GetError(Operation operation)
    {
        try
        {
            operation();
        }
        catch (const Error& error)
        {
            return error.what();
        }
        return "nothing was thrown";
    }
};

/// @return two tensors, one with a name that CSV must quote; ops pull, forward, push, update
Profile
MakeProfile()
{
    Profile profile;
    profile.batchSize = 6;
    profile.tensors = {{"a,\"b\"", 100}, {"plain", 200}};
    profile.devices = {{"cpu:0", 1}};
    profile.graph.Add({"pull \"a\"", OpKind::PULL, 0, 0});
    profile.graph.Add({"fwd", OpKind::FORWARD, 0, NO_INDEX});
    profile.graph.Add({"push", OpKind::PUSH, 0, 0});
    profile.graph.Add({"update", OpKind::UPDATE, 0, 0});
    profile.samples = {{}, {1}, {}, {1}};
    return profile;
}

} // namespace

TEST_F(DmlResults, NumbersAreFixedAndShort)
{
    std::string text;
    AppendFixed(text, 1.0 / 3, 9);
    AppendFixed(text += ' ', -0.0, 3);
    AppendFixed(text += ' ', 123456789.9999999996, 9);
    AppendFixed(text += ' ', std::nan(""), 9);
    AppendFixed(text += ' ', 1e300, 0);
    AppendNumber(text += ' ', UINT64_MAX);
    // 1e300 is the double 1000000000000000052504760255204420248704468581108159154915854115111802..
    EXPECT_EQ(text.substr(0, 56), "0.333333333 0.000 123456790.000000000  10000000000000000");
    EXPECT_EQ(text.substr(text.size() - 21), " 18446744073709551615");
}

TEST_F(DmlResults, CsvFieldsAreQuotedOnlyIfNeeded)
{
    EXPECT_EQ(WriteCsvName("conv1/weights 3"), "conv1/weights 3");
    EXPECT_EQ(WriteCsvName("a,b"), "\"a,b\"");
    EXPECT_EQ(WriteCsvName("say \"x\""), "\"say \"\"x\"\"\"");
    EXPECT_EQ(WriteCsvName("two\nlines"), "two\\nlines");
    EXPECT_EQ(WriteCsvName(""), "");
}

// A spreadsheet calculates what begins with one of four characters, and an apostrophe makes it
// text.
TEST_F(DmlResults, CsvNamesAreNoCommands)
{
    EXPECT_EQ(WriteCsvName("=1+1"), "'=1+1");
    EXPECT_EQ(WriteCsvName("+cmd|' /C calc'!A0"), "'+cmd|' /C calc'!A0");
    EXPECT_EQ(WriteCsvName("-x"), "'-x");
    EXPECT_EQ(WriteCsvName("@SUM(A1,A2)"), "\"'@SUM(A1,A2)\"");
    EXPECT_EQ(WriteCsvName("\t=1"), "\\t=1");
    EXPECT_EQ(WriteCsvName("\r=1"), "\\r=1");
    EXPECT_EQ(WriteCsvName("-1.5e3"), "-1.5e3") << "a number";
    EXPECT_EQ(WriteCsvName("'quoted'"), "'quoted'");
    EXPECT_EQ(WriteCsvName("'=1"), "''=1");
    EXPECT_EQ(WriteCsvName("a\x1b[2J\\"), "a\\x1b[2J\\\\");
}

TEST_F(DmlResults, CsvNamesAreReadAsTheyWere)
{
    // all texts of up to four of the characters that mean something
    const std::string alphabet = "=-'\\nx0\n\t\x1b";
    std::vector<std::string> texts{""};
    for (std::size_t first = 0, length = 0; length < 4; ++length)
    {
        const std::size_t end = texts.size();
        for (; first < end; ++first)
        {
            for (const char c : alphabet)
            {
                texts.push_back(texts[first] + c);
            }
        }
    }
    ASSERT_EQ(texts.size(), 1u + 10 + 100 + 1000 + 10000);
    std::set<std::string> fields;
    for (const auto& text : texts)
    {
        const std::string field = WriteCsvName(text);
        EXPECT_TRUE(fields.insert(field).second) << field;
        EXPECT_EQ(ReadCsvName(field), text) << field;
        EXPECT_EQ(field.find_first_of("\n\t\x1b"), std::string::npos) << field;
    }
    EXPECT_EQ(ReadCsvName(WriteCsvName("\xc2\x9b m")), "\xc2\x9b m");
    for (const char* other : {"\\", "\\x", "\\x1", "\\xzz", "\\q", "'", "''"})
    {
        EXPECT_NO_THROW(ReadCsvName(other)); // from a file of anybody's
    }
}

// Rows reach the file in whole, and without Close() once they have become many or old.
TEST_F(DmlResults, FileKeepsRowsUntilThereAreMany)
{
    ResultFile file(m_folder + "/rows");
    file.GetBuffer() += "first\n";
    file.Commit();
    EXPECT_EQ(Read("rows"), "");
    file.GetBuffer() += std::string(300000, 'x') + "\n";
    file.Commit();
    EXPECT_EQ(Read("rows").size(), 300007u);
    file.GetBuffer() += "last\n";
    file.Commit();
    file.Close();
    EXPECT_EQ(Read("rows").substr(300007), "last\n");
}

TEST_F(DmlResults, FileErrorsNameThePathAndTheReason)
{
    const std::string path = m_folder + "/missing/steps.csv";
    const std::string text = GetError<InputError>([&] { ResultFile file(path); });
    EXPECT_EQ(text.find(path + ": cannot be written: No such file or directory"), 0u) << text;

    // As on a disk that is full.
    const SizeLimit limit(1);
    ResultFile full(m_folder + "/full");
    full.GetBuffer() += "row\n";
    EXPECT_EQ(GetError<RunError>([&] { full.Flush(); }),
              m_folder + "/full: write failed: File too large");
    EXPECT_NO_THROW(full.Flush()); // reported once; these rows are lost
    full.GetBuffer() += "row\n";
    EXPECT_THROW(full.Close(), RunError);
    EXPECT_NO_THROW(full.Close());
}

TEST_F(DmlResults, AppendsFilesOfAnySize)
{
    // 3 MB are copied by the system, 3 bytes through the buffer; rows that wait there come before
    std::string large;
    for (int row = 0; large.size() < 3000000; ++row)
    {
        large += std::to_string(row) + "\n";
    }
    ResultFile::Replace(m_folder + "/large", large);
    ResultFile::Replace(m_folder + "/small", "ab\n");
    const auto append = [&](ResultFile& file) {
        file.GetBuffer() += "first\n";
        file.AppendFile(m_folder + "/large");
        file.AppendFile(m_folder + "/small");
        file.AppendFile(m_folder + "/large");
        file.Close();
    };
    ResultFile file(m_folder + "/rows");
    append(file);
    const std::string once = "first\n" + large + "ab\n" + large;
    EXPECT_TRUE(Read("rows") == once);
    // to a file that goes on, whose end the system may not copy to
    const std::size_t kept = once.rfind('\n', once.size() - 2) + 1; // less a row
    ResultFile again(m_folder + "/rows", kept, "first\n");
    append(again);
    EXPECT_TRUE(Read("rows") == once.substr(0, kept) + once);
    ResultFile full(m_folder + "/full");
    EXPECT_NE(
        GetError<RunError>([&] { full.AppendFile(m_folder + "/none"); }).find("cannot be read"),
        std::string::npos);
    const SizeLimit limit(1);
    EXPECT_NE(GetError<RunError>([&] {
                  full.AppendFile(m_folder + "/large");
                  full.Close();
              }).find("/full: write failed"),
              std::string::npos);
}

TEST_F(DmlResults, ReplaceLeavesNoDraftBehind)
{
    ResultFile::Replace(m_folder + "/small", "old");
    ResultFile::Replace(m_folder + "/small", "new content");
    EXPECT_EQ(Read("small"), "new content");
    EXPECT_FALSE(std::filesystem::exists(m_folder + "/small.new"));
    std::filesystem::create_directory(m_folder + "/folder");
    EXPECT_NE(
        GetError<FileError>([&] {
            ResultFile::Replace(m_folder + "/folder", "x");
        }).find("folder: cannot be replaced: Is a directory; accepted: a file there, or none"),
        std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(m_folder + "/folder.new"));
}

TEST_F(DmlResults, CsvRows)
{
    CsvResults csv(m_folder, MakeProfile(), {true, false, true, true});
    ObserverList list{nullptr, &csv};
    csv.BeginRun({4, "packet", 2, ""});
    list.Observe({0, StepRecord{3, 7, 0, 1.5, 2.25}});
    list.Observe({0, StepRecord{3, 8, 5, 2.25, 3, 2.5, 9, 2}});
    list.Observe(
        {0, TransferRecord{MakeChannel(Direction::DOWNLINK, 1, 3), 7, 0, 0, 1.5, 1.6, 1.75}});
    list.Observe({0, TransferRecord{MakeChannel(Direction::UPLINK, 0, 3), 7, 2, 1, 1.8, 1.9, 2}});
    list.Observe(
        {0, ChunkRecord{3, 7, 0, true, MakeResource(ResourceLabel::DEVICE, 0, 3), 0, 1.75, 1.76}});
    list.Observe(
        {0, ChunkRecord{3, 7, 2, false, MakeResource(ResourceLabel::UPLINK, 1, 3), 60, 1.9, 2}});
    LinkMeter meter({100});
    meter.On(LinkRecord{MakeServerLink(Direction::UPLINK, 0), 0, 1.0 / 1024, 25});
    csv.WriteLinks(meter);
    ShareMeter shares(4, 1);
    ObserverList{&shares}.Observe(
        {0, FlowRecord{MakeChannel(Direction::UPLINK, 0, 3), 0.02, 0.03, 1000}});
    shares.On(TransferRecord{MakeChannel(Direction::UPLINK, 0, 3), 7, 2, 1, 0, 0, 1});
    csv.WriteShares(shares, 0, 1);
    csv.Close();
    EXPECT_EQ(Read("shares.csv"),
              "workers,engine,replication,direction,ps,time,worker,active,share\n"
              "4,packet,2,uplink,0,0.020000000,3,1,1.000000\n");
    EXPECT_EQ(Read("steps.csv"),
              "workers,engine,replication,worker,step,start,end,batch,done,dropped,sample\n"
              "4,packet,2,3,7,1.500000000,2.250000000,6,,0,0\n"
              "4,packet,2,3,8,2.250000000,3.000000000,9,2.500000000,2,5\n");
    EXPECT_EQ(Read("transfers.csv"),
              "workers,engine,replication,worker,step,tensor,direction,ps,ready,first_byte,"
              "last_byte\n"
              "4,packet,2,3,7,\"a,\"\"b\"\"\",downlink,1,1.500000000,1.600000000,1.750000000\n"
              "4,packet,2,3,7,plain,uplink,0,1.800000000,1.900000000,2.000000000\n");
    EXPECT_EQ(Read("ops.csv"),
              "workers,engine,replication,worker,step,op,resource,index,parse,bytes,start,end\n"
              "4,packet,2,3,7,\"pull \"\"a\"\"\",device,0,1,0,1.750000000,1.760000000\n"
              "4,packet,2,3,7,push,uplink,1,0,60,1.900000000,2.000000000\n");
    EXPECT_EQ(Read("links.csv"),
              "workers,engine,replication,direction,ps,time,utilisation\n"
              "4,packet,2,downlink,0,0.000000000,0.000000\n"
              "4,packet,2,uplink,0,0.000000000,0.250000\n");
}

// What another process wrote without header follows the rows that are there.
TEST_F(DmlResults, CsvPartsAreAppended)
{
    const std::string part = m_folder + "/part";
    std::filesystem::create_directory(part);
    CsvResults csv(m_folder, MakeProfile(), {false, true, true});
    csv.BeginRun({1, "fair-share", 0, "rate=1Gbps, mtu=1500"});
    csv.On(StepRecord{0, 0, 0, 0, 1});
    {
        CsvResults other(part, MakeProfile(), {false, true, false});
        other.BeginRun({2, "packet", 1, "plain"});
        other.On(StepRecord{1, 0, 0, 0, 1});
        other.Close();
    }
    csv.AppendFrom(part);
    csv.On(StepRecord{0, 1, 0, 1, 2});
    csv.Close();
    EXPECT_EQ(Read("steps.csv"),
              "variant,workers,engine,replication,worker,step,start,end,batch,done,dropped,sample\n"
              "\"rate=1Gbps, mtu=1500\",1,fair-share,0,0,0,0.000000000,1.000000000,6,,0,0\n"
              "plain,2,packet,1,1,0,0.000000000,1.000000000,6,,0,0\n"
              "\"rate=1Gbps, mtu=1500\",1,fair-share,0,0,1,1.000000000,2.000000000,6,,0,0\n");
    EXPECT_FALSE(std::filesystem::exists(m_folder + "/ops.csv"));
    EXPECT_NE(GetError<RunError>([&] {
                  CsvResults third(part, MakeProfile(), {});
                  third.AppendFrom(m_folder + "/missing");
              }).find("missing/steps.csv: cannot be read"),
              std::string::npos);
}

// Two workers, one server: processes 1 and 2 are workers, 3 is the server. 1.0000015 s to 1.5 s is
// ts 1000001.500, dur 499998.500 us. The second pull overlaps the first one: another thread.
TEST_F(DmlResults, TraceEvents)
{
    TraceFile trace(m_folder + "/trace.json", MakeProfile(), {});
    trace.BeginRun("packet", 2, 1);
    trace.On(ChunkRecord{1,
                         0,
                         0,
                         false,
                         MakeResource(ResourceLabel::DOWNLINK, 0, 1),
                         100,
                         1.0000015,
                         1.5});
    trace.On(
        ChunkRecord{1, 0, 0, false, MakeResource(ResourceLabel::DOWNLINK, 0, 1), 100, 1.2, 1.6});
    trace.On(
        ChunkRecord{1, 0, 0, false, MakeResource(ResourceLabel::DOWNLINK, 0, 1), 100, 1.5, 1.7});
    trace.On(ChunkRecord{1, 0, 0, true, MakeResource(ResourceLabel::DEVICE, 0, 1), 0, 1.7, 1.8});
    trace.On(ChunkRecord{1, 0, 3, false, MakeResource(ResourceLabel::SERVER, 0, 1), 0, 1.8, 1.9});
    trace.On(ChunkRecord{1, 0, 2, true, MakeResource(ResourceLabel::PARSER, 1, 1), 0, 1.8, 1.9});
    trace.On(ChunkRecord{0,
                         0,
                         2,
                         true,
                         MakeResource(ResourceLabel::PARSER, 1, 0),
                         0,
                         1.9,
                         1.95});                // not the same thread
    trace.On(StepRecord{1, 0, 5, 1, 1.9, 1.9}); // it did not wait
    trace.On(StepRecord{1, 20, 5, 2, 3});       // beyond the first 20 steps
    trace.On(ChunkRecord{1, 20, 0, true, MakeResource(ResourceLabel::DEVICE, 0, 1), 0, 2, 3});
    trace.On(StepRecord{0, 0, 5, 1, 2, 1.25}); // it did, for 0.75 s
    trace.On(StepRecord{0, 1, 5, 2, 3});       // not known
    trace.Close();

    const auto json = nlohmann::json::parse(Read("trace.json"));
    std::map<std::pair<int, int>, std::string> threads;
    std::map<int, std::string> processes;
    std::vector<nlohmann::json> events;
    for (const auto& event : json["traceEvents"])
    {
        if (event["name"] == "process_name")
        {
            processes[event["pid"]] = event["args"]["name"];
        }
        else if (event["name"] == "thread_name")
        {
            threads[{event["pid"], event["tid"]}] = event["args"]["name"];
        }
        else if (event["ph"] == "X")
        {
            events.push_back(event);
        }
    }
    EXPECT_EQ(processes[1], "packet worker 0");
    EXPECT_EQ(processes[2], "packet worker 1");
    EXPECT_EQ(processes[3], "packet PS 0");
    ASSERT_EQ(events.size(), 11u);
    const auto thread = [&](size_t i) { return threads[{events[i]["pid"], events[i]["tid"]}]; };
    EXPECT_EQ(thread(0), "downlink PS 0");
    EXPECT_EQ(thread(1), "downlink PS 0 #2");
    EXPECT_EQ(thread(2), "downlink PS 0");
    EXPECT_EQ(thread(3), "cpu:0");
    EXPECT_EQ(thread(4), "for worker 1");
    EXPECT_EQ(thread(5), "parser for worker 1");
    EXPECT_EQ(thread(6), "parser for worker 0");
    EXPECT_EQ(thread(7), "steps");
    EXPECT_EQ(thread(8), "steps");
    EXPECT_EQ(thread(9), "waiting");
    EXPECT_EQ(events[9]["pid"], 1);
    EXPECT_EQ(events[9]["ts"], 1.25e6);
    EXPECT_EQ(events[9]["dur"], 0.75e6);
    EXPECT_EQ(thread(10), "steps");
    EXPECT_EQ(events[4]["pid"], 3);
    EXPECT_EQ(events[5]["pid"], 3);
    EXPECT_EQ(events[7]["pid"], 2);
    EXPECT_EQ(events[0]["name"], "pull \"a\"");
    EXPECT_EQ(events[3]["name"], "parse pull \"a\"");
    EXPECT_EQ(events[0]["args"]["bytes"], 100);
    EXPECT_EQ(events[7]["args"]["sample"], 5);
    EXPECT_NE(Read("trace.json").find("\"ts\":1000001.500,\"dur\":499998.500"), std::string::npos);
}

// Parts are valid JSON only after they were appended, also if nothing precedes them.
TEST_F(DmlResults, TraceParts)
{
    for (const bool first : {true, false})
    {
        TraceFile trace(m_folder + "/trace.json", MakeProfile(), {});
        if (!first)
        {
            trace.BeginRun("fair-share", 1, 1);
        }
        {
            TraceFile part(m_folder + "/part", MakeProfile(), {20, 100, true});
            part.BeginRun("packet", 1, 1);
            part.On(StepRecord{0, 0, 0, 0, 1});
        }
        trace.AppendPart(m_folder + "/part");
        trace.Close();
        const auto json = nlohmann::json::parse(Read("trace.json"));
        EXPECT_EQ(json["traceEvents"].back()["name"], "step 0");
        EXPECT_EQ(json["traceEvents"].back()["pid"], 100);
    }
    TraceFile empty(m_folder + "/trace.json", MakeProfile(), {});
    empty.Close();
    // the job: itself, a device, two tensors, four ops
    EXPECT_EQ(nlohmann::json::parse(Read("trace.json"))["traceEvents"].size(), 8u);
}
