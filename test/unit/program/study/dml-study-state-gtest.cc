/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-error-of.h"
#include "dml-folder-fixture.h"

#include "ns3/dml-checksum.h"
#include "ns3/dml-error.h"
#include "ns3/dml-input-file.h"
#include "ns3/dml-study-state.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <sys/stat.h>

namespace fs = std::filesystem;
using namespace ns3::dml;

namespace
{

class DmlStudyState : public FolderFixture
{
  protected:
    static StudyIdentity Ask(uint32_t steps = 10, const std::string& program = "old")
    {
        StudyIdentity question;
        question.Add("job", {{"steps", steps}});
        question.Add(StudyIdentity::PROGRAM, program);
        return question;
    }

    StudyState Open(UnfinishedStudy unfinished, uint32_t steps = 10, bool force = false) const
    {
        return {m_folder, Ask(steps), "how it was asked", {unfinished, force}};
    }

    /// Do a run whose row is its number. @param capture it has one besides
    static void Do(const StudyState& state, uint32_t run, bool capture = false)
    {
        const std::string folder = state.GetStore().MakeRunFolder(run);
        Write(folder + "/steps.csv", std::to_string(run));
        if (capture)
        {
            Write(folder + "/W2-worker0.pcap", "packets of " + std::to_string(run));
        }
        state.GetStore().Keep(run, "result " + std::to_string(run));
    }

    static void Write(const std::string& path, const std::string& text)
    {
        std::ofstream(path) << text;
    }

    /// Go to a new folder in that of the results.
    void Enter(const std::string& name)
    {
        m_folder += "/" + name;
        fs::create_directory(m_folder);
    }

    /// @return names of what lies in the folder of the results
    std::set<std::string> List() const
    {
        std::set<std::string> names;
        for (const auto& entry : fs::directory_iterator(m_folder))
        {
            names.insert(entry.path().filename().string());
        }
        return names;
    }

    /// @return why the study is refused, or "" if it is not
    std::string Refusal(UnfinishedStudy unfinished, uint32_t steps = 10) const
    {
        const std::string text = ErrorOf([&] { Open(unfinished, steps); });
        return text == "no error" ? "" : text.substr(m_folder.size());
    }
};

TEST_F(DmlStudyState, KeepsRunsForTheSameQuestion)
{
    {
        const StudyState state = Open(UnfinishedStudy::REFUSE);
        Do(state, 0);
        Do(state, 2);
        state.GetStore().MakeRunFolder(3); // and the process is killed
    }
    const StudyState state = Open(UnfinishedStudy::RESUME);
    EXPECT_EQ(state.Load(0), "result 0");
    EXPECT_FALSE(state.Load(1));
    EXPECT_EQ(state.Load(2), "result 2");
    EXPECT_FALSE(state.Load(3));
    EXPECT_EQ(state.GetMerged().runs, 0);
    const fs::directory_iterator files(m_folder + "/unfinished");
    EXPECT_TRUE(std::none_of(begin(files), end(files), [](const auto& file) {
        return file.path().extension() == ".running";
    })) << "what a killed process left";
}

TEST_F(DmlStudyState, RefusesToGuess)
{
    EXPECT_EQ(Refusal(UnfinishedStudy::RESUME), "") << "nothing to resume, nothing to lose";
    Do(Open(UnfinishedStudy::REFUSE), 0);
    EXPECT_EQ(Refusal(UnfinishedStudy::REFUSE),
              ": found an unfinished study, of which 1 run is done; accepted: --resume to go on "
              "with it, --restart to begin anew, or another --out");
    EXPECT_EQ(Refusal(UnfinishedStudy::RESUME, 11),
              ": found an unfinished study that is not this one: job.steps is 11 and was 10; "
              "accepted: --resume of the same study, --restart to begin anew, or another --out");
    EXPECT_TRUE(Open(UnfinishedStudy::RESUME).Load(0)) << "a refusal removes nothing";
    EXPECT_FALSE(Open(UnfinishedStudy::RESTART).Load(0));
}

TEST_F(DmlStudyState, ForgetsRunsThatAreDamaged)
{
    {
        const StudyState state = Open(UnfinishedStudy::REFUSE);
        for (const uint32_t run : {0, 1, 2})
        {
            Do(state, run);
        }
        Write(state.GetStore().GetRunFolder(0) + "/steps.csv", "half");
        Write(state.GetStore().GetRunFolder(1) + "/result", "half");
        fs::remove(state.GetStore().GetRunFolder(2) + "/steps.csv");
    }
    const StudyState state = Open(UnfinishedStudy::RESUME);
    for (const uint32_t run : {0, 1, 2})
    {
        EXPECT_FALSE(state.Load(run)) << "run " << run;
    }
}

// What is not as a study writes it is damaged, whatever it is; its run is done again.
TEST_F(DmlStudyState, ForgetsRunsOfStrangeFiles)
{
    {
        const StudyState state = Open(UnfinishedStudy::REFUSE);
        for (const uint32_t run : {0, 1, 2, 3, 4})
        {
            Do(state, run);
        }
        const auto seal = [&state](uint32_t run, const std::string& checksums) {
            const std::string content = Ask().GetName() + "\n" + checksums + "\nresult";
            Write(state.GetStore().GetRunFolder(run) + "/result", MakeChecksum(content) + content);
        };
        seal(0, "{");
        seal(1, "[\"steps.csv\"]");
        seal(2, "{\"/dev/zero\": \"\"}"); // which would be read for ever
        seal(3, "{\"../4/steps.csv\": \"" + MakeChecksum("4") + "\"}");
        Write(m_folder + "/unfinished/merged.json", R"({"runs": "all", "sizes": 7})");
    }
    const StudyState state = Open(UnfinishedStudy::RESUME);
    for (const uint32_t run : {0, 1, 2, 3})
    {
        EXPECT_FALSE(state.Load(run)) << "run " << run;
    }
    EXPECT_TRUE(state.Load(4));
    EXPECT_EQ(state.GetMerged().runs, 0u);
}

TEST_F(DmlStudyState, ReadsNoPipesAndDevices)
{
    Open(UnfinishedStudy::REFUSE);
    ASSERT_EQ(mkfifo((m_folder + "/pipe").c_str(), 0600), 0);
    EXPECT_FALSE(ReadBytes(m_folder + "/pipe"));
    EXPECT_EQ(ChecksumOfFile(m_folder + "/pipe"), "");
    EXPECT_EQ(ChecksumOfFile("/dev/zero"), "");
}

TEST_F(DmlStudyState, RefusesDamagedDescription)
{
    Do(Open(UnfinishedStudy::REFUSE), 0);
    Write(m_folder + "/unfinished/study.json", "{\"job\": {");
    EXPECT_NE(Refusal(UnfinishedStudy::RESUME).find("its study.json is damaged"),
              std::string::npos);
    Write(m_folder + "/unfinished/study.json",
          "{\n\"job\": " + std::string(100000, '[') + std::string(100000, ']') + "\n}");
    EXPECT_NE(Refusal(UnfinishedStudy::RESUME).find("its study.json is damaged"),
              std::string::npos);
}

TEST_F(DmlStudyState, RemovesRowsThatAreMerged)
{
    {
        StudyState state = Open(UnfinishedStudy::REFUSE);
        Do(state, 0);
        Do(state, 1);
        Write(m_folder + "/steps.csv", "row of run 0");
        state.SetMerged({1, {{"steps.csv", 12}}, 2.5});
        EXPECT_FALSE(fs::exists(state.GetStore().GetRunFolder(0) + "/steps.csv"));
        EXPECT_TRUE(fs::exists(state.GetStore().GetRunFolder(1) + "/steps.csv"));
    }
    {
        const StudyState state = Open(UnfinishedStudy::RESUME);
        EXPECT_EQ(state.GetMerged().runs, 1);
        EXPECT_EQ(state.GetMerged().sizes.at("steps.csv"), 12);
        EXPECT_EQ(state.GetMerged().wallSeconds, 2.5);
        EXPECT_EQ(state.Load(0), "result 0");
    }
    fs::resize_file(m_folder + "/steps.csv", 5);
    StudyState state = Open(UnfinishedStudy::RESUME);
    EXPECT_EQ(state.GetMerged().runs, 0) << "its rows are lost";
    EXPECT_FALSE(state.Load(0));
    EXPECT_TRUE(state.Load(1));
    state.Remove();
    EXPECT_FALSE(fs::exists(m_folder + "/unfinished"));
}

TEST_F(DmlStudyState, LeavesForeignFilesAlone)
{
    fs::create_directory(m_folder + "/unfinished");
    Write(m_folder + "/unfinished/thesis.tex", "\\documentclass");
    EXPECT_NE(Refusal(UnfinishedStudy::RESTART).find("found files that are not of a study"),
              std::string::npos);
}

TEST_F(DmlStudyState, TakesRunsFromManyProcesses)
{
    const StudyState one = Open(UnfinishedStudy::JOIN);
    const StudyState two = Open(UnfinishedStudy::JOIN);
    Do(one, 0);
    Do(two, 1);
    Do(two, 0); // which is there: the first one stays
    for (const auto& state : {one, two})
    {
        EXPECT_EQ(state.Load(0), "result 0");
        EXPECT_EQ(state.Load(1), "result 1");
    }
    EXPECT_EQ(StudyState::ReadCommand(m_folder), "how it was asked");
    EXPECT_EQ(one.GetStore().Count(), 2U);
    EXPECT_EQ(Refusal(UnfinishedStudy::JOIN, 11),
              ": found an unfinished study that is not this one: job.steps is 11 and was 10; "
              "accepted: cases that were emitted for that study, or another --out");
    // and it is a study like any other
    EXPECT_EQ(Open(UnfinishedStudy::RESUME).Load(1), "result 1");
}

TEST_F(DmlStudyState, ForgetsRunsOfOtherStudies)
{
    Do(Open(UnfinishedStudy::JOIN), 0);
    const RunStore other(m_folder + "/unfinished", Ask(11).GetName());
    EXPECT_FALSE(other.Load(0));
    EXPECT_TRUE(Open(UnfinishedStudy::JOIN).Load(0));
}

TEST_F(DmlStudyState, ReplacesDamagedRuns)
{
    const StudyState state = Open(UnfinishedStudy::JOIN);
    Do(state, 0);
    Write(state.GetStore().GetRunFolder(0) + "/steps.csv", "half");
    Do(state, 0);
    EXPECT_EQ(state.Load(0), "result 0");
}

TEST_F(DmlStudyState, ImportsFromOtherFolders)
{
    const std::string here = m_folder;
    Enter("one");
    Do(Open(UnfinishedStudy::JOIN), 0);
    m_folder = here;
    Enter("two");
    Do(Open(UnfinishedStudy::JOIN), 1);
    Do(Open(UnfinishedStudy::JOIN), 2);
    Write(m_folder + "/unfinished/2/steps.csv", "half");
    m_folder = here;
    {
        const StudyState state = Open(UnfinishedStudy::MERGE);
        state.Import(here + "/one", Ask(), 4);
        state.Import(here + "/two", Ask(), 4);
        EXPECT_EQ(state.Load(0), "result 0");
        EXPECT_EQ(state.Load(1), "result 1");
        EXPECT_FALSE(state.Load(2)) << "it is damaged";
        EXPECT_FALSE(state.Load(3));
        EXPECT_THROW(state.Import(here + "/one", Ask(11), 4), InputError) << "another study";
        EXPECT_THROW(state.Import(here + "/none", Ask(), 4), InputError);
    }
    EXPECT_TRUE(Open(UnfinishedStudy::MERGE).Load(1)) << "a merge goes on";
    EXPECT_TRUE(fs::exists(here + "/one/unfinished/0/steps.csv")) << "the sources stay";
}

TEST_F(DmlStudyState, FindsCapturesThatHaveMoved)
{
    const StudyState state = Open(UnfinishedStudy::REFUSE);
    Do(state, 0, true);
    const std::string capture = state.GetStore().GetRunFolder(0) + "/W2-worker0.pcap";
    const std::string moved = m_folder + "/W2-worker0.pcap";
    fs::rename(capture, moved);
    EXPECT_EQ(state.Load(0), "result 0");
    Write(moved, "those of another study");
    EXPECT_FALSE(state.Load(0));
    fs::remove(moved);
    EXPECT_FALSE(state.Load(0)) << "it is nowhere";
}

TEST_F(DmlStudyState, ImportsCapturesThatHaveMoved)
{
    const std::string here = m_folder;
    Enter("one");
    {
        const StudyState one = Open(UnfinishedStudy::REFUSE);
        Do(one, 0, true);
        fs::rename(one.GetStore().GetRunFolder(0) + "/W2-worker0.pcap",
                   m_folder + "/W2-worker0.pcap");
    }
    m_folder = here;
    const StudyState state = Open(UnfinishedStudy::MERGE);
    state.Import(here + "/one", Ask(), 1);
    EXPECT_EQ(state.Load(0), "result 0");
    EXPECT_EQ(ReadBytes(state.GetStore().GetRunFolder(0) + "/W2-worker0.pcap"), "packets of 0");
    EXPECT_TRUE(fs::exists(here + "/one/W2-worker0.pcap")) << "the source stays";
}

TEST_F(DmlStudyState, LeavesMergedRowsWhereTheyAre)
{
    const std::string here = m_folder;
    Enter("one");
    {
        StudyState one = Open(UnfinishedStudy::REFUSE);
        Do(one, 0);
        Do(one, 1);
        Write(m_folder + "/steps.csv", "row of run 0");
        one.SetMerged({1, {{"steps.csv", 12}}, 2.5});
    }
    m_folder = here;
    const StudyState state = Open(UnfinishedStudy::MERGE);
    std::string argument = "'" + here + "/one'"; // as a shell takes it
    argument.insert(argument.find("'s "), "'\\'");
    EXPECT_EQ(ErrorOf([&] { state.Import(here + "/one", Ask(), 2); }),
              here +
                  "/one: holds results of which 1 run is in its files already; accepted: --out " +
                  argument)
        << "run 0 can never be complete here";
}

TEST_F(DmlStudyState, RemovesWhatAKillLeft)
{
    // a kill before study.json was there
    const std::string state = m_folder + "/unfinished";
    for (const auto unfinished : {UnfinishedStudy::REFUSE,
                                  UnfinishedStudy::RESUME,
                                  UnfinishedStudy::RESTART,
                                  UnfinishedStudy::MERGE})
    {
        fs::create_directories(state + "/3.0123-45.running");
        Write(state + "/command.json", "{}");
        Write(state + "/study.json.0123-45.new", "{");
        EXPECT_EQ(Refusal(unfinished), "");
        EXPECT_FALSE(fs::exists(state + "/3.0123-45.running"));
        EXPECT_EQ(ReadBytes(state + "/command.json"), "how it was asked");
        fs::remove_all(state);
    }
    // a kill while the state of a study that has ended is removed
    fs::create_directories(m_folder + "/unfinished.0123-45.removed/7");
    Open(UnfinishedStudy::REFUSE).Remove();
    EXPECT_EQ(List(), std::set<std::string>{"study.json"});
}

TEST_F(DmlStudyState, AddsNothingToResults)
{
    Write(m_folder + "/summary.json", "{}");
    EXPECT_EQ(Refusal(UnfinishedStudy::JOIN),
              ": found the results of a study that has ended, and nothing to add to; accepted: "
              "another --out");
    EXPECT_EQ(Refusal(UnfinishedStudy::MERGE),
              ": found results that do not say of which study they are (study.json is missing); "
              "accepted: --force to replace them, or another --out");
}

TEST_F(DmlStudyState, ReplacesResultsOfTheSameStudyOnly)
{
    const auto end = [this] {
        Open(UnfinishedStudy::REFUSE, 10, true).Remove();
        Write(m_folder + "/summary.json", "{}");
        Write(m_folder + "/ops.csv", "rows");
        Write(m_folder + "/thesis.tex", "\\documentclass");
    };
    const std::set<std::string> all{"ops.csv", "study.json", "summary.json", "thesis.tex"};
    const std::string other =
        ": found the results of a study that is not this one: job.steps is 11 "
        "and was 10; accepted: --force to replace them, or another --out";
    end();
    for (const auto unfinished :
         {UnfinishedStudy::REFUSE, UnfinishedStudy::RESTART, UnfinishedStudy::MERGE})
    {
        EXPECT_EQ(Refusal(unfinished, 11), other);
        EXPECT_EQ(List(), all) << "a refusal removes nothing";
        if (unfinished == UnfinishedStudy::MERGE)
        {
            // it was asked to merge what has ended since, and would have nothing to do
            EXPECT_EQ(Refusal(unfinished),
                      ": found the results of this study, which has ended; accepted: --force to "
                      "replace them, or another --out");
            EXPECT_EQ(List(), all);
            Open(unfinished, 10, true);
        }
        else
        {
            Open(unfinished);
        }
        EXPECT_EQ(List(), (std::set<std::string>{"thesis.tex", "unfinished"}));
        end();
        Open(unfinished, 11, true);
        EXPECT_EQ(List(), (std::set<std::string>{"thesis.tex", "unfinished"}));
        end();
    }
    // the same study of another program
    EXPECT_NO_THROW(StudyState(m_folder, Ask(10, "new"), "", {UnfinishedStudy::REFUSE}));
    // a folder without results: whatever is called like them is the user's
    fs::remove_all(m_folder);
    fs::create_directories(m_folder);
    Write(m_folder + "/ops.csv", "rows");
    EXPECT_EQ(
        Refusal(UnfinishedStudy::REFUSE),
        ": found ops.csv, which is of no study here; accepted: --force to replace it, or another "
        "--out");
    EXPECT_EQ(List(), std::set<std::string>{"ops.csv"});
    Open(UnfinishedStudy::REFUSE, 10, true);
    EXPECT_EQ(List(), (std::set<std::string>{"ops.csv", "unfinished"}));
}

TEST_F(DmlStudyState, ReplacesAnUnfinishedStudyByForce)
{
    Do(Open(UnfinishedStudy::REFUSE), 0);
    EXPECT_NE(Refusal(UnfinishedStudy::REFUSE, 11), "");
    EXPECT_NE(Refusal(UnfinishedStudy::MERGE, 11), "");
    EXPECT_TRUE(Open(UnfinishedStudy::MERGE, 10, true).Load(0)) << "a merge goes on all the same";
    EXPECT_EQ(Open(UnfinishedStudy::MERGE, 11, true).GetStore().Count(), 0U);
    Do(Open(UnfinishedStudy::REFUSE, 11), 0);
    EXPECT_EQ(Open(UnfinishedStudy::REFUSE, 11, true).GetStore().Count(), 0U);
}

TEST_F(DmlStudyState, TrustsNoRecordThatDmlDidNotWrite)
{
    Do(Open(UnfinishedStudy::REFUSE), 0);
    for (const char* text :
         {"[",
          "{}",
          R"({"runs": "1", "sizes": {}, "wall_seconds": 1})",
          R"({"runs": -1, "sizes": {}, "wall_seconds": 1})",
          R"({"runs": 1, "sizes": [], "wall_seconds": 1})",
          R"({"runs": 1, "sizes": {"unfinished/study.json": 0}, "wall_seconds": 1})",
          R"({"runs": 1, "sizes": {}, "wall_seconds": "1"})"})
    {
        Write(m_folder + "/unfinished/merged.json", text);
        EXPECT_EQ(Open(UnfinishedStudy::RESUME).GetMerged().runs, 0U) << text;
    }
    // a sealed result that names files elsewhere
    const std::string study = Ask().GetName();
    Write(m_folder + "/elsewhere", "x");
    const std::string elsewhere = R"({"../../elsewhere": ")" + MakeChecksum("x") + "\"}";
    for (const std::string& files :
         {elsewhere, std::string(R"({"steps.csv": 1})"), std::string("["), std::string("1")})
    {
        const std::string content = study + "\n" + files + "\nresult";
        Write(m_folder + "/unfinished/0/result", MakeChecksum(content) + content);
        EXPECT_FALSE(Open(UnfinishedStudy::RESUME).Load(0)) << files;
    }
}

} // namespace
